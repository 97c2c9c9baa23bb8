#pragma once

/// \file host_kind.hpp
/// How the host has a kind of pieces, and what it does with them. HostKind<Kind>, a class without objects, has
///
/// - set_rules(rules, a, options), if it needs that: tells the analysis what the kind asks of it,
/// - make(from, m): makes its pieces of a plan,
/// - decode(m, visit): calls visit(row, column, value) for each of their entries, those of a row in their order,
/// - facts(m): what -mat_view prints,
/// - renew_constants(m, a, threads), if it has that: takes the values of `a` over where all values are with patterns;
///   false if they do not fit.
///
/// `m` are the pieces of the kind, or, where they are made of those of another one, of all kinds.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/csr_view.hpp"
#include "core/engine.hpp"
#include "core/options.hpp"
#include "impls/ccoo/device/kind.hpp"
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
class Maker;

struct InHostMemory {
  template <class T> using Pieces = std::vector<T>;
  template <class T> using Vector = std::vector<T>;
  template <class T> using Room   = kernels::Room<T>;
};

/// The pieces of a kind in host memory.
template <class Kind, class Scalar> struct Part : Kind::Shape, Kind::Counts, Kind::template Arrays<Scalar, InHostMemory> {
};

/// Several kinds.
template <class... Kind> struct KindList {
  template <class Scalar> struct Parts : Part<Kind, Scalar>... {
    std::int64_t entries() const { return (Kind::entries(*this) + ...); }
  };
  /// What a template makes of each kind.
  template <template <class, class> class Of, class S> using Tuple = std::tuple<Of<Kind, S>...>;

  template <class Visit> static void for_each(const Visit &visit) { (visit(Kind()), ...); }
};

/// What pieces are made of.
template <class Scalar, class Index> struct Source {
  const CsrView<Scalar, Index>           &a;
  const Plan<Scalar, Index, DeviceGroup> &plan;
  const OptionValues                     &options;
  int                                     threads;
  std::size_t                             most_hot; ///< columns
  const Maker                            *maker;    ///< null: all is made on the host
};

/// Specialised for each kind in <kind>/<kind>_image.hpp.
template <class Kind> struct HostKind;

/// `n`, if 32 bits can hold it; else a FormatError.
inline std::uint32_t counted(std::size_t n, const char *what)
{
  return kernels::counted_number(n, what, "ccoo");
}

/// The room in small pages, if it is large: a large page is cleared by the thread that comes first, for which all
/// others wait that write to it, and what goes to a device is so little that this is most of the time.
template <class T> Room<T> in_small_pages(Room<T> room)
{
#if defined(__linux__)
  constexpr std::size_t page = 4096, least = std::size_t(1) << 19; // what has large pages else, see Arena
  if (const std::size_t bytes = room.size() * sizeof(T); bytes >= least)
    madvise(room.data(), (bytes + page - 1) / page * page, MADV_NOHUGEPAGE);
#endif
  return room;
}

} // namespace petscspmv::ccoo::image
