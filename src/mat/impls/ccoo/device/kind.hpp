#pragma once

/// \file kind.hpp
/// What a kind of pieces of a matrix on a device is, and how its arrays are held.
///
/// A kind is a class without objects in <kind>/<kind>_image.hpp:
///
/// - `Counts` are what the host knows of its pieces besides their arrays, `Shape` what kernels know of them, too.
/// - `Arrays<Scalar, Hold>` are its arrays, with their shapes, held as one of the classes below says;
///   for_each_array(visit, m...) calls visit(name, array...) for each of them, in one or several images side by side.
/// - set_rules(rules, a, options), if it has that, tells the analysis what it needs.
/// - renew_constants(m, a, threads), if it has that, takes the values of `a` over where all values are with patterns;
///   false if they do not fit. for_each_constant(visit, m...) calls visit(array...) for the arrays that it changes.
/// - make(from, m) makes its pieces of a plan; decode(m, visit) calls visit(row, column, value) for each of their
///   entries, those of a row in their order; entries(counts) is how many entries they have, facts(m) what -mat_view
///   prints.
///
/// <kind>/<kind>_kernel.cuh has what it does on a device (device_kind.cuh), <kind>/<kind>_tuning.hpp its numbers. kinds.hpp and
/// kinds.cuh list all kinds.

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "core/options.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"
#include "kernels/host/room.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::ccoo {
struct DeviceRules;
struct DeviceTile;
template <class Scalar, class Index, class Group> struct Plan;
} // namespace petscspmv::ccoo

namespace petscspmv::ccoo::image {

using kernels::Room;
using Tile = DeviceTile;

inline constexpr int         lanes       = 32;
inline constexpr int         groups      = DeviceGroup::rows / lanes;    ///< rows of a lane in a unit
inline constexpr int         each        = device_chunk_entries / lanes; ///< entries of a lane in a chunk
inline constexpr std::size_t piece       = 16;                           ///< bytes that a lane reads at a time
inline constexpr std::size_t value_grain = 32;                           ///< values of a unit begin at a multiple of this

/// `n`, if 32 bits can hold it; else a FormatError.
inline std::uint32_t counted(std::size_t n, const char *what)
{
  return kernels::counted_number(n, what, "ccoo");
}

/// Bytes of n coded values.
template <class Scalar> constexpr std::size_t coded_bytes(Coding c, std::size_t n = device_chunk_entries)
{
  return static_cast<std::size_t>(kernels::coded_bits<Scalar>(c)) * n / 8;
}

/// Entries whose coded values a lane has side by side in a chunk.
template <class Scalar> constexpr int coded_together(Coding c)
{
  const int bits = kernels::coded_bits<Scalar>(c), fit = bits > 0 ? 8 * static_cast<int>(piece) / bits : 1;
  return fit < each ? fit : each;
}

// How arrays are held: `Pieces` are those whose number kernels know, a `Room` is large, and the device may fill it.

struct InHostMemory {
  template <class T> using Pieces = std::vector<T>;
  template <class T> using Vector = std::vector<T>;
  template <class T> using Room   = kernels::Room<T>;
};

/// What a kernel is given.
struct InKernel {
  template <class T> class Counted {
  public:
    Counted() = default;
    Counted(const T *first, std::size_t n) : first_(first), n_(static_cast<unsigned>(n)) { }
    constexpr          operator const T *() const { return first_; }
    constexpr unsigned size() const { return n_; }

  private:
    const T *first_ = nullptr;
    unsigned n_     = 0;
  };

  template <class T> using Pieces = Counted<T>;
  template <class T> using Vector = const T *;
  template <class T> using Room   = const T *;
};

/// Several kinds.
template <class... Kind> struct KindList {
  struct Shapes : Kind::Shape... { };
  struct Counts : Shapes, Kind::Counts... {
    std::int64_t entries() const { return (Kind::entries(*this) + ...); }
  };
  template <class Scalar, class Hold> struct Arrays : Kind::template Arrays<Scalar, Hold>... {
  };
  /// What a template makes of each kind.
  template <template <class, class> class Of, class S> using Tuple = std::tuple<Of<Kind, S>...>;

  template <class Visit> static void for_each(const Visit &visit) { (visit(Kind()), ...); }

  /// What they need of a plan.
  template <class View> static void set_rules(DeviceRules &rules, const View &a, const OptionValues &options)
  {
    for_each([&](auto kind) {
      if constexpr (requires { kind.set_rules(rules, a, options); }) kind.set_rules(rules, a, options);
    });
  }
  template <class Visit, class... M> static void for_each_constant(const Visit &visit, M &...m) { (constants_of<Kind>(visit, m...), ...); }
  template <class M, class View> static bool     renew_constants(M &m, const View &a, int threads)
  {
    bool fit = true;
    for_each([&](auto kind) {
      if constexpr (requires { kind.renew_constants(m, a, threads); }) fit = fit && kind.renew_constants(m, a, threads);
    });
    return fit;
  }

private:
  template <class One, class Visit, class... M> static void constants_of(const Visit &visit, M &...m)
  {
    if constexpr (requires { One::for_each_constant(visit, m...); }) One::for_each_constant(visit, m...);
  }
};

template <class Scalar> struct Image;
class Maker;

/// What pieces are made of.
template <class Scalar, class Index> struct Source {
  const CsrView<Scalar, Index>           &a;
  const Plan<Scalar, Index, DeviceGroup> &plan;
  const OptionValues                     &options;
  int                                     threads;
  std::size_t                             most_hot; ///< columns
  const Maker                            *maker;    ///< null: all is made on the host
};

} // namespace petscspmv::ccoo::image
