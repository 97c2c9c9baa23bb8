#pragma once

/// \file entries.hpp
/// The entries of a local tile: which sectors of x and which values they need, and their order in a row.

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/kind.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Up to 256 rows whose x a block of threads has in shared memory.
struct alignas(16) LocalTile {
  static constexpr int           rows = 256, warps = rows / lanes; ///< at most
  static constexpr int           sector       = 4;                 ///< columns whose x is brought together
  static constexpr int           sectors      = 352;               ///< at most
  static constexpr int           together     = 4;                 ///< entries of a lane in a step
  static constexpr int           step_entries = lanes * together;
  static constexpr int           longest      = 64 * together;    ///< entries of a row
  static constexpr int           values       = 256;              ///< different ones
  static constexpr std::uint16_t nowhere      = sectors * sector; ///< the place of a zero

  Local         row, end;
  std::uint32_t first_sector, number_of_sectors;
  alignas(8) std::uint8_t steps[warps]; ///< of each warp
  std::uint32_t first_step;
  std::uint32_t unused;
};

/// An entry as it is kept: where its x is in shared memory, and its value in the table.
struct LocalEntry {
  std::uint16_t place;
  std::uint8_t  code;
};

/// Rows of sixteen lanes side by side, which read shared memory together.
inline constexpr std::size_t banks = 16;
using LocalRows                    = std::array<std::vector<LocalEntry>, banks>;

/// Puts the entries of each row in an order in which the k-th ones of all rows mostly lie in different banks, or are
/// the same. An unstructured mesh: 1.4 passes through the banks for each sixteen entries instead of 2.6, and 1.5 with
/// matchings of rows and banks that are as large as can be.
inline void spread_over_banks(LocalRows &rows)
{
  constexpr int free    = -1;
  std::size_t   longest = 0;
  for (const auto &row : rows) longest = std::max(longest, row.size());
  for (std::size_t k = 0; k < longest; ++k) {
    std::array<int, banks> last, load{}; // of each bank: the place that was read last, and how many there are
    last.fill(free);
    for (std::size_t i = 0; i < banks; ++i) {
      auto &row = rows[(i + k) % banks]; // each has the first choice now and then
      if (k >= row.size()) continue;
      std::size_t best = k;
      int         cost = std::numeric_limits<int>::max();
      for (std::size_t e = k; e < row.size() && cost >= 0; ++e) {
        const std::size_t bank = row[e].place % banks;
        const int         mine = last[bank] == row[e].place ? -1 : load[bank];
        if (mine < cost) {
          cost = mine;
          best = e;
        }
      }
      const std::size_t bank = row[best].place % banks;
      load[bank] += cost >= 0;
      last[bank] = row[best].place;
      std::swap(row[k], row[best]);
    }
  }
}

/// The sectors of x that a tile needs, numbered.
class LocalSectors {
public:
  LocalSectors() { number_.fill(none); }
  /// Those of a list, as they are numbered there.
  explicit LocalSectors(const std::vector<Local> &list) : LocalSectors()
  {
    for (const Local sector : list) add(sector);
  }

  /// False if there is no room for one more.
  bool add(Local sector)
  {
    const std::size_t slot = slot_of(sector);
    if (number_[slot] != none) return true;
    if (list_.size() == LocalTile::sectors) return false;
    number_[slot] = static_cast<std::uint16_t>(list_.size());
    list_.push_back(sector);
    return true;
  }
  std::uint16_t number(Local sector) const { return number_[slot_of(sector)]; }

  /// In ascending order.
  std::vector<Local> sorted() const
  {
    std::vector<Local> list = list_;
    std::sort(list.begin(), list.end());
    return list;
  }

private:
  static constexpr std::size_t   bits = 10, slots = std::size_t(1) << bits;
  static constexpr std::uint16_t none = 0xffff;
  static_assert(slots / 2 > std::size_t(LocalTile::sectors));

  std::size_t slot_of(Local sector) const
  {
    std::size_t slot = static_cast<std::uint32_t>(sector) * 0x9e3779b1U >> (32 - bits);
    while (number_[slot] != none && list_[number_[slot]] != sector) slot = (slot + 1) % slots;
    return slot;
  }

  std::array<std::uint16_t, slots> number_;
  std::vector<Local>               list_;
};

/// The different values of what is in chunks, numbered. Number 0 is a zero, for what is filled up.
template <class Scalar> class LocalValues {
public:
  template <class Index> LocalValues(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads)
  {
    constexpr std::int64_t                       batch = 64;
    const std::int64_t                           n     = std::ssize(plan.chunks);
    std::vector<kernels::DistinctValues<Scalar>> parts(static_cast<std::size_t>((n + batch - 1) / batch));
    std::atomic<bool>                            many = false;
    const auto                                   add  = [&](std::int64_t first, std::int64_t last) {
      auto &mine = parts[static_cast<std::size_t>(first / batch)];
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last) && !many.load(std::memory_order_relaxed); ++i)
        for (const Scalar *v = a.val + plan.chunk_begin[i], *end = v + plan.chunks[i].entries; v < end && mine.size() <= most; ++v)
          mine.add(*v);
      if (mine.size() > most) many = true;
    };
    add(0, std::min(n, batch)); // mostly there are too many, and no need of other threads to know
    if (many) return;
    kernels::try_each_batch(threads, n, batch, [&](std::int64_t first, std::int64_t last) {
      if (first > 0) add(first, last);
    });
    all_.add(Scalar(0));
    for (const auto &part : parts)
      for (const Scalar v : part.values())
        if (all_.size() <= most) all_.add(v);
    fit_ = !many && all_.size() <= most;
  }

  bool                       fit() const { return fit_; } ///< there are no more than a byte can number
  std::uint8_t               code(Scalar v) const { return static_cast<std::uint8_t>(all_.find(v)); }
  const std::vector<Scalar> &list() const { return all_.values(); }

private:
  static constexpr std::int64_t most = LocalTile::values;

  kernels::DistinctValues<Scalar> all_;
  bool                            fit_ = false;
};

} // namespace petscspmv::ccoo::image
