#pragma once

/// \file encoder.hpp
/// Writing values in a coding that was chosen, and what they lose in it.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "kernels/coding/number_index.hpp"
#include "kernels/coding/values.hpp"

namespace petscspmv::kernels {

/// How many values have lost bits, and the largest relative error of a number.
struct Loss {
  std::int64_t values = 0;
  double       error  = 0;

  void operator+=(const Loss &other)
  {
    values += other.values;
    error = std::max(error, other.error);
  }
  std::string text() const
  {
    char text[80];
    std::snprintf(text, sizeof text, "%lld, relative error %.2g at most", static_cast<long long>(values), error);
    return text;
  }

  template <class Scalar> void add(Coding coding, std::span<const Scalar> from)
  {
    if (coding <= plain_coding) return;
    visit_coding(coding, [&](auto c) {
      if constexpr (c > plain_coding)
        for (const Scalar &v : from) {
          bool lost = false;
          for (const double exact : {std::real(v), std::imag(v)}) {
            const auto kept = static_cast<double>(static_cast<typename CodingOf<c>::Number>(exact));
            if (same_bits(kept, exact)) continue;
            lost  = true;
            error = std::max(error, std::abs(kept - exact) / std::abs(exact));
          }
          values += lost;
        }
    });
  }
};

/// The table of the values of a piece, which has a coding and the number of a table; an empty one if its coding has
/// none.
template <class Scalar, class Piece> const std::vector<Scalar> &table_of(const std::vector<std::vector<Scalar>> &tables, const Piece &piece)
{
  static const auto &none = *new std::vector<Scalar>;
  return table_limit(piece.coding) > 0 ? tables[piece.table] : none;
}

/// New values for the places of a table, from pieces that are coded with it: where all values are scaled, say, or a
/// coefficient gets another value everywhere, the pieces stay as they are.
template <class Scalar> class TableRenewal {
public:
  explicit TableRenewal(std::vector<Scalar> &table) : table_(table), old_(table), known_(table.size()) { }

  /// True if the table now has `values` where a piece has its values, which are `coding` and `bytes`. A place gets the
  /// value that it has in the first piece.
  bool takes(Coding coding, const std::byte *bytes, std::span<const Scalar> values)
  {
    return with_coding(coding, bytes, table_.data(), [&](const auto &coded) {
      if constexpr (requires { coded.place(0); }) return has(coded, values) || learns(coded, values);
      else return true;
    });
  }

  /// The values that there were: nothing else is taken any more.
  void undo()
  {
    table_ = old_;
    known_.assign(table_.size(), 1);
  }

private:
  /// True if all values are in the table, at places that have their values. Without branches, and two at a time: AMD
  /// Zen 3, ns a value with a table of 16 and of 256, one by one as below 1.28, 1.07, without branches 1.01, 0.62, two
  /// at a time 0.77, 0.57.
  template <class Coded> bool has(const Coded &coded, std::span<const Scalar> values) const
  {
    const Scalar *const table = table_.data();
    const char *const   known = known_.data();
    const auto          fits  = [&](std::int64_t i) {
      const std::size_t place = coded.place(i);
      return same_bits(table[place], values[static_cast<std::size_t>(i)]) & (known[place] != 0);
    };
    const std::int64_t n    = std::ssize(values);
    std::int64_t       i    = 0;
    bool               same = true;
    for (; i + 2 <= n; i += 2) same &= fits(i) & fits(i + 1);
    return i < n ? same & fits(i) : same;
  }

  /// The same, and places that have no value yet get one.
  template <class Coded> bool learns(const Coded &coded, std::span<const Scalar> values)
  {
    bool same = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t place = coded.place(static_cast<std::int64_t>(i));
      if (!known_[place]) {
        known_[place] = 1;
        table_[place] = values[i];
      }
      same &= same_bits(table_[place], values[i]);
    }
    return same;
  }

  std::vector<Scalar>      &table_;
  const std::vector<Scalar> old_;
  std::vector<char>         known_;
};

/// Writes values in a coding that was chosen for them, or for others in the same place before.
template <class Scalar> class ValueEncoder {
public:
  /// Writes coded_bytes() to `out`, where coding and table are those of `values` as they were. Returns false if a value
  /// cannot be written so; `out` is then undefined.
  bool encode(Coding coding, const std::vector<Scalar> &table, std::span<const Scalar> values, std::byte *out)
  {
    if (values.empty()) return true;
    return visit_coding(coding, [&](auto c) {
      using Form = CodingOf<c>;
      if constexpr (Form::most == 1)
        return std::all_of(values.begin(), values.end(), [&](const Scalar &v) { return same_bits(v, table[0]); });
      else if constexpr (Form::most > 1) return places<c>(table, values, out);
      else return numbers<c>(values, out);
    });
  }

private:
  template <Coding c> static bool numbers(std::span<const Scalar> values, std::byte *out)
  {
    using Number = typename CodingOf<c>::Number;
    if (!keeps_all<c>(values)) return false;
    const auto       *from = reinterpret_cast<const double *>(values.data());
    const std::size_t n    = values.size_bytes() / sizeof(double);
    for (std::size_t i = 0; i < n; ++i) {
      const auto number = static_cast<Number>(from[i]);
      std::memcpy(out + sizeof number * i, &number, sizeof number);
    }
    std::memset(out + sizeof(Number) * n, 0, coded_bytes<Scalar>(c, values.size()) - sizeof(Number) * n);
    return true;
  }

  template <Coding c> bool places(const std::vector<Scalar> &table, std::span<const Scalar> values, std::byte *out)
  {
    if (table_ != &table) {
      distinct_ = {};
      place_.clear();
      for (std::size_t i = 0; i < table.size(); ++i) // a renewed table may have a value twice
        if (distinct_.add(table[i]) == std::ssize(place_)) place_.push_back(static_cast<std::uint16_t>(i));
      table_ = &table;
    }
    std::memset(out, 0, coded_bytes<Scalar>(c, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t number = distinct_.find(values[i]);
      if (number < 0) return false;
      CodingOf<c>::put(out, i, place_[static_cast<std::size_t>(number)]);
    }
    return true;
  }

  const std::vector<Scalar> *table_ = nullptr; // whose values distinct_ holds
  DistinctValues<Scalar>     distinct_;
  std::vector<std::uint16_t> place_; // in the table, of each of distinct_
};

} // namespace petscspmv::kernels
