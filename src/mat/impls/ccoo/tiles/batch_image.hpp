#pragma once

/// \file batch_image.hpp
/// Batches: a small matrix on a device, whose product takes as long as loads that wait for each other do, and the
/// instructions between them.
///
/// A batch is 1024 entries of whole rows. Where the entries of a batch lie follows from its number alone, so that a
/// product waits for memory twice: for columns, values and what else there is of a batch, all at once, and then for x.
/// Products of a block of threads meet in shared memory, where as many lanes sum a row as there are for each row of the
/// batch. Columns and values are in the order that they have in the rows; what is left of a batch behind its last row
/// is zeros. All batches have one coding of values and one width of columns.
///
/// ```
/// rows        7: a b c    8: (none)    9: long    10: d e
/// ends        0 3 3 3* 5  * in another batch
/// values      a b c d e 0 0 ...
/// ```
///
/// Rows are in order, but for those so long that the others of the batch would wait for them: these are in batches of
/// their own, with a list of them, eight at most, and a warp sums each; or, where a device does not work on all batches
/// at a time, the longest one left and then the longest ones that fit, as many as there are lanes for. Rows of more
/// than 1024 entries are in parts, in batches that come first and have nothing else: one after the other, so that only
/// the last of these batches is not full. The block of threads in whose batch such a row ends adds its parts, as soon
/// as the others are there. Matrices with more such rows than a device works on batches at a time are not in batches.
///
/// ```
/// rows in parts   3 and 8, of 2000 and 1100 entries
/// batches         3 3 3 3 | 3 3 3 8 | 8 8 8 8 | 8     rows = 0, 976, 0, 28 end; the block of threads of the second one waits for the first one
/// ```

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/alike.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::ccoo::image {

/// The values of the option `batches`.
enum class BatchChoice { automatic, never, always };

constexpr std::uint16_t end_of(std::uint16_t word)
{
  return static_cast<std::uint16_t>(word & ~Batch::elsewhere);
}

/// The column that columns of a batch are relative to.
inline Local least_column(const Batch &b)
{
  return b.kind == Batch::part ? 0 : static_cast<Local>(b.least);
}

/// Which rows are in which batch.
template <class Scalar, class Index> class BatchRows {
  static constexpr Local most = device_batch_entries, most_rows = device_batch_entries - 1; // a thread brings four ends
  static_assert(device_batch_entries < int(Batch::elsewhere));

public:
  BatchRows(const CsrView<Scalar, Index> &a, Image<Scalar> &m) : a_(a), m_(m)
  {
    std::int64_t filled = 0;
    for (Local r = 0; r < m.rows; ++r) filled += length(r) > 0;
    mean_ = a.nonzeros() / std::max<std::int64_t>(filled, 1);
    set_long(tuning::device_long_factor);
    by_length_ = a.nonzeros() >= tuning::device_least_filled && !needs_order();
    if (by_length_) set_long(tuning::device_long_factor_filled);
  }

  /// Those that take longest first.
  void run()
  {
    for (Local r = 0; r < m_.rows; ++r)
      if (length(r) > most) add_parts(r);
    list_rows();
    for (Local r = 0; r < m_.rows;) r = add_in_order(r);
  }

private:
  std::int64_t length(Local r) const { return a_.row_ptr[r + 1] - a_.row_ptr[r]; }
  bool         is_long(Local r) const { return length(r) > long_; }
  void         set_long(std::int64_t factor) { long_ = std::min<std::int64_t>(most, std::max(tuning::device_least_long, factor * mean_)); }

  /// From where the row in parts before it ends: only the last batch of all of them is not full.
  void add_parts(Local row)
  {
    const bool   shares = !m_.batch.empty() && m_.batch.back().least < static_cast<std::uint32_t>(most);
    const auto   first  = static_cast<std::uint32_t>(m_.batch.size()) - shares;
    std::int64_t left   = length(row);
    if (shares) {
      left -= most - m_.batch.back().least;
      m_.batch.back().least = most;
    }
    while (left > 0) {
      const auto n = static_cast<std::uint16_t>(std::min<std::int64_t>(most, left));
      left -= n;
      m_.batch.push_back({row, first, left > 0 ? std::uint16_t(0) : n, 0, 0, Batch::part, n});
    }
    ++m_.rows_in_parts;
  }

  /// Long rows that are not in parts.
  std::vector<Local> rows_to_list() const
  {
    std::vector<Local> rows;
    for (Local r = 0; r < m_.rows; ++r)
      if (is_long(r) && length(r) <= most) rows.push_back(r);
    return rows;
  }
  void list_rows()
  {
    if (by_length_) list_by_length(rows_to_list());
    else list_in_order(rows_to_list());
  }
  void list_in_order(const std::vector<Local> &rows)
  {
    for (const Local r : rows) {
      if (ends_.size() > rows_together(most) || ends_.back() + length(r) > most) close(Batch::listed, first_listed_);
      list(r);
    }
    close(Batch::listed, first_listed_);
  }
  /// Each batch gets the longest row that is left, and then the longest one that fits, again and again.
  void list_by_length(const std::vector<Local> &rows)
  {
    std::map<std::int64_t, std::vector<Local>> left;
    for (const Local r : rows) left[length(r)].push_back(r);
    while (!left.empty()) {
      const std::size_t together = rows_together(left.rbegin()->first);
      for (auto next = left.end(); ends_.size() <= together && next != left.begin(); next = left.upper_bound(most - ends_.back())) {
        --next;
        list(next->second.back());
        next->second.pop_back();
        if (next->second.empty()) left.erase(next);
      }
      close(Batch::listed, first_listed_);
    }
  }
  /// How many rows a batch lists whose longest one has so many entries.
  static std::size_t rows_together(std::int64_t longest)
  {
    return tuning::device_listed_steps * device_batch_threads / static_cast<std::size_t>(longest);
  }
  /// One more of the batch that is being listed.
  void list(Local row)
  {
    m_.batch_row.push_back(row);
    ends_.push_back(static_cast<std::uint16_t>(ends_.back() + length(row)));
  }

  /// Whether columns may have 16 bits only as long as rows that are side by side are in one batch.
  bool needs_order() const
  {
    constexpr Index          narrow = std::numeric_limits<std::uint16_t>::max();
    const std::vector<Local> rows   = rows_to_list();
    return m_.cols > narrow && std::all_of(rows.begin(), rows.end(), [this](Local r) {
             const auto [low, high] = std::minmax_element(a_.col + a_.row_ptr[r], a_.col + a_.row_ptr[r + 1]);
             return *high - *low <= narrow;
           });
  }

  /// Rows from `row` on. Returns the next one.
  Local add_in_order(Local row)
  {
    const Local first   = row;
    Local       entries = 0;
    for (; row < m_.rows && row - first < most_rows; ++row) {
      if (!is_long(row)) entries += static_cast<Local>(length(row));
      if (entries > most) break;
      ends_.push_back(static_cast<std::uint16_t>(is_long(row) ? entries | Batch::elsewhere : entries));
    }
    close(Batch::in_order, first);
    return row;
  }

  /// A batch with the ends that have been found, if there are some.
  void close(Batch::Rows kind, Local first)
  {
    const auto rows = static_cast<Local>(ends_.size() - 1);
    if (rows > 0) {
      const auto end   = counted(m_.batch_end.size() / Batch::end_grain, "rows");
      const auto lanes = lanes_of(rows, end_of(ends_.back()));
      m_.batch.push_back({first, end, static_cast<std::uint16_t>(rows), lanes, pays_by_fours(lanes), kind, 0});
      ends_.resize((ends_.size() + Batch::end_grain - 1) / Batch::end_grain * Batch::end_grain);
      m_.batch_end.insert(m_.batch_end.end(), ends_.begin(), ends_.end());
    }
    ends_.assign(1, 0);
    first_listed_ = static_cast<Local>(m_.batch_row.size());
  }

  /// As many lanes for each row as there are, but no more than have something to do.
  static std::uint8_t lanes_of(Local rows, Local entries)
  {
    std::uint8_t k = 0;
    while ((lanes >> k) > 1 && rows << (k + 1) <= device_batch_threads && entries > rows << k) ++k;
    return k;
  }

  /// Whether a row has so much for each of its lanes that adding fours first is faster. There are so many lanes that
  /// those of a row have what is left over.
  bool pays_by_fours(int lanes) const
  {
    const auto is_long = [lanes](std::uint16_t begin, std::uint16_t end) {
      return (end_of(end) - end_of(begin)) >> lanes > tuning::device_most_summed_alone;
    };
    return lanes >= 2 && std::adjacent_find(ends_.begin(), ends_.end(), is_long) != ends_.end();
  }

  const CsrView<Scalar, Index> &a_;
  Image<Scalar>                &m_;
  std::int64_t                  mean_;      // entries of rows that have some
  std::int64_t                  long_;      // entries of a row from which on it is not among others
  bool                          by_length_; // long rows are not in the order of the matrix
  std::vector<std::uint16_t>    ends_{0};
  Local                         first_listed_ = 0;
};

/// Calls visit(row, first place in batch i, entries) for each row that it has entries of.
template <class Scalar, class Visit> void for_each_row(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  const Batch &b = m.batch[i];
  if (b.kind == Batch::part) {
    visit(b.row, 0U, b.rows > 0 ? b.rows : b.least);
    if (b.rows > 0 && b.rows < b.least) visit(m.batch[i + 1].row, std::uint32_t(b.rows), b.least - b.rows);
    return;
  }
  const std::uint16_t *const end = m.batch_end.data() + b.end * std::size_t(Batch::end_grain);
  for (Local r = 0; r < b.rows; ++r) {
    const std::uint32_t begin = end_of(end[r]), n = end_of(end[r + 1]) - begin;
    if (n > 0)
      visit(b.kind == Batch::listed ? m.batch_row[static_cast<std::size_t>(b.row) + static_cast<std::size_t>(r)] : b.row + r, begin, n);
  }
}

/// Calls visit(first place in batch i, entry of the matrix, entries), row by row.
template <class Scalar, class Index, class Visit>
void for_each_run(const CsrView<Scalar, Index> &a, const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  const Batch &b = m.batch[i];
  const auto   before =
    b.kind == Batch::part ? entries_before(b, m.batch[b.end], static_cast<std::int64_t>(i)) : 0; // of the row that the batch begins with
  for_each_row(m, i, [&](Local row, std::uint32_t place, std::uint32_t n) {
    visit(place, a.row_ptr[row] + static_cast<Index>(place == 0 ? before : 0), static_cast<Index>(n));
  });
}

/// The least column of each batch, and how wide columns are from there on.
template <class Scalar, class Index> void set_columns(const CsrView<Scalar, Index> &a, Columns narrowest, Image<Scalar> &m)
{
  std::int64_t widest = 0;
  for (std::size_t i = 0; i < m.batch.size(); ++i) {
    Index least = std::numeric_limits<Index>::max(), highest = -1;
    for_each_run(a, m, i, [&](std::uint32_t, Index entry, Index n) {
      const auto [low, high] = std::minmax_element(a.col + entry, a.col + entry + n);
      least                  = std::min(least, *low);
      highest                = std::max(highest, *high);
    });
    if (m.batch[i].kind == Batch::part) least = 0; // there is no place for it
    else m.batch[i].least = highest < 0 ? 0 : static_cast<std::uint32_t>(least);
    if (highest >= 0) widest = std::max(widest, std::int64_t(highest) - least);
  }
  m.batch_wide = columns_for(widest, narrowest) == Columns::bits32;
}

/// Columns and values of batches first .. last - 1.
template <class Scalar, class Index>
void fill_batches(const CsrView<Scalar, Index> &a, const std::vector<Scalar> &table, std::int64_t first, std::int64_t last,
                  Image<Scalar> &m)
{
  constexpr std::size_t         n     = device_batch_entries;
  const std::size_t             width = m.batch_wide ? 4 : 2, bytes = image::coded_bytes<Scalar>(m.batch_coding, n);
  kernels::ValueEncoder<Scalar> encoder;
  std::vector<Scalar>           values(n);
  std::vector<std::byte>        coded(n * sizeof(Scalar) + kernels::coded_slack);
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
    std::byte *const column = m.batch_column.data() + i * n * width;
    const Local      least  = least_column(m.batch[i]);
    std::size_t      filled = 0;
    std::memset(column, 0, n * width);
    for_each_run(a, m, i, [&](std::uint32_t place, Index entry, Index length) {
      std::copy(a.val + entry, a.val + entry + length, values.data() + place);
      for (Index k = 0; k < length; ++k) {
        const auto offset = static_cast<std::uint32_t>(static_cast<Local>(a.col[entry + k]) - least); // its low bytes come first
        std::memcpy(column + (place + static_cast<std::size_t>(k)) * width, &offset, width);
      }
      filled = place + static_cast<std::size_t>(length);
    });
    std::fill(coded.begin(), coded.end(), std::byte(0));
    encoder.encode(m.batch_coding, table, {values.data(), filled}, coded.data());
    if (bytes > 0) std::memcpy(m.batch_value.data() + i * bytes, coded.data(), bytes);
  }
}

/// Whether there are so many raw values that other pieces are as fast, if most rows are short and not cut.
template <class Scalar, class Index> bool is_plain(const CsrView<Scalar, Index> &a, const Image<Scalar> &m)
{
  if (m.batch_coding != Coding::raw || a.nonzeros() <= tuning::device_most_batched_plain) return false;
  const auto listed = std::count_if(m.batch.begin(), m.batch.end(), [](const Batch &b) { return b.kind != Batch::in_order; });
  return static_cast<std::size_t>(listed) * tuning::device_batches_per_listed < m.batch.size();
}

/// Whether other pieces are faster than these batches: of nodes and of stencils, if most rows have the columns of the
/// row before them or those beside them; hot columns, if many rows are cut.
template <class Scalar, class Index> bool is_too_large(const CsrView<Scalar, Index> &a, const Image<Scalar> &m)
{
  if (m.rows_in_parts > tuning::device_most_in_parts && a.nonzeros() > tuning::device_most_batched_in_parts) return true;
  const kernels::RowsAlike rows = kernels::look_at_rows(a);
  return rows.mostly(rows.columns + rows.offsets) ? a.nonzeros() > tuning::device_most_batched_alike : is_plain(a, m);
}

/// What there are numbers for.
inline constexpr std::int64_t most_in_batches = std::int64_t(device_batch_entries) * std::numeric_limits<std::uint16_t>::max();

/// Whether options and size ask for batches.
template <class Scalar, class Index> bool wants_batches(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  const auto choice = static_cast<BatchChoice>(options["batches"]);
  if (a.nonzeros() == 0) return false;
  if (choice != BatchChoice::automatic) return choice == BatchChoice::always && a.nonzeros() <= most_in_batches;
  if (static_cast<TileChoice>(options["tile"]) != TileChoice::automatic) return false;
  return a.nonzeros() <= tuning::device_most_batched;
}

/// What a matrix of so many bytes as CSR may take.
constexpr std::size_t most_bytes(std::int64_t csr)
{
  return static_cast<std::size_t>(csr + csr / 50 + (1 << 16));
}

/// What there is of a matrix in batches without columns and values; sums of parts, too.
template <class Scalar> std::size_t bytes_besides(const Image<Scalar> &m)
{
  return m.batch.size() * sizeof(Batch) + m.batch_end.size() * sizeof(std::uint16_t) + m.batch_row.size() * sizeof(Local) +
         m.table.size() * sizeof(Scalar) + (m.rows_in_parts > 0 ? m.batch.size() * sizeof(Scalar) : 0);
}

/// A matrix that wants batches in them; nothing if it is too large for that, would take too many bytes, or has more
/// than so many rows in parts, which wait for blocks of threads. Throws FormatError and std::bad_alloc.
template <class Scalar, class Index>
std::optional<Image<Scalar>> batched_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads,
                                           std::size_t most_waiting = tuning::device_most_waiting)
{
  const std::int64_t            csr   = kernels::csr_bytes(a);
  const Rules                   rules = Rules::on_device(options, csr);
  kernels::TableBuilder<Scalar> tables(rules.coding);
  const kernels::CodingChoice   choice = tables.choose({a.val, static_cast<std::size_t>(a.nonzeros())});
  Image<Scalar>                 m;
  m.rows               = kernels::local_number(a.rows, "rows", "ccoo");
  m.cols               = kernels::local_number(a.cols, "columns", "ccoo");
  m.entries_in_batches = a.nonzeros();
  m.batch_coding       = choice.coding;
  m.long_tables        = kernels::table_limit(choice.coding) > 16;
  BatchRows<Scalar, Index>(a, m).run();
  if (m.rows_in_parts > most_waiting) return {};
  const bool forced = static_cast<BatchChoice>(options["batches"]) == BatchChoice::always;
  if (!forced && is_too_large(a, m)) return {};
  set_columns(a, rules.narrowest, m);
  const auto all = std::move(tables).tables();
  if (kernels::table_limit(choice.coding) > 0) m.table = all[choice.table];
  const std::size_t entries = m.batch.size() * device_batch_entries, columns = entries * (m.batch_wide ? 4 : 2),
                    values = image::coded_bytes<Scalar>(m.batch_coding, entries);
  if (!forced && columns + values + bytes_besides(m) > most_bytes(csr)) return {};
  m.batch_column                  = Room<std::byte>(columns);
  m.batch_value                   = Room<std::byte>(values);
  constexpr std::int64_t together = 16;
  kernels::try_each_batch(threads, std::ssize(m.batch), together,
                          [&](std::int64_t first, std::int64_t last) { fill_batches(a, m.table, first, last, m); });
  return m;
}

/// Calls visit(row, column, value) for each entry of batch i, row by row.
template <class Scalar, class Visit> void decode_batch(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  constexpr std::size_t  n     = device_batch_entries;
  const std::byte *const col   = m.batch_column.data() + i * n * (m.batch_wide ? 4 : 2);
  const Local            least = least_column(m.batch[i]);
  kernels::with_coding(m.batch_coding, m.batch_value.data() + i * image::coded_bytes<Scalar>(m.batch_coding, n), m.table.data(),
                       [&](const auto &values) {
                         for_each_row(m, i, [&](Local row, std::uint32_t place, std::uint32_t length) {
                           for (std::uint32_t k = place; k < place + length; ++k) {
                             const auto offset = m.batch_wide ? kernels::read_as<std::uint32_t>(col + std::size_t(4) * k)
                                                              : kernels::read_as<std::uint16_t>(col + std::size_t(2) * k);
                             visit(row, least + static_cast<Local>(offset), values[k]);
                           }
                         });
                       });
}

} // namespace petscspmv::ccoo::image
