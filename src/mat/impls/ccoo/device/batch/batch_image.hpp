#pragma once

/// \file batch_image.hpp
/// When a matrix is in batches, and how these are made and decoded.

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/batch/batch_rows.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/coding/encoder.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/parallel.hpp"
#include "impls/ccoo/plan/alike.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::ccoo::image {

/// Calls visit(row, first place in batch i, entries) for each row that it has entries of.
template <class Scalar, class Visit> void for_each_row(const Batches<Scalar> &m, std::size_t i, const Visit &visit)
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
void for_each_run(const CsrView<Scalar, Index> &a, const Batches<Scalar> &m, std::size_t i, const Visit &visit)
{
  const Batch &b = m.batch[i];
  const auto   before =
    b.kind == Batch::part ? entries_before(b, m.batch[b.end], static_cast<std::int64_t>(i)) : 0; // of the row that the batch begins with
  for_each_row(m, i, [&](Local row, std::uint32_t place, std::uint32_t n) {
    visit(place, a.row_ptr[row] + static_cast<Index>(place == 0 ? before : 0), static_cast<Index>(n));
  });
}

/// The least column of each batch, and how wide columns are from there on.
template <class Scalar, class Index> void set_columns(const CsrView<Scalar, Index> &a, Columns narrowest, Batches<Scalar> &m)
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
                  Batches<Scalar> &m)
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
template <class Scalar, class Index> bool is_plain(const CsrView<Scalar, Index> &a, const Batches<Scalar> &m)
{
  if (m.batch_coding != kernels::plain_coding || a.nonzeros() <= tuning::device_most_batched_plain) return false;
  const auto listed = std::count_if(m.batch.begin(), m.batch.end(), [](const Batch &b) { return b.kind != Batch::in_order; });
  return static_cast<std::size_t>(listed) * tuning::device_batches_per_listed < m.batch.size();
}

/// Whether other pieces are faster than these batches: of nodes and of stencils, if most rows have the columns of the
/// row before them or those beside them; hot columns, if many rows are cut.
template <class Scalar, class Index> bool is_too_large(const CsrView<Scalar, Index> &a, const Batches<Scalar> &m)
{
  if (m.rows_in_parts > tuning::device_most_in_parts && a.nonzeros() > tuning::device_most_batched_in_parts) return true;
  const RowsAlike rows = look_at_rows(a);
  return rows.mostly(rows.columns + rows.offsets) ? a.nonzeros() > tuning::device_most_batched_alike : is_plain(a, m);
}

/// What there are numbers for.
inline constexpr std::int64_t most_in_batches = std::int64_t(device_batch_entries) * std::numeric_limits<std::uint16_t>::max();

/// Whether options and size ask for batches.
template <class Scalar, class Index> bool wants_batches(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  const When choice = options[batches_option];
  if (a.nonzeros() == 0) return false;
  if (choice != When::automatic) return choice == When::always && a.nonzeros() <= most_in_batches;
  if (options[tile_option] != TileChoice::automatic) return false;
  return a.nonzeros() <= tuning::device_most_batched;
}

/// What a matrix of so many bytes as CSR may take.
constexpr std::size_t most_bytes(std::int64_t csr)
{
  return static_cast<std::size_t>(csr + csr / 50 + (1 << 16));
}

/// What there is of a matrix in batches without columns and values; sums of parts, too.
template <class Scalar> std::size_t bytes_besides(const Batches<Scalar> &m)
{
  return m.batch.size() * sizeof(Batch) + m.batch_end.size() * sizeof(std::uint16_t) + m.batch_row.size() * sizeof(Local) +
         m.batch_table.size() * sizeof(Scalar) + (m.rows_in_parts > 0 ? m.batch.size() * sizeof(Scalar) : 0);
}

/// A matrix that wants batches in them; nothing if it is too large for that, would take too many bytes, or has more
/// than so many rows in parts, which wait for blocks of threads. Throws FormatError and std::bad_alloc.
template <class Scalar, class Index>
std::optional<Batches<Scalar>> batched_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads,
                                             std::size_t most_waiting = tuning::device_most_waiting)
{
  const std::int64_t            csr = kernels::csr_bytes(a);
  const DeviceRules             rules(options, csr);
  kernels::TableBuilder<Scalar> tables(rules.coding);
  const kernels::CodingChoice   choice = tables.choose({a.val, static_cast<std::size_t>(a.nonzeros())});
  kernels::local_number(a.rows, "rows", "ccoo");
  kernels::local_number(a.cols, "columns", "ccoo");
  Batches<Scalar> m;
  m.entries_in_batches = a.nonzeros();
  m.batch_coding       = choice.coding;
  BatchRows<Scalar, Index>(a, m).run();
  if (m.rows_in_parts > most_waiting) return {};
  const bool forced = options[batches_option] == When::always;
  if (!forced && is_too_large(a, m)) return {};
  set_columns(a, rules.narrowest, m);
  const auto all = std::move(tables).tables();
  if (kernels::table_limit(choice.coding) > 0) m.batch_table = all[choice.table];
  const std::size_t entries = m.batch.size() * device_batch_entries, columns = entries * (m.batch_wide ? 4 : 2),
                    values = image::coded_bytes<Scalar>(m.batch_coding, entries);
  if (!forced && columns + values + bytes_besides(m) > most_bytes(csr)) return {};
  m.batch_column                  = Room<std::byte>(columns);
  m.batch_value                   = Room<std::byte>(values);
  constexpr std::int64_t together = 16;
  kernels::try_each_batch(threads, std::ssize(m.batch), together,
                          [&](std::int64_t first, std::int64_t last) { fill_batches(a, m.batch_table, first, last, m); });
  return m;
}

/// Calls visit(row, column, value) for each entry of batch i, row by row.
template <class Scalar, class Visit> void decode_batch(const Batches<Scalar> &m, std::size_t i, const Visit &visit)
{
  constexpr std::size_t  n     = device_batch_entries;
  const std::byte *const col   = m.batch_column.data() + i * n * (m.batch_wide ? 4 : 2);
  const Local            least = least_column(m.batch[i]);
  kernels::with_coding(m.batch_coding, m.batch_value.data() + i * image::coded_bytes<Scalar>(m.batch_coding, n), m.batch_table.data(),
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

template <> struct HostKind<BatchKind> {
  template <class Scalar, class Index> static void make(const Source<Scalar, Index> &, Batches<Scalar> &) { } ///< batched_image() does
  template <class Scalar, class Visit> static void decode(const Batches<Scalar> &m, const Visit &visit)
  {
    for (std::size_t i = 0; i < m.batch.size(); ++i) decode_batch(m, i, visit);
  }
  /// Nothing if there are none: then others are all there is.
  template <class Scalar> static Facts facts(const Batches<Scalar> &m)
  {
    if (m.batch.empty()) return {};
    const auto of_kind = [&m](Batch::Rows kind) {
      return std::to_string(std::count_if(m.batch.begin(), m.batch.end(), [kind](const Batch &b) { return b.kind == kind; }));
    };
    return {{"batches of 1024 entries", std::to_string(m.batch.size())},
            {"batches of long rows", of_kind(Batch::listed)},
            {"batches of parts of rows", of_kind(Batch::part)},
            {"cut rows", std::to_string(m.rows_in_parts)},
            {"bits of a column", m.batch_wide ? "32" : "16"},
            {"values of batches", std::string(kernels::coding_names[m.batch_coding])}};
  }
};

} // namespace petscspmv::ccoo::image
