#pragma once

/// \file mirror_format.hpp
/// A format for the tests of the glue: it copies all that it is shown, multiplies with the plainest loops, keeps a
/// journal of what the glue asks of it, and fails when told to.
///
/// A format that borrows AIJ's arrays gives right products even if the glue forgets to refresh it. This one does not.

#include <memory>
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
  Fault              build_fault    = Fault::none; ///< thrown by every build until reset
  Fault              refresh_fault  = Fault::none;
  Fault              multiply_fault = Fault::none;
  int                fast_order     = 0; ///< products with any other value of the option order take a millisecond; 0: none does
  int                alive          = 0; ///< objects that exist
  int                broken_rules   = 0; ///< refreshes with another pattern than that of the build

  /// The entries' letters in order.
  std::string letters() const;
};

MirrorJournal &Journal();

template <class Scalar, class Index> class Mirror : public Format<Scalar, Index> {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name = "mirror"; // without "aij", so that the long names are seqaijmirror and mpiaijmirror

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);

  Mirror(const View &a, const OptionValues &options, const Execution &execution);
  ~Mirror() override;
  Mirror(const Mirror &)              = delete;
  Mirror   &operator=(const Mirror &) = delete;
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  Footprint footprint() const override;
  Facts     facts() const override;

private:
  void take_values(const View &a) override;

  Index               rows_, cols_;
  int                 threads_, order_;
  std::vector<Index>  row_ptr_, col_;
  std::vector<Scalar> val_;
};

/// The method that builds an M, a Mirror or a class that is one.
template <class M> FormatType<typename M::scalar_type, typename M::index_type> MirrorType()
{
  using Type = FormatType<typename M::scalar_type, typename M::index_type>;
  return Type{
    .name            = M::name,
    .method          = "copies all it is shown (a test)",
    .borrows         = false,
    .transposes      = false,
    .options         = M::options(),
    .predicted_bytes = M::predicted_bytes,
    .on_host         = [](const typename Type::View &a, const OptionValues &options, const Execution &execution)
      -> FormatPtr<typename M::scalar_type, typename M::index_type> { return std::make_unique<M>(a, options, execution); },
  };
}

} // namespace petscspmv::test
