// A plan for a device: what its tiles are, and groups of rows that come again, with their values, all over the matrix.

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"
#include "impls/ccoo/plan/diagonals.hpp"
#include "impls/ccoo/plan/extents.hpp"
#include "impls/ccoo/plan/known_groups.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo {
namespace {

template <class Scalar> struct DeviceRegion : Region<Scalar, DeviceGroup> {
  std::vector<KnownGroup> known; ///< one of each pattern that has all values
};

template <class Scalar, class Index> class DeviceDiagonals : public Diagonals<DeviceDiagonals<Scalar, Index>, Scalar, Index, DeviceGroup> {
  using Base = Diagonals<DeviceDiagonals, Scalar, Index, DeviceGroup>;
  using Base::a_, Base::rules_, Base::out_, Base::ids_, Base::groups_, Base::values_;
  using Base::group_rows, Base::rows_of_group;
  using Tile = DeviceTile;

public:
  /// The groups of `other` are known beforehand; it stays where it is.
  DeviceDiagonals(const CsrView<Scalar, Index> &a, const DeviceRules &rules, Region<Scalar, DeviceGroup> &out,
                  const DeviceRegion<Scalar> &other)
    : Base(a, rules, out), known_(a, out.pool, other.known, other.pool)
  {
  }

  /// Makes a diagonal tile if half of its groups or more have patterns already, with their values: those of tiles for
  /// which these were better than anything else. False, and nothing is done, if what the others would add is too much.
  bool make_known(Tile &t)
  {
    std::size_t unknown = 0;
    ids_.clear();
    for (Local row = t.row; row < t.row + t.rows; row += group_rows) {
      ids_.push_back(known_.find(row, rows_of_group(t, row)));
      unknown += ids_.back() == known_.none;
      if (2 * unknown * group_rows > static_cast<std::size_t>(t.rows)) return false;
    }
    if (unknown > 0 && !add_unknown(t)) return false;
    this->become_diagonal(t, true);
    if (unknown > 0) add_known(t);
    return true;
  }

  /// The groups of all diagonal tiles that have all values with their patterns; the last call.
  std::vector<KnownGroup> known() { return std::move(known_).list(); }

  /// Finding many slots would take long.
  std::int64_t most_slots(Index entries) const
  {
    if (rules_.tile == TileChoice::diagonal) return std::numeric_limits<std::int64_t>::max();
    const tuning::Cost &c = rules_.cost;
    return 16 +
           static_cast<std::int64_t>(4 * entries * (c.product + c.gathered + (sizeof(Scalar) + sizeof(Local)) * c.byte) / c.masked_slot);
  }

  /// Some of the rows of groups tell, and few values are read.
  bool may_repeat(const Tile &t)
  {
    keys_.clear();
    Local row = t.row;
    for (const GroupSlots &g : groups_.list()) {
      if (groups_.take_value_of_each_slot(row, g, values_)) return true;
      keys_.push_back(key_of(row, rows_of_group(t, row)));
      if (kept_keys_.contains(keys_.back())) return true;
      row += group_rows;
    }
    std::sort(keys_.begin(), keys_.end());
    return std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end();
  }

  static constexpr bool        may_stream(const Tile &t) { return t.gather.node == 1; }
  static constexpr bool        suits_strips(const Tile &, double, bool) { return false; }
  static kernels::CodingChoice choose(std::span<const Scalar>) { return {}; }
  static constexpr void        set_coding(Tile &, const kernels::CodingChoice &, bool) { }
  void                         made(const Tile &t, bool pooled)
  {
    if (pooled) add_known(t);
  }

private:
  /// Patterns with values for those groups of a tile that have no number.
  bool add_unknown(const Tile &t)
  {
    const std::size_t before = out_.pool.size(), bytes = out_.pool.bytes();
    Local             row = t.row;
    for (std::uint32_t &id : ids_) {
      const int rows = rows_of_group(t, row);
      if (id == known_.none) {
        groups_.clear();
        if (!groups_.add(row, rows, most_slots(a_.row_ptr[row + rows] - a_.row_ptr[row]))) break;
        id = this->add_with_values(row, groups_.list().front());
      }
      row += group_rows;
    }
    if (row >= t.row + t.rows && static_cast<double>(out_.pool.bytes() - bytes) <= t.values / 2.0) return true;
    out_.pool.cut(before);
    return false;
  }

  void add_known(const Tile &t)
  {
    Local row = t.row;
    for (const std::uint32_t pattern : ids_) {
      if (known_.add(pattern, row, rows_of_group(t, row))) kept_keys_.insert(key_of(row, rows_of_group(t, row)));
      row += group_rows;
    }
  }

  /// Of a few of the rows from `row` on: groups that are alike have the same. The first one alone is often that of
  /// other groups, where values are of few kinds.
  std::uint64_t key_of(Local row, Local rows) const
  {
    constexpr Local looks = 4;
    std::uint64_t   key   = 0;
    for (Local k = 0; k < looks; ++k) {
      const Local r = row + (rows - 1) * k / looks;
      key           = kernels::mix(key, static_cast<std::uint64_t>(a_.row_ptr[r + 1] - a_.row_ptr[r]));
      for (Index i = a_.row_ptr[r]; i < a_.row_ptr[r + 1]; ++i) key = kernels::mix(key, a_.val[i]);
    }
    return key;
  }

  KnownGroups<Scalar, Index, DeviceGroup> known_;     // of all tiles whose values are in the pool,
  std::unordered_set<std::uint64_t>       kept_keys_; // and their keys
  std::vector<std::uint64_t>              keys_;      // of the tile at hand
};

template <class Scalar, class Index> class DevicePlanner {
  using View = CsrView<Scalar, Index>;
  using Tile = DeviceTile;

public:
  DevicePlanner(const View &a, const DeviceRules &rules, const DeviceRegion<Scalar> &other)
    : a_(a), rules_(rules), tables_(rules.coding), diagonals_(a, rules, out_, other)
  {
  }

  DeviceRegion<Scalar> run(Local first, Local last)
  {
    for (Local row = first; row < last; row += out_.tiles.back().rows) {
      out_.tiles.push_back(begin_tile<DeviceGroup>(a_, rules_, row, last));
      Tile &t  = out_.tiles.back();
      t.values = static_cast<std::uint32_t>(a_.row_ptr[t.row + t.rows] - a_.row_ptr[t.row]);
      if (t.values > 0) make_tile(t);
    }
    out_.tables = std::move(tables_).tables();
    out_.known  = diagonals_.known();
    return std::move(out_);
  }

private:
  /// Columns are looked at by those who want them, which are none for most tiles without structure.
  void make_tile(Tile &t)
  {
    const bool forced = rules_.tile == TileChoice::diagonal;
    if (diagonals_.make_known(t)) return;
    // Before slots are looked for, which takes long and is in vain where values do not repeat.
    if (suits_nodes(t)) return make_nodes(t);
    if (!diagonals_.find(t, 0, forced) || !diagonals_.make(t, forced)) out_.make_chunked(t);
  }

  Index length(Local row) const { return a_.row_ptr[row + 1] - a_.row_ptr[row]; }

  /// Nodes of several rows whose values are not coded, or rounded at most, and none that keeps its
  /// neighbours waiting.
  bool suits_nodes(const Tile &t)
  {
    if (!rules_.nodes || t.gather.node == 1 || rules_.tile == TileChoice::diagonal ||
        t.values < tuning::device_least_nodes * static_cast<std::uint32_t>(t.rows))
      return false;
    Index longest = 0;
    for (Local row = t.row; row < t.row + t.rows; row += t.gather.node) longest = std::max(longest, length(row));
    return longest <= Index(tuning::device_most_of_mean) * (Index(t.values) / t.rows + 1) &&
           tables_.choose({a_.val + a_.row_ptr[t.row], t.values}).coding >= kernels::plain_coding;
  }
  void make_nodes(Tile &t)
  {
    Index least = std::numeric_limits<Index>::max(), most = -1;
    t.kind           = Kind::gather;
    t.gather.blocked = true;
    for (Local row = t.row; row < t.row + t.rows; row += t.gather.node) {
      const Index *const c = a_.col + a_.row_ptr[row], n = length(row);
      for (Index i = 0; i < n; ++i) {
        least = std::min(least, c[i]);
        most  = std::max(most, c[i]);
      }
      t.gather.blocked = t.gather.blocked && is_blocked(c, n, t.gather.node);
    }
    t.gather.least   = static_cast<Local>(least);
    t.gather.columns = std::max(most - least < 65536 ? Columns::bits16 : Columns::bits32, rules_.narrowest);
  }
  static bool is_blocked(const Index *c, Index n, Index block)
  {
    if (n % block != 0) return false;
    for (Index i = 0; i < n; i += block)
      for (Index k = 1; k < block; ++k)
        if (c[i + k] != c[i] + k) return false;
    return true;
  }

  const View                    &a_;
  const DeviceRules             &rules_;
  kernels::TableBuilder<Scalar>  tables_;
  DeviceRegion<Scalar>           out_;
  DeviceDiagonals<Scalar, Index> diagonals_;
};

/// True if most rows have values of one near them: else regions have nothing to tell each other, and to wait for some
/// costs up to a millisecond.
template <class View> bool values_come_again(const View &a)
{
  const RowsAlike rows = look_at_rows(a);
  return rows.mostly(rows.values);
}

} // namespace

/// Where values come again, a sample of regions is planned first: the others look for their groups there.
template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_device(const CsrView<Scalar, Index> &a, const DeviceRules &rules, int threads)
{
  Plan<Scalar, Index, DeviceGroup> plan(a, rules);
  if (rules.tile == TileChoice::chunk) {
    plan.take_chunks(a, {{0, plan.rows, false}}, threads);
    return plan;
  }
  const std::int64_t         whole = std::max<Local>(rules.stride, 1), of_each = std::max(rules.region / whole, std::int64_t(1)) * whole;
  const auto                 parts = static_cast<std::size_t>((std::int64_t(plan.rows) + of_each - 1) / of_each);
  const bool                 again = parts >= tuning::device_least_sampled && values_come_again(a);
  const std::size_t          step  = again ? (parts - 1) / tuning::device_sampled_regions + 1 : 0;
  const DeviceRegion<Scalar> none;
  std::vector<DeviceRegion<Scalar>> regions(parts);
  const auto                        is_sampled = [step](std::size_t k) { return step > 0 && k % step == step / 2; };
  const auto                        sample_of  = [&](std::size_t k) { // the nearest one before, or the last
    return step > 0 ? &std::as_const(regions[std::min(k / step, (parts - 1 - step / 2) / step) * step + step / 2]) : &none;
  };
  for (const bool sampled : {true, false}) {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < parts; ++k)
      if (is_sampled(k) == sampled) list.push_back(k);
    kernels::try_each_ticket(threads, std::ssize(list), [&](std::int64_t ticket) {
      const std::size_t  k     = list[static_cast<std::size_t>(ticket)];
      const std::int64_t first = static_cast<std::int64_t>(k) * of_each, last = std::min<std::int64_t>(plan.rows, first + of_each);
      DevicePlanner<Scalar, Index> planner(a, rules, sampled ? none : *sample_of(k));
      regions[k] = planner.run(static_cast<Local>(first), static_cast<Local>(last));
    });
  }
  std::vector<Region<Scalar, DeviceGroup> *> all;
  all.reserve(regions.size());
  for (auto &r : regions) all.push_back(&r);
  plan.take(a, all, threads);
  return plan;
}

#define INSTANTIATE(S, I) template Plan<S, I, DeviceGroup> plan_for_device(const CsrView<S, I> &, const DeviceRules &, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
