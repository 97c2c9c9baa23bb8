// Tiles of rows: how far each goes, and which kind and coding it gets.

#include <algorithm>
#include <limits>
#include <span>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/diagonals.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "impls/ccoo/tiles/next_tile.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::ccoo {
namespace {

template <class Scalar, class Index, class Group> class Planner {
  static constexpr int group_rows = Group::rows;
  using View                      = CsrView<Scalar, Index>;

public:
  Planner(const View &a, const Rules &rules, const Region<Scalar, Group> &other)
    : a_(a), rules_(rules), costs_(rules), tables_(rules.coding), diagonals_(a, rules, tables_, out_, other)
  {
  }

  Region<Scalar, Group> run(Local first, Local last)
  {
    for (Local row = first; row < last; row += out_.tiles.back().rows) out_.tiles.push_back(make_tile(begin_tile(row, last)));
    out_.tables = std::move(tables_).tables();
    out_.known  = diagonals_.known();
    return std::move(out_);
  }

private:
  Tile make_tile(Tile t)
  {
    look(t);
    if (filled_ + long_ > 0) encode(t);
    else t.cost = static_cast<float>(t.rows * rules_.cost.empty_row);
    return t;
  }

  Index length(Local row) const { return a_.row_ptr[row + 1] - a_.row_ptr[row]; }
  bool  same_columns(Local r, Local s) const
  {
    const Index *const p = a_.col + a_.row_ptr[r], *const q = a_.col + a_.row_ptr[s];
    return length(r) == length(s) && std::equal(p, p + length(r), q);
  }

  // ------------------------------------------------------------ extent

  /// Whole nodes, where there are any; and a tile without nodes does not end in the middle of one, which would break
  /// all that follow.
  Tile begin_tile(Local row, Local last) const
  {
    Tile t{row, std::min<Local>(rules_.rows, last - row)};
    if (rules_.stride > 0) t.rows = std::min<Local>(t.rows, rules_.stride - row % rules_.stride);
    for (int b = rules_.node; b > 1; --b)
      if (const Local n = whole_nodes(t, b, last); n > 0) {
        t.rows        = n;
        t.gather.node = static_cast<std::uint8_t>(b);
        return t;
      }
    if (row + t.rows == last || t.rows <= 2 * rules_.node) return t;
    for (Local n = t.rows; n > t.rows - rules_.node; --n)
      if (length(row + n) == 0 || !same_columns(row + n - 1, row + n)) {
        t.rows = n;
        break;
      }
    return t;
  }

  /// Rows of the tile if all of them are in nodes of b rows, else 0.
  Local whole_nodes(const Tile &t, int b, Local last) const
  {
    const Local n = t.row + t.rows < last ? t.rows / (group_rows * b) * (group_rows * b) : t.rows;
    if (n == 0 || n % b != 0) return 0;
    for (Local i = 0; i < n; ++i)
      if (i % b != 0 && !same_columns(t.row + i - 1, t.row + i)) return 0;
    return n;
  }

  // ------------------------------------------------------------ what is in it

  /// Entries of the longest row that is not cut into chunks of its own.
  Index longest(const Tile &t) const
  {
    const std::int64_t limit = long_limit(rules_, t.rows, a_.row_ptr[t.row + t.rows] - a_.row_ptr[t.row]);
    return static_cast<Index>(std::min<std::int64_t>(limit, std::numeric_limits<Index>::max()));
  }

  void look(Tile &t)
  {
    if (!rules_.on_host) return look_at_lengths(t);
    const auto   limit   = longest(t);
    const Local  none    = std::numeric_limits<Local>::max();
    std::int64_t entries = 0;
    Index        before  = limit;
    t.gather.least = none, t.gather.most = -1;
    filled_ = 0, long_ = 0, far_ = 0, lengths_ = 0;
    sorted_ = true, descending_ = true;
    for (Local row = t.row; row < t.row + t.rows; ++row) {
      const Index n = length(row);
      if (n > limit) {
        out_.chunked.push_back({row, row + 1, true});
        ++long_;
        continue;
      }
      descending_ = descending_ && n <= before;
      before      = n;
      if (n == 0) continue;
      entries += n;
      ++filled_;
      look_at_length(t, n);
      look_at_columns(t, row);
    }
    lengths_        = std::min(lengths_, (t.rows + group_rows - 1) / group_rows);
    t.values        = static_cast<std::uint32_t>(entries);
    t.gather.nodes  = static_cast<std::uint16_t>((t.rows - long_) / t.gather.node);
    t.gather.filled = static_cast<std::uint16_t>(filled_ / t.gather.node);
  }

  /// The same on a device, where no row is long: columns are looked at by those who want them, which are none for most
  /// tiles without structure.
  void look_at_lengths(Tile &t)
  {
    filled_ = 0, long_ = 0;
    sorted_ = true; // or Groups say that it is not
    for (Local row = t.row; row < t.row + t.rows; ++row) filled_ += length(row) > 0;
    t.values        = static_cast<std::uint32_t>(a_.row_ptr[t.row + t.rows] - a_.row_ptr[t.row]);
    t.gather.nodes  = static_cast<std::uint16_t>(t.rows / t.gather.node);
    t.gather.filled = static_cast<std::uint16_t>(filled_ / t.gather.node);
  }

  void look_at_length(const Tile &t, Index n)
  {
    const auto length = static_cast<std::size_t>(n);
    if (length >= last_tile_.size()) last_tile_.resize(length + 1, -1);
    lengths_ += last_tile_[length] != t.row;
    last_tile_[length] = t.row;
  }

  void look_at_columns(Tile &t, Local row)
  {
    Index before = -1;
    for (Index i = a_.row_ptr[row]; i < a_.row_ptr[row + 1]; ++i) {
      const Index c = a_.col[i];
      sorted_       = sorted_ && c >= before;
      far_ += before >= 0 && is_far(before, c);
      before         = c;
      t.gather.least = std::min(t.gather.least, static_cast<Local>(c));
      t.gather.most  = std::max(t.gather.most, static_cast<Local>(c));
    }
  }

  std::span<const Scalar> values_of(const Tile &t)
  {
    const Scalar *const first = a_.val + a_.row_ptr[t.row];
    if (long_ == 0) return {first, t.values};
    const auto limit = longest(t);
    values_.clear();
    for (Local row = t.row; row < t.row + t.rows; ++row)
      if (length(row) <= limit) values_.insert(values_.end(), a_.val + a_.row_ptr[row], a_.val + a_.row_ptr[row + 1]);
    return values_;
  }

  // ------------------------------------------------------------ kind and coding

  void encode(Tile &t)
  {
    const bool forced = rules_.tile == TileChoice::diagonal;
    if (!rules_.on_host && diagonals_.make_known(t)) return;
    // Before slots are looked for, which takes long and is in vain where values do not repeat.
    if (!rules_.on_host && suits_nodes(t)) return make_nodes(t);
    if (rules_.tile != TileChoice::gather && sorted_ && long_ == 0 && diagonals_.find(t, lengths_, forced) && diagonals_.make(t, forced))
      return;
    if (!rules_.on_host) return make_chunked(t);
    make_gather(t);
    if (rules_.tile == TileChoice::automatic && suits_chunks(t)) make_chunked(t);
    else if (rules_.ahead) list_lines(t);
  }

  void make_gather(Tile &t)
  {
    t.kind            = Kind::gather;
    t.gather.permuted = long_ > 0 || !descending_;
    t.gather.columns  = columns_for(t.values == 0 ? 0 : std::int64_t(t.gather.most) - t.gather.least, rules_.narrowest);
    if (t.values == 0) t.gather.least = t.gather.most = 0;
    set_coding(t, choose_coding<Scalar>(rules_, tables_, values_of(t)));
    t.cost = static_cast<float>(costs_.gather(t.values, GatherParts(t).groups, lengths_, group_rows, t.gather.node) + costs_.values(t) +
                                costs_.vectors(t));
  }

  /// The lines of x, where entries share them: those of some rows, since others hardly have more.
  void list_lines(Tile &t)
  {
    const Index       limit = longest(t);
    const Local       step  = t.gather.node * tuning::listed_nodes;
    const std::size_t most  = t.values / (t.gather.columns == Columns::bits32 ? tuning::entries_of_line_wide : tuning::entries_of_line);
    lines_.begin(out_.lines, t.gather.least, t.gather.most);
    t.gather.line = out_.lines.size();
    for (Local row = t.row; row < t.row + t.rows && lines_.size() <= most; row += step)
      if (length(row) <= limit) lines_.add(a_.col + a_.row_ptr[row], a_.col + a_.row_ptr[row + 1]);
    t.gather.lines = lines_.size() <= most ? static_cast<std::uint32_t>(lines_.size()) : 0;
    lines_.end(t.gather.lines);
  }

  /// On a device: nodes of several rows whose values are not coded, or rounded at most, and none that keeps its
  /// neighbours waiting.
  bool suits_nodes(const Tile &t)
  {
    if (!rules_.nodes || t.gather.node == 1 || rules_.tile == TileChoice::diagonal ||
        t.values < tuning::device_least_nodes * static_cast<std::uint32_t>(t.rows))
      return false;
    Index longest = 0;
    for (Local row = t.row; row < t.row + t.rows; row += t.gather.node) longest = std::max(longest, length(row));
    return longest <= Index(tuning::device_most_of_mean) * (Index(t.values) / t.rows + 1) &&
           tables_.choose(values_of(t)).coding >= kernels::plain_coding;
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
    t.gather.most    = static_cast<Local>(most);
    t.gather.columns = std::max(std::int64_t(t.gather.most) - t.gather.least < 65536 ? Columns::bits16 : Columns::bits32, rules_.narrowest);
    t.cost           = 0;
  }
  static bool is_blocked(const Index *c, Index n, Index block)
  {
    if (n % block != 0) return false;
    for (Index i = 0; i < n; i += block)
      for (Index k = 1; k < block; ++k)
        if (c[i + k] != c[i] + k) return false;
    return true;
  }

  /// Long rows of their own, whose values are not coded: row after row, as in plain CSR, x is read from few places at a
  /// time.
  bool suits_chunks(const Tile &t) const
  {
    return rules_.row_after_row && t.gather.node == 1 && t.coding == kernels::plain_coding && long_ == 0 && filled_ == t.rows &&
           t.values >= least_chunked_mean(t) * t.rows;
  }
  std::uint32_t least_chunked_mean(const Tile &t) const
  {
    const bool apart = t.gather.columns == Columns::bits32 && kernels::is_scattered(far_, t.values, tuning::apart_percent);
    return apart ? tuning::chunked_mean_apart : tuning::chunked_mean;
  }
  void make_chunked(Tile &t)
  {
    const Local last = t.row + t.rows;
    if (!out_.chunked.empty() && out_.chunked.back().last == t.row && !out_.chunked.back().is_long) out_.chunked.back().last = last;
    else out_.chunked.push_back({t.row, last, false});
    t      = Tile{t.row, t.rows};
    t.kind = Kind::chunked;
  }

  const View                     &a_;
  const Rules                    &rules_;
  Costs<Scalar>                   costs_;
  kernels::TableBuilder<Scalar>   tables_;
  Region<Scalar, Group>           out_;
  Diagonals<Scalar, Index, Group> diagonals_;
  LineFinder<Scalar>              lines_;

  // of the tile at hand
  Local               filled_ = 0, long_ = 0; // rows
  std::int64_t        far_     = 0;           // entries in another cache line of x than those before them
  int                 lengths_ = 0;           // different ones of rows
  bool                sorted_ = false, descending_ = false;
  std::vector<Scalar> values_;

  std::vector<Local> last_tile_; // with rows of each length: its first row
};

} // namespace

template <class Scalar, class Index, class Group>
Region<Scalar, Group> plan_region(const CsrView<Scalar, Index> &a, const Rules &rules, Local first, Local last,
                                  const Region<Scalar, Group> &other)
{
  return Planner<Scalar, Index, Group>(a, rules, other).run(first, last);
}

template <class Scalar, class Index, class Group>
using PlanRegion = Region<Scalar, Group>(const CsrView<Scalar, Index> &, const Rules &, Local, Local, const Region<Scalar, Group> &);

#define INSTANTIATE(S, I) \
  template PlanRegion<S, I, HostGroup>   plan_region<S, I, HostGroup>; \
  template PlanRegion<S, I, DeviceGroup> plan_region<S, I, DeviceGroup>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
