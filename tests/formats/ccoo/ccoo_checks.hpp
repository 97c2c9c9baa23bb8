#pragma once

/// \file ccoo_checks.hpp
/// What the tests of ccoo share: building one with options, what it says of itself, and what its decoder yields.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "impls/ccoo/ccoo_host.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/device/matrix.hpp"
#include "kernels/coding/options.hpp"
#include "formats/settings.hpp"
#include "support/columns.hpp"
#include "support/formats.hpp"

namespace petscspmv::test {

using CcooTypes = EveryNumber<Ccoo>;

using ccoo::batches_option, ccoo::columns_option, ccoo::slide_option, ccoo::stores_option, ccoo::strips_option, ccoo::tile_option;
using ccoo::gather_option, ccoo::Gathers, ccoo::StoreChoice, ccoo::TileChoice, ccoo::When;
using kernels::Coding, ccoo::Numbering, ccoo::numbering_option, kernels::values_option;
using ColumnBits = ccoo::Columns;
using Codings    = std::initializer_list<std::optional<Coding>>;

/// The defaults, but for these.
inline OptionValues ccoo_options(const Settings &settings)
{
  return options_of<Ccoo<double, std::int32_t>>(settings);
}

/// The same, with what is on a device for large matrices.
inline Settings as_if_large(Settings settings = {})
{
  settings.emplace_back(batches_option, When::never);
  return settings;
}

template <class F> using CcooFixture = SettingsFixture<F>;

/// Rows of a line of a grid in which some points are missing, so that those of the lines around it are at distances
/// that change, with values of a few kinds: units of 128 rows are hardly ever alike, rows are often.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> rows_of_few_kinds(Index rows)
{
  auto a = Patterns<Scalar, Index>::by_rows(rows, rows, [rows](Index r) {
    const Index        line = 150 + r / 17 % 4;
    std::vector<Index> columns;
    for (const Index c : {r - line, r - 1, r, r + 1, r + line})
      if (c >= 0 && c < rows && r % 1000 != 3 && (r % 400 != 9 || c == r)) columns.push_back(c);
    return columns;
  });
  for (auto [r, c, v] : a.entries()) v = Scalar(0.1 * static_cast<double>(r / 17 * 7 % 5 + 3 * (c == r) + (c > r ? 1 : 2)));
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
  a.add_row(Patterns<Scalar, Index>::range(0, rows, 73));
  for (auto k = static_cast<std::size_t>(a.row_ptr[rows]); k < a.col.size(); ++k) a.val[k] = Scalar(0.001 * static_cast<double>(a.col[k]));
  return a;
}

/// A band in which each row has few columns in common with its neighbours, and rows that have many entries anywhere.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> wide_band(Index rows)
{
  Random<Scalar> random(86);
  auto           a = Patterns<Scalar, Index>::by_rows(rows, rows, [&random, rows](Index r) {
    if (r % 9001 == 77) return Patterns<Scalar, Index>::range(3, rows / 4 * 4, 4);
    std::vector<Index> columns(32);
    for (Index &c : columns) c = std::clamp<Index>(r + static_cast<Index>(random.integer(-11000, 11000)), 0, rows - 1);
    std::sort(columns.begin(), columns.end());
    return columns;
  });
  for (Scalar &v : a.val) v = random.number();
  return a;
}

/// Diagonals beside each other some of which have one value, with holes or without, and columns that occur twice.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> some_constant_diagonals(Index rows, Index entries, bool holes)
{
  auto a = Patterns<Scalar, Index>::by_rows(rows, rows - 1 + entries, [=](Index r) {
    auto columns = Patterns<Scalar, Index>::range(r, r + entries);
    if (holes && r % 5 == 3) columns.erase(columns.begin() + 2);
    if (holes && r % 40 < 8) columns[1] = columns[0];
    return columns;
  });
  for (auto [r, c, v] : a.entries())
    v = Scalar(c - r == 2 || c - r == 4 ? 0.1 * static_cast<double>(&v - a.val.data()) : 1000.0 + static_cast<double>(c - r));
  return a;
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
    if constexpr (built_for_device)
      if (const auto *on_device = dynamic_cast<const ccoo::DeviceMatrix<Scalar, Index> *>(&format.format()))
        return on_device->image().decode(visit);
    dynamic_cast<const ccoo::HostMatrix<Scalar, Index> &>(format.format()).decode(visit);
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

/// What decodes wrongly or multiplies wrongly; empty if all is right. Sums are checked against the oracle's bound.
template <class F> std::string anything_wrong(F &format, const Problem<typename F::scalar_type, typename F::index_type> &problem)
{
  if (std::string error = decoding_error(format, problem.a.view()); !error.empty()) return error;
  for (const auto &c : problem.cases)
    if (std::string error = problem.wrong(format, c, 1.0, 0.0); !error.empty()) return error;
  const Columns columns(problem, 3, problem.mode);
  if (std::string error = columns.wrong(format, 0.5, 0.0, problem.mode); !error.empty()) return error;
  return problem.wrong(format, problem.cases[0], 0.5, -1.0);
}

/// A problem with a matrix as it is, values included.
template <class Scalar, class Index> PlainProblem<Scalar, Index> problem_with(CsrMatrix<Scalar, Index> a, Mode mode = Mode::rounded)
{
  return PlainProblem<Scalar, Index>(std::move(a), mode, 1, true);
}

} // namespace petscspmv::test
