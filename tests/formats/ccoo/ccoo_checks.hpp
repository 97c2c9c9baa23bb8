#pragma once

/// \file ccoo_checks.hpp
/// What the tests of ccoo share: building one with options, what it says of itself, and what its decoder yields.

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "impls/ccoo/ccoo_host.hpp"
#include "impls/ccoo/device/matrix.hpp"
#include "kernels/coding/tables.hpp"
#include "formats/settings.hpp"
#include "support/formats.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

using CcooTypes = ::testing::Types<Ccoo<double, std::int32_t>, Ccoo<double, std::int64_t>, Ccoo<std::complex<double>, std::int32_t>,
                                   Ccoo<std::complex<double>, std::int64_t>>;

/// The values of the options `tile`, `strips`, `stores`, `columns`, `batches` and `values`.
enum TileOption { tile_auto, tile_diagonal, tile_gather, tile_chunk };
enum StripsOption { strips_auto, strips_never, strips_always };
enum StoresOption { stores_auto, stores_cached, stores_streamed };
enum ColumnsOption { columns_8, columns_16, columns_32 };
enum BatchesOption { batches_auto, batches_never, batches_always };
enum ValuesOption { values_auto, values_constant, values_table16, values_table256, values_table65536, values_fp32, values_raw };

/// The defaults, but for these.
inline OptionValues ccoo_options(const Settings &settings)
{
  return options_of<Ccoo<double, std::int32_t>>(settings);
}

/// The same, with what is on a device for large matrices.
inline Settings as_if_large(Settings settings = {})
{
  settings.emplace_back("batches", batches_never);
  return settings;
}

template <class F> using CcooFixture = SettingsFixture<F>;

/// Rows of a line of a grid in which some points are missing, so that those of the lines around it are at distances
/// that change, with values of a few kinds: units of 128 rows are hardly ever alike, rows are often.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> rows_of_few_kinds(Index rows)
{
  CsrMatrix<Scalar, Index> a;
  a.cols = rows;
  for (Index r = 0; r < rows; ++r) {
    const Index        piece = r / 17, line = 150 + piece % 4;
    std::vector<Index> columns;
    for (const Index c : {r - line, r - 1, r, r + 1, r + line})
      if (c >= 0 && c < rows && (r % 400 != 9 || c == r)) columns.push_back(c);
    if (r % 1000 == 3) columns.clear();
    a.add_row(columns);
    const auto first = static_cast<std::size_t>(a.row_ptr[r]);
    a.val.resize(a.col.size());
    for (std::size_t k = first; k < a.col.size(); ++k)
      a.val[k] = Scalar(0.1 * static_cast<double>(piece * 7 % 5 + 3 * (a.col[k] == r) + (a.col[k] > r ? 1 : 2)));
  }
  return a;
}

/// A graph most of whose entries are in a few thousand of many columns. Columns of a row may repeat and do not ascend.
/// Some rows are long, some stretches have rows of up to two entries, and rows without any between them. The last row
/// has an entry in each 73rd column.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> graph_with_hot_columns(Index rows)
{
  auto a = Patterns<Scalar, Index>::random(rows, rows, 83, [](Index r, auto &) {
    return r % 997 < 20 ? Index(0) : r % 97 == 0 ? Index(700) : r / 20000 % 3 == 1 ? r % 3 : Index(18);
  });
  for (std::size_t k = 0; k < a.col.size(); ++k)
    if (k % 3 != 0) a.col[k] = static_cast<Index>(a.col[k] % 4000 * 73);
  std::vector<Index> columns;
  for (Index c = 0; c < rows; c += 73) columns.push_back(c);
  a.add_row(columns);
  for (std::size_t k = a.col.size() - columns.size(); k < a.col.size(); ++k) a.val[k] = Scalar(0.001 * static_cast<double>(a.col[k]));
  return a;
}

/// A band in which each row has few columns in common with its neighbours, and rows that have many entries anywhere.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> wide_band(Index rows)
{
  Random<Scalar>           random(86);
  CsrMatrix<Scalar, Index> a;
  a.cols = rows;
  for (Index r = 0; r < rows; ++r) {
    std::vector<Index> columns;
    const bool         is_long = r % 9001 == 77;
    for (Index k = is_long ? rows / 4 : 32; k > 0; --k)
      columns.push_back(is_long ? static_cast<Index>(4 * k - 1)
                                : std::clamp<Index>(r + static_cast<Index>(random.integer(-11000, 11000)), 0, rows - 1));
    std::sort(columns.begin(), columns.end());
    a.add_row(columns);
  }
  a.val.resize(a.col.size());
  for (Scalar &v : a.val) v = random.number();
  return a;
}

/// Diagonals beside each other some of which have one value, with holes or without, and columns that occur twice.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> some_constant_diagonals(Index rows, Index entries, bool holes)
{
  CsrMatrix<Scalar, Index> a;
  a.cols = rows - 1 + entries;
  for (Index r = 0; r < rows; ++r) {
    auto columns = Patterns<Scalar, Index>::range(r, r + entries);
    if (holes && r % 5 == 3) columns.erase(columns.begin() + 2);
    if (holes && r % 40 < 8) columns[1] = columns[0];
    a.add_row(columns);
  }
  a.val.resize(a.col.size());
  for (Index r = 0; r < rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      a.val[static_cast<std::size_t>(k)] =
        Scalar(a.col[k] - r == 2 || a.col[k] - r == 4 ? 0.1 * static_cast<double>(k) : 1000.0 + static_cast<double>(a.col[k] - r));
  return a;
}

/// Bytes of the arrays of the footprint whose names have one of the words.
template <class F> std::size_t bytes_of(const F &format, std::initializer_list<std::string_view> words)
{
  std::size_t bytes = 0;
  bool        found = false;
  for (const auto &array : format.footprint().arrays)
    if (std::any_of(words.begin(), words.end(), [&](std::string_view w) { return array.name.find(w) != std::string::npos; })) {
      bytes += array.bytes;
      found = true;
    }
  EXPECT_TRUE(found);
  return bytes;
}

/// Bytes of values and their tables.
template <class F> std::size_t value_bytes(const F &format)
{
  return bytes_of(format, {"values"});
}

/// Bytes of orders, lengths, columns, and of what there is of that in chunks.
template <class F> std::size_t structure_bytes(const F &format)
{
  return bytes_of(format, {"columns", "orders"});
}

/// The number in front of a fact such as "12 (values: raw 12)".
template <class F> std::int64_t counted(const F &format, std::string_view name)
{
  return std::stoll(fact(format, name));
}

/// "k tiles have coding c": the number behind the name of a coding in a fact, or 0.
template <class F> std::int64_t counted(const F &format, std::string_view name, const std::string &coding)
{
  const std::string text = fact(format, name);
  const std::size_t at   = text.find(coding + " ");
  return at == std::string::npos ? 0 : std::stoll(text.substr(at + coding.size()));
}

/// Calls visit(row, column, value) for every entry as it is kept: of an image, or of a ccoo on the host or on a device.
template <class F, class Visit> void decode(const F &format, const Visit &visit)
{
  if constexpr (requires { format.decode(visit); }) format.decode(visit);
  else {
    using Scalar = typename F::scalar_type;
    using Index  = typename F::index_type;
    if (const auto *host = dynamic_cast<const ccoo::HostMatrix<Scalar, Index> *>(&format.format())) host->decode(visit);
    else dynamic_cast<const ccoo::DeviceMatrix<Scalar, Index> &>(format.format()).image().decode(visit);
  }
}

/// Empty if the decoder yields every entry of `a` once, those of a row in their order, columns and values bit for bit;
/// else what is wrong.
template <class F> std::string decoding_error(const F &format, const CsrView<typename F::scalar_type, typename F::index_type> &a)
{
  using Scalar = typename F::scalar_type;
  using Index  = typename F::index_type;
  std::vector<Index> next;
  if (a.rows > 0) next.assign(a.row_ptr, a.row_ptr + a.rows);
  std::string error;
  decode(format, [&](std::int32_t row, std::int32_t col, Scalar value) {
    if (!error.empty()) return;
    std::ostringstream text;
    if (row < 0 || row >= a.rows) text << "an entry in row " << row << " of " << a.rows;
    else if (next[row] == a.row_ptr[row + 1]) text << "more entries in row " << row << " than there are";
    else if (const Index k = next[row]++; a.col[k] != col)
      text << "entry " << k << " in row " << row << " has column " << col << ", not " << a.col[k];
    else if (!kernels::same_bits(a.val[k], value))
      text << "entry " << k << " in row " << row << " has other bits: " << value << ", not " << a.val[k];
    error = text.str();
  });
  for (Index row = 0; error.empty() && row < a.rows; ++row)
    if (next[row] != a.row_ptr[row + 1]) error = "entries of row " + std::to_string(row) + " are missing";
  return error;
}

/// Bytes of the matrix as CSR.
template <class Scalar, class Index> std::size_t csr_bytes(const CsrView<Scalar, Index> &a)
{
  return (static_cast<std::size_t>(a.rows) + 1) * sizeof(Index) + static_cast<std::size_t>(a.nonzeros()) * (sizeof(Index) + sizeof(Scalar));
}

/// The most that a ccoo may take.
template <class Scalar, class Index> std::size_t bytes_allowed(const CsrView<Scalar, Index> &a)
{
  return csr_bytes(a) + csr_bytes(a) / 50 + (std::size_t(64) << 10);
}

/// Empty if a product with several vectors is right: the same vector twice, with zeros between, so that one reference
/// will do.
template <class F> std::string columns_wrong(F &format, const Problem<typename F::scalar_type, typename F::index_type> &problem)
{
  using Scalar           = typename F::scalar_type;
  const auto         &c  = problem.cases[0];
  const std::size_t   nx = c.x.size(), ny = c.y_before.size();
  std::vector<Scalar> x(3 * nx), y(3 * ny, std::numeric_limits<double>::quiet_NaN());
  std::copy(c.x.begin(), c.x.end(), x.begin());
  std::copy(c.x.begin(), c.x.end(), x.begin() + static_cast<std::ptrdiff_t>(2 * nx));
  format.multiply_many(Operation::none, Scalar(0.5), x.data(), static_cast<std::int64_t>(nx), Scalar(0), y.data(),
                       static_cast<std::int64_t>(ny), 3);
  for (std::size_t v : {0, 2}) {
    const auto  at = y.begin() + static_cast<std::ptrdiff_t>(v * ny);
    std::string d  = difference(std::vector<Scalar>(at, at + static_cast<std::ptrdiff_t>(ny)), c.reference, Scalar(0.5), Scalar(0),
                                c.y_before, problem.mode);
    if (!d.empty()) return "vector " + std::to_string(v) + " of three: " + d;
  }
  return "";
}

/// What decodes wrongly or multiplies wrongly; empty if all is right. Sums are checked against the oracle's bound.
template <class F> std::string anything_wrong(F &format, const Problem<typename F::scalar_type, typename F::index_type> &problem)
{
  if (std::string error = decoding_error(format, problem.a.view()); !error.empty()) return error;
  for (const auto &c : problem.cases)
    if (std::string error = problem.wrong(format, c, 1.0, 0.0); !error.empty()) return error;
  if (std::string error = columns_wrong(format, problem); !error.empty()) return error;
  return problem.wrong(format, problem.cases[0], 0.5, -1.0);
}

/// A problem with a matrix as it is, values included.
template <class Scalar, class Index> PlainProblem<Scalar, Index> problem_with(CsrMatrix<Scalar, Index> a, Mode mode = Mode::rounded)
{
  return PlainProblem<Scalar, Index>({"", [&a] { return a; }, true}, mode);
}

} // namespace petscspmv::test
