#include "impls/ccoo/ccoo_kokkos.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/plan/groups.hpp"
#include "impls/ccoo/plan/pool.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/kokkos/format.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::ccoo {
namespace kokkos {
namespace {

/// What of the rows of a unit times its slots are entries, at least, and where units are asked for.
constexpr double least_fill = 0.7, least_asked_fill = 0.25;

/// Slots of a unit, at most.
constexpr double most_slots = 256;

/// Rows are cut into chunks that are longer than four times the mean, within these bounds.
constexpr std::int64_t least_long = 64, most_long = 512;

/// Nodes that are sorted by length together.
constexpr std::size_t sorted_nodes = 2048;

/// The arrays of a matrix as they are found, in the order of rows.
template <class Scalar, class Index> class Builder {
  using S = kernels::KokkosScalar<Scalar>;

  struct Node {
    Local        row;
    int          rows;
    std::int32_t length;
  };

public:
  Builder(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
    : a_(a), val_(reinterpret_cast<const S *>(a.val)), kind_(options[tile_option]), may_code_(kernels::may_code(options)),
      rounds_(kernels::losing_coding(options) != kernels::plain_coding),
      node_limit_(static_cast<int>(std::min<std::int64_t>(options["node"], most_node_rows))),
      chunks_{for_device ? chunk_lanes
                         : static_cast<int>(std::clamp<std::int64_t>(options["chunk"] / kernels::lane_entries, 1, chunk_lanes)),
              kernels::lane_entries},
      groups_(a)
  {
    const std::int64_t mean = a.nonzeros() / std::max<Index>(a.rows, 1);
    longest_                = options["longest"] > 0 ? options["longest"] : std::clamp(4 * mean, least_long, most_long);
    if (kind_ == TileChoice::chunk) longest_ = 0;
    for (Index r = 0; r < a.rows;) r = is_unit(r) ? static_cast<Index>(std::min<std::int64_t>(r + unit_rows, a.rows)) : add_nodes(r);
    add_slices();
    add_chunks();
  }

  template <class Arrays> void finish(Arrays &m)
  {
    using kernels::host_array;
    m.summary = {static_cast<Local>(a_.rows), static_cast<std::int64_t>(by_slot_.size()), chunks_.lanes};
    by_slot_.insert(by_slot_.end(), unit_.begin(), unit_.end());
    m.unit = host_array(by_slot_);
    finish_patterns(m);
    m.slice        = host_array(slice_);
    m.node_row     = host_array(node_row_);
    m.node_length  = host_array(node_length_);
    m.column16     = host_array(column16_);
    m.column32     = host_array(column32_);
    m.value        = kernels::coded_values(value_, may_code_, rounds_);
    m.chunk        = host_array(chunk_);
    m.flags        = host_array(chunks_.flags);
    m.segment_row  = host_array(segment_row_);
    m.chunk_column = host_array(chunk_column_);
    m.chunk_value  = kernels::coded_values(chunk_value_, may_code_, rounds_);
    m.cut          = host_array(chunks_.cut);
    m.head         = kernels::new_array<S>(chunks_.cut.empty() ? 0 : chunk_.size());
    m.tail         = kernels::new_array<S>(m.head.extent(0));
  }

private:
  Index length(Index row) const { return a_.row_ptr[row + 1] - a_.row_ptr[row]; }

  /// Makes a unit of row `first` and those that follow it, if they are alike.
  bool is_unit(Index first)
  {
    if (kind_ == TileChoice::gather || kind_ == TileChoice::chunk) return false;
    const int    rows    = static_cast<int>(std::min<Index>(unit_rows, a_.rows - first));
    const auto   entries = static_cast<double>(a_.row_ptr[first + rows] - a_.row_ptr[first]);
    const double fill    = kind_ == TileChoice::diagonal ? least_asked_fill : least_fill;
    groups_.clear();
    if (!groups_.add(static_cast<Local>(first), rows, static_cast<std::int64_t>(std::min(entries / (rows * fill), most_slots))))
      return false;
    add_unit(static_cast<Local>(first), groups_.list().front());
    return true;
  }

  void add_unit(Local row, const GroupSlots &g)
  {
    const auto slots   = groups_.slots(g);
    const bool by_slot = may_code_ && groups_.take_value_of_each_slot(row, g, values_);
    if (!by_slot) values_.clear();
    const auto kind = by_slot ? PatternValues::by_slot : PatternValues::streamed;
    const Unit unit{row, pool_.add(slots, g.entries, kind, values_, row), static_cast<std::int64_t>(value_.size())};
    (by_slot ? by_slot_ : unit_).push_back(unit);
    if (by_slot) return;
    groups_.take_values(row, g, values_);
    value_.resize(value_.size() + std::size_t(g.slots) * unit_rows);
    const Scalar *value = values_.data();
    each_slot(slots, [&](int k, std::size_t place) {
      for_each_lane(slots.lanes[k], [&](int lane) {
        value_[static_cast<std::size_t>(unit.value) + place * unit_rows + static_cast<std::size_t>(lane)] = *value++;
      });
    });
  }

  /// Calls visit(slot, its place): those that all rows have come first. Returns how many these are.
  template <class Visit> static std::size_t each_slot(const SlotView<DeviceGroup::Mask> &s, const Visit &visit)
  {
    const auto is_full = [](DeviceGroup::Mask lanes) { return lanes == all_lanes<DeviceGroup::Mask>; };
    const auto full    = static_cast<std::size_t>(std::count_if(s.lanes, s.lanes + s.slots, is_full));
    for (std::size_t k = 0, before = 0; k < static_cast<std::size_t>(s.slots); ++k) {
      const bool here = is_full(s.lanes[k]);
      visit(static_cast<int>(k), here ? before : full + k - before);
      before += here;
    }
    return full;
  }

  template <class Arrays> void finish_patterns(Arrays &m) const
  {
    std::vector<Pattern>       pattern;
    std::vector<Local>         offset(pool_.offsets.size());
    std::vector<std::uint32_t> rows(offset.size() * rows_per_lane);
    std::vector<S>             value(offset.size());
    for (const ccoo::Pattern &p : pool_.patterns) {
      const auto        slots = pool_.slots(p);
      const std::size_t full  = each_slot(slots, [&](int k, std::size_t place) {
        const std::size_t at = p.first_slot + place;
        offset[at]           = slots.offset[k];
        for (int j = 0; j < rows_per_lane; ++j) rows[at * rows_per_lane + j] = static_cast<std::uint32_t>(slots.lanes[k] >> j * lanes);
        if (p.values == PatternValues::by_slot) value[at] = pool_.value(p)[k];
      });
      pattern.push_back({p.first_slot, p.slots, static_cast<std::uint32_t>(full)});
    }
    m.pattern     = kernels::host_array(pattern);
    m.slot_offset = kernels::host_array(offset);
    m.slot_rows   = kernels::host_array(rows);
    m.slot_value  = kernels::host_array(value);
  }

  /// Takes as many rows as a unit has as nodes; returns the row behind them.
  Index add_nodes(Index row)
  {
    const auto end = static_cast<Index>(std::min<std::int64_t>(std::int64_t(row) + unit_rows, a_.rows));
    while (row < end) {
      const Index n = length(row);
      if (n > longest_) {
        long_.push_back(row++);
        continue;
      }
      const Index *const col  = a_.col + a_.row_ptr[row];
      int                same = 1; // rows that have the same columns, up to as many as can be shared out evenly
      while (same < 3 * node_limit_ && row + same < a_.rows && length(row + same) == n &&
             std::equal(col, col + n, a_.col + a_.row_ptr[row + same]))
        ++same;
      const int parts = (same + node_limit_ - 1) / node_limit_, rows = (same + parts - 1) / parts;
      nodes_.push_back({static_cast<Local>(row), rows, static_cast<std::int32_t>(n)});
      row += rows;
      if (nodes_.size() == sorted_nodes) add_slices();
    }
    return row;
  }

  /// Slices of the nodes that there are so far.
  void add_slices()
  {
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [](const Node &m, const Node &n) { return m.rows != n.rows ? m.rows < n.rows : m.length > n.length; });
    for (std::size_t k = 0; k < nodes_.size();) {
      std::size_t end = k;
      while (end < nodes_.size() && end < k + lanes && nodes_[end].rows == nodes_[k].rows) ++end;
      add_slice(nodes_.data() + k, static_cast<int>(end - k));
      k = end;
    }
    nodes_.clear();
  }

  void add_slice(const Node *node, int n)
  {
    Index least = a_.cols, most = 0;
    for (int l = 0; l < n; ++l)
      for (Index i = a_.row_ptr[node[l].row]; i < a_.row_ptr[node[l].row + 1]; ++i) {
        least = std::min(least, a_.col[i]);
        most  = std::max(most, a_.col[i]);
      }
    const bool wide = most - least > 0xffff;
    const auto at   = wide ? column32_.size() : column16_.size();
    slice_.push_back({static_cast<std::int64_t>(at), static_cast<std::int64_t>(value_.size()), static_cast<Local>(least),
                      static_cast<std::uint8_t>(node[0].rows), wide});
    for (int l = 0; l < lanes; ++l) {
      node_row_.push_back(l < n ? node[l].row : -1);
      node_length_.push_back(l < n ? node[l].length : 0);
    }
    for (std::int32_t k = 0; k < node[0].length; ++k) {
      for (int l = 0; l < lanes; ++l) {
        const bool  has    = l < n && k < node[l].length;
        const Index offset = has ? a_.col[a_.row_ptr[node[l].row] + k] - least : 0;
        if (wide) column32_.push_back(static_cast<Local>(offset));
        else column16_.push_back(static_cast<std::uint16_t>(offset));
      }
      for (int i = 0; i < node[0].rows; ++i)
        for (int l = 0; l < lanes; ++l) value_.push_back(l < n && k < node[l].length ? val_[a_.row_ptr[node[l].row + i] + k] : S(0));
    }
  }

  /// Chunks of all long rows.
  void add_chunks()
  {
    const Index      most = static_cast<Index>(chunks_.lanes) * kernels::lane_entries;
    std::vector<int> begins;
    for (std::size_t k = 0; k < long_.size();) {
      Chunk c{static_cast<std::int64_t>(chunk_column_.size()), static_cast<std::int64_t>(segment_row_.size()), 0, 0, done_ > 0, false};
      begins.clear();
      Local last_row = 0;
      while (k < long_.size() && c.entries < most) {
        const Index row = long_[k], from = a_.row_ptr[row] + done_, n = std::min<Index>(a_.row_ptr[row + 1] - from, most - c.entries);
        if (done_ == 0) begins.push_back(c.entries);
        last_row = static_cast<Local>(row);
        segment_row_.push_back(last_row);
        for (Index i = from; i < from + n; ++i) {
          chunk_column_.push_back(static_cast<Local>(a_.col[i]));
          chunk_value_.push_back(val_[i]);
        }
        c.entries += static_cast<std::int32_t>(n);
        c.opens = from + n < a_.row_ptr[row + 1];
        done_   = c.opens ? done_ + n : 0;
        k += !c.opens;
        ++c.segments;
      }
      chunks_.add(begins, c.continues, c.opens, last_row);
      chunk_.push_back(c);
    }
  }

  const CsrView<Scalar, Index> &a_;
  const S                      *val_;
  TileChoice                    kind_;
  bool                          may_code_, rounds_;
  int                           node_limit_;
  std::int64_t                  longest_ = 0;
  std::vector<Node>             nodes_;
  std::vector<Index>            long_;
  Index                         done_ = 0; ///< entries of a long row that are in chunks

  std::vector<Unit>           by_slot_, unit_;
  std::vector<Local>          node_row_, column32_, segment_row_, chunk_column_;
  std::vector<Slice>          slice_;
  std::vector<std::int32_t>   node_length_;
  std::vector<std::uint16_t>  column16_;
  std::vector<S>              value_, chunk_value_;
  std::vector<Chunk>          chunk_;
  kernels::SegmentList<Local> chunks_;

  Groups<Scalar, Index, DeviceGroup> groups_;
  PatternPool<Scalar, DeviceGroup>   pool_;
  std::vector<Scalar>                values_; ///< of the unit at hand
};

} // namespace

template <class Scalar, class Index, class Memory>
Matrix<Scalar, Index, Memory>::Matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
{
  kernels::local_number(a.rows, "rows", "ccoo");
  kernels::local_number(a.cols, "columns", "ccoo");
  Builder<Scalar, Index>(a, options, for_device).finish(*this);
}

template <class Scalar, class Index, class Memory> Facts Matrix<Scalar, Index, Memory>::facts() const
{
  return {{"units", std::to_string(this->unit.extent(0)) + " (" + std::to_string(this->summary.by_slot) + " with values of slots)"},
          {"patterns", std::to_string(this->pattern.extent(0))},
          {"slices", std::to_string(this->slice.extent(0))},
          {"chunks", std::to_string(this->chunk.extent(0))},
          {"values", this->value.coding()}};
}

} // namespace kokkos

template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::make_kokkos_format<kokkos::Matrix>(a, options, execution);
}

#define INSTANTIATE(S, I) template FormatPtr<S, I> through_kokkos(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
