#pragma once

/// \file mirror_format.hpp
/// A format for the tests of the glue: it copies all that it is shown, multiplies with the plainest loops, keeps a
/// journal of what the glue asks of it, and fails when told to.
///
/// A format that borrows AIJ's arrays gives right products even if the glue forgets to refresh it. This one does not.

#include <string>
#include <vector>

#include "core/format.hpp"

namespace petscspmv::test {

enum class Fault { none, out_of_memory, memory_error, format_error, runtime_error };

/// What the objects of Mirror have seen and shall do, all of them together.
struct MirrorJournal {
  struct Entry {
    char        what; ///< 'b'uild, 'r'efresh, 'm'ultiply
    std::size_t rows, nodes;
    int         threads;
  };
  std::vector<Entry> entries;
  Fault              build_fault   = Fault::none; ///< thrown by every build until reset
  Fault              refresh_fault = Fault::none;
  int                fast_order    = 0; ///< products with any other value of the option order take a millisecond; 0: none does
  int                alive         = 0; ///< objects that exist
  int                broken_rules  = 0; ///< refreshes with another pattern than that of the build

  /// The entries' letters in order.
  std::string letters() const;
};

MirrorJournal &Journal();

template <class Scalar, class Index> class Mirror {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name       = "mirror"; // without "aij", so that the long names are seqaijmirror and mpiaijmirror
  static constexpr std::string_view method     = "copies all it is shown (a test)";
  static constexpr bool             borrows    = false;
  static constexpr bool             on_device  = false;
  static constexpr bool             transposes = false;

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);

  Mirror(const View &a, const OptionValues &options, const Execution &execution);
  ~Mirror();
  Mirror(const Mirror &)              = delete;
  Mirror   &operator=(const Mirror &) = delete;
  void      refresh(const View &a);
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);
  Footprint footprint() const;
  Facts     facts() const;

private:
  Index               rows_, cols_;
  int                 threads_, order_;
  std::vector<Index>  row_ptr_, col_;
  std::vector<Scalar> val_;
};

} // namespace petscspmv::test
