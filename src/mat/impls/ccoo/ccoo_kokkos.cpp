#include "impls/ccoo/ccoo_kokkos.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo.hpp"
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

/// Options of `tile`.
enum class Kind { automatic, diagonal, gather, chunk };

/// The arrays of a matrix as they are found, in the order of rows.
template <class Scalar, class Index> class Builder {
  using S = kernels::KokkosScalar<Scalar>;

  struct Slot {
    Local                                    offset = 0;
    std::array<std::uint32_t, rows_per_lane> rows{};
    std::array<Index, unit_rows>             entry{};
    Index                                    first = 0; ///< entry
    int                                      count = 0;
    bool                                     same  = true; ///< values of all of its entries

    bool has(int row) const { return rows[static_cast<std::size_t>(row / lanes)] >> row % lanes & 1; }
  };

  struct Node {
    Local        row;
    int          rows;
    std::int32_t length;
  };

public:
  Builder(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
    : a_(a), val_(reinterpret_cast<const S *>(a.val)), kind_(static_cast<Kind>(options["tile"])), may_code_(kernels::may_code(options)),
      rounds_(kernels::losing_coding(options) != kernels::plain_coding),
      node_limit_(static_cast<int>(std::min<std::int64_t>(options["node"], most_node_rows))),
      chunks_{for_device ? chunk_lanes
                         : static_cast<int>(std::clamp<std::int64_t>(options["chunk"] / kernels::lane_entries, 1, chunk_lanes)),
              kernels::lane_entries}
  {
    const std::int64_t mean = a.nonzeros() / std::max<Index>(a.rows, 1);
    longest_                = options["longest"] > 0 ? options["longest"] : std::clamp(4 * mean, least_long, most_long);
    if (kind_ == Kind::chunk) longest_ = 0;
    for (Index r = 0; r < a.rows;) r = is_unit(r) ? static_cast<Index>(std::min<std::int64_t>(r + unit_rows, a.rows)) : add_nodes(r);
    add_slices();
    add_chunks();
  }

  template <class Arrays> void finish(Arrays &m)
  {
    using kernels::host_array;
    m.summary = {static_cast<Local>(a_.rows), static_cast<std::int64_t>(by_slot_.size()), chunks_.lanes};
    by_slot_.insert(by_slot_.end(), unit_.begin(), unit_.end());
    m.unit         = host_array(by_slot_);
    m.pattern      = host_array(pattern_);
    m.slot_offset  = host_array(slot_offset_);
    m.slot_rows    = host_array(slot_rows_);
    m.slot_value   = host_array(slot_value_);
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
    if (kind_ == Kind::gather || kind_ == Kind::chunk) return false;
    const int    rows    = static_cast<int>(std::min<Index>(unit_rows, a_.rows - first));
    const auto   entries = static_cast<double>(a_.row_ptr[first + rows] - a_.row_ptr[first]);
    const double fill    = kind_ == Kind::diagonal ? least_asked_fill : least_fill;
    const auto   most    = static_cast<std::size_t>(std::min(entries / (rows * fill), most_slots));
    std::size_t  next    = 0; // neighbours mostly have the next slot
    slots_.clear();
    for (int k = 0; k < rows; ++k) {
      const Index row = first + k;
      for (Index i = a_.row_ptr[row]; i < a_.row_ptr[row + 1]; ++i) {
        Slot *const slot = slot_for(static_cast<Local>(a_.col[i] - row), k, next);
        if (slots_.size() > most) return false;
        if (slot->count++ == 0) slot->first = i;
        slot->same = slot->same && kernels::same_bits(val_[i], val_[slot->first]);
        slot->rows[static_cast<std::size_t>(k / lanes)] |= std::uint32_t(1) << k % lanes;
        slot->entry[static_cast<std::size_t>(k)] = i;
      }
    }
    add_unit(static_cast<Local>(first));
    return true;
  }

  /// That of this offset which row k of the unit does not have yet; a new one, if there is none.
  Slot *slot_for(Local offset, int k, std::size_t &next)
  {
    for (std::size_t tried = 0; tried < slots_.size(); ++tried, ++next) {
      if (next >= slots_.size()) next = 0;
      if (slots_[next].offset == offset && !slots_[next].has(k)) return &slots_[next++];
    }
    slots_.emplace_back().offset = offset;
    next                         = slots_.size();
    return &slots_.back();
  }

  void add_unit(Local row)
  {
    const auto is_full = [](const Slot &s) { return s.count == unit_rows; };
    std::stable_sort(slots_.begin(), slots_.end(),
                     [&](const Slot &s, const Slot &t) { return is_full(s) != is_full(t) ? is_full(s) : s.offset < t.offset; });
    const bool by_slot = may_code_ && std::all_of(slots_.begin(), slots_.end(), [](const Slot &s) { return s.same; });
    Unit       unit{row, pattern(by_slot), 0};
    if (by_slot) {
      by_slot_.push_back(unit);
      return;
    }
    unit.value = static_cast<std::int64_t>(value_.size());
    unit_.push_back(unit);
    for (const Slot &s : slots_)
      for (int k = 0; k < unit_rows; ++k) value_.push_back(s.has(k) ? val_[s.entry[static_cast<std::size_t>(k)]] : S(0));
  }

  /// The number of the pattern that the slots are, with one value each or none.
  std::uint32_t pattern(bool by_slot)
  {
    std::string key(1, by_slot ? 'v' : ' ');
    const auto  add = [&key](const auto &thing) { key.append(reinterpret_cast<const char *>(&thing), sizeof thing); };
    for (const Slot &s : slots_) {
      add(s.offset);
      add(s.rows);
      if (by_slot) add(val_[s.first]);
    }
    const auto [found, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(pattern_.size()));
    if (!is_new) return found->second;
    Pattern p{static_cast<std::uint32_t>(slot_offset_.size()), static_cast<std::uint32_t>(slots_.size()), 0};
    for (const Slot &s : slots_) {
      p.full += s.count == unit_rows;
      slot_offset_.push_back(s.offset);
      slot_rows_.insert(slot_rows_.end(), s.rows.begin(), s.rows.end());
      slot_value_.push_back(by_slot ? val_[s.first] : S(0));
    }
    pattern_.push_back(p);
    return found->second;
  }

  /// Takes as many rows as a unit has as nodes; returns the row behind them.
  Index add_nodes(Index row)
  {
    const Index end = static_cast<Index>(std::min<std::int64_t>(std::int64_t(row) + unit_rows, a_.rows));
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

  const CsrView<Scalar, Index>                  &a_;
  const S                                       *val_;
  Kind                                           kind_;
  bool                                           may_code_, rounds_;
  int                                            node_limit_;
  std::int64_t                                   longest_ = 0;
  std::vector<Slot>                              slots_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<Node>                              nodes_;
  std::vector<Index>                             long_;
  Index                                          done_ = 0; ///< entries of a long row that are in chunks

  std::vector<Unit>           by_slot_, unit_;
  std::vector<Pattern>        pattern_;
  std::vector<Local>          slot_offset_, node_row_, column32_, segment_row_, chunk_column_;
  std::vector<std::uint32_t>  slot_rows_;
  std::vector<Slice>          slice_;
  std::vector<std::int32_t>   node_length_;
  std::vector<std::uint16_t>  column16_;
  std::vector<S>              slot_value_, value_, chunk_value_;
  std::vector<Chunk>          chunk_;
  kernels::SegmentList<Local> chunks_;
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
