// Tiles on the host: how far each goes, and which kind and coding it gets.

#include <algorithm>
#include <limits>
#include <span>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/diagonals.hpp"
#include "impls/ccoo/plan/extents.hpp"
#include "impls/ccoo/plan/host_region.hpp"
#include "impls/ccoo/plan/line_finder.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::ccoo {
namespace {

/// To read x and write y.
template <class Scalar> double vectors_cost(const Rules &rules, const Tile &t)
{
  return t.rows * 2 * double(sizeof(Scalar)) * rules.cost.byte;
}

template <class Scalar, class Index> class HostDiagonals : public Diagonals<HostDiagonals<Scalar, Index>, Scalar, Index, HostGroup> {
  using Base = Diagonals<HostDiagonals, Scalar, Index, HostGroup>;
  using Base::rules_, Base::costs_;

public:
  /// Tables go to `tables`, which stay where they are.
  HostDiagonals(const CsrView<Scalar, Index> &a, const HostRules &rules, Region<Scalar, HostGroup> &out,
                kernels::TableBuilder<Scalar> &tables)
    : Base(a, rules, out), tables_(tables)
  {
  }

  static constexpr std::int64_t most_slots(Index) { return std::numeric_limits<std::int64_t>::max(); }
  static constexpr bool         may_repeat(const Tile &) { return true; }
  static constexpr bool         may_stream(const Tile &) { return true; }

  kernels::CodingChoice choose(std::span<const Scalar> values) { return tables_.choose(values); }
  static void           set_coding(Tile &t, const kernels::CodingChoice &choice, bool mixed)
  {
    t.coding = choice.coding;
    t.table  = choice.table;
    t.mixed  = mixed;
  }

  /// Few values, so that eight groups with theirs are likely to have few slots together.
  bool suits_strips(const Tile &t, double added, bool forced) const
  {
    const auto   most = kernels::table_limit(t.coding);
    const double cost = this->cost(), gather = this->gather_cost(t.values, t.gather.node), other = forced ? cost : std::min(cost, gather);
    return most > 0 && most <= 16 && rules_.strips != When::never && added <= t.values * double(sizeof(Scalar)) &&
           cost * tuning::strips_cost + added * rules_.cost.byte < other + costs_.values(t);
  }

  void made(Tile &t, bool pooled) const
  {
    t.cost = static_cast<float>(this->cost() * (pooled ? tuning::strips_cost : 1) + costs_.values(t) + vectors_cost<Scalar>(rules_, t));
  }

private:
  kernels::TableBuilder<Scalar> &tables_;
};

template <class Scalar, class Index> class HostPlanner {
  using View = CsrView<Scalar, Index>;

public:
  HostPlanner(const View &a, const HostRules &rules)
    : a_(a), rules_(rules), costs_(rules), tables_(rules.coding), diagonals_(a, rules, out_, tables_)
  {
  }

  HostRegion<Scalar> run(Local first, Local last)
  {
    for (Local row = first; row < last; row += out_.tiles.back().rows)
      out_.tiles.push_back(make_tile(begin_tile<HostGroup>(a_, rules_, row, last)));
    out_.tables = std::move(tables_).tables();
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

  /// Entries of the longest row that is not cut into chunks of its own.
  Index longest(const Tile &t) const
  {
    const std::int64_t limit = rules_.long_limit(t.rows, a_.row_ptr[t.row + t.rows] - a_.row_ptr[t.row]);
    return static_cast<Index>(std::min<std::int64_t>(limit, std::numeric_limits<Index>::max()));
  }

  void look(Tile &t)
  {
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

  void encode(Tile &t)
  {
    const bool forced = rules_.tile == TileChoice::diagonal;
    if (rules_.tile != TileChoice::gather && sorted_ && long_ == 0 && diagonals_.find(t, lengths_, forced) && diagonals_.make(t, forced))
      return;
    make_gather(t);
    if (rules_.tile == TileChoice::automatic && suits_chunks(t)) out_.make_chunked(t);
    else if (rules_.ahead) list_lines(t);
  }

  void make_gather(Tile &t)
  {
    t.kind            = Kind::gather;
    t.gather.permuted = long_ > 0 || !descending_;
    t.gather.columns  = columns_for(t.values == 0 ? 0 : std::int64_t(t.gather.most) - t.gather.least, rules_.narrowest);
    if (t.values == 0) t.gather.least = t.gather.most = 0;
    diagonals_.set_coding(t, tables_.choose(values_of(t)), false);
    t.cost = static_cast<float>(costs_.gather(t.values, GatherParts(t).groups, lengths_, group_rows, t.gather.node) + costs_.values(t) +
                                vectors_cost<Scalar>(rules_, t));
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
  const View                   &a_;
  const HostRules              &rules_;
  Costs<Scalar>                 costs_;
  kernels::TableBuilder<Scalar> tables_;
  HostRegion<Scalar>            out_;
  HostDiagonals<Scalar, Index>  diagonals_;
  LineFinder<Scalar>            lines_;

  // of the tile at hand
  Local               filled_ = 0, long_ = 0; // rows
  std::int64_t        far_     = 0;           // entries in another cache line of x than those before them
  int                 lengths_ = 0;           // different ones of rows
  bool                sorted_ = false, descending_ = false;
  std::vector<Scalar> values_;

  std::vector<Local> last_tile_; // with rows of each length: its first row
};

} // namespace

template <class Scalar, class Index>
HostRegion<Scalar> plan_region(const CsrView<Scalar, Index> &a, const HostRules &rules, Local first, Local last)
{
  return HostPlanner<Scalar, Index>(a, rules).run(first, last);
}

#define INSTANTIATE(S, I) template HostRegion<S> plan_region(const CsrView<S, I> &, const HostRules &, Local, Local);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
