#pragma once

/// \file tables.hpp
/// Which coding suits some values, and writing them in it.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/coding/float_bits.hpp"
#include "kernels/coding/number_index.hpp"
#include "kernels/coding/values.hpp"

namespace petscspmv::kernels {

/// Mixes the bits of `value` into `hash`, also those of numbers of which only the upper bits are not zero, such as
/// integers.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
  hash = (hash ^ value ^ value >> 32) * 0xff51afd7ed558ccdULL;
  return hash ^ hash >> 32;
}
inline std::uint64_t mix(std::uint64_t hash, double value)
{
  return mix(hash, std::bit_cast<std::uint64_t>(value));
}
inline std::uint64_t mix(std::uint64_t hash, std::complex<double> value)
{
  return mix(mix(hash, value.real()), value.imag());
}

/// Different values, numbered in the order in which they came.
template <class Scalar> class DistinctValues {
public:
  const std::vector<Scalar> &values() const { return values_; }
  std::int64_t               size() const { return std::ssize(values_); }

  /// The number of `value`, or -1.
  std::int64_t find(Scalar value) const { return index_.find(hash(value), is(value)); }

  /// The number of `value`, which is added where it is new.
  std::int64_t add(Scalar value)
  {
    const std::int64_t number = index_.find_or_add(hash(value), is(value));
    if (number == size()) values_.push_back(value);
    return number;
  }

  /// Forgets the values from number n on.
  void cut(std::int64_t n)
  {
    index_.cut(n);
    values_.resize(static_cast<std::size_t>(std::min(n, size())));
  }

private:
  static std::uint64_t hash(Scalar value) { return mix(0, value) >> 20; }
  auto                 is(Scalar value) const
  {
    return [this, value](std::int64_t number) { return same_bits(values_[static_cast<std::size_t>(number)], value); };
  }

  NumberIndex         index_;
  std::vector<Scalar> values_;
};

/// What some values were coded as.
struct CodingChoice {
  Coding        coding = plain_coding;
  std::uint32_t table  = 0; ///< number of the table, where the coding has one
};

/// Whether a coding keeps all values, bit for bit or as nearly as it can.
template <Coding c, class Scalar> bool keeps_all(std::span<const Scalar> values)
{
  if constexpr (CodingOf<c>::most > 0) return false;
  else {
    const auto *const first = reinterpret_cast<const double *>(values.data());
    return std::all_of(first, first + values.size_bytes() / sizeof(double), [](double v) { return CodingOf<c>::keeps(v); });
  }
}

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

/// What choose() may do.
struct CodingRules {
  bool         automatic = true; ///< the cheapest; else `wanted` where the values allow it, and raw where not
  Coding       wanted    = plain_coding;
  std::int64_t largest   = 65536;        ///< entries of a table at most
  std::int64_t limit     = 65536;        ///< table_limit() of a coding at most: others are not chosen
  Coding       losing    = plain_coding; ///< what may be chosen in the place of raw
  /// Predicted nanoseconds of a value: decoding by coding, and of a byte that is read.
  CodingCosts decode = no_costs;
  double      byte   = 0;

  template <class Scalar> double cost(Coding c, std::size_t n) const
  {
    return static_cast<double>(n) * decode[c] + static_cast<double>(coded_bytes<Scalar>(c, n)) * byte;
  }
};

/// Tables that are filled while codings are chosen; each is used by one set of values after the other for as long as it
/// has room.
template <class Scalar> class TableBuilder {
public:
  explicit TableBuilder(const CodingRules &rules) : rules_(rules) { }

  /// The cheapest coding that keeps every one of the values bit for bit; in the place of raw one that loses bits, if the
  /// rules allow it and all values are in its range. `and_zero`: there is a zero besides, or more than one.
  CodingChoice choose(std::span<const Scalar> values, bool and_zero = false)
  {
    if (values.empty()) return {};
    CodingChoice choice = choose_exact(values, and_zero);
    for_each_coding([&](auto c) {
      if (choice.coding >= plain_coding && c > choice.coding && c <= rules_.losing && keeps_all<c>(values)) choice.coding = c;
    });
    return choice;
  }

  /// All tables, in the order of their numbers.
  std::vector<std::vector<Scalar>> tables() &&
  {
    for_each_coding([this](Coding c) { keep(c); });
    return std::move(tables_);
  }

private:
  struct Filling {
    bool                   open   = false;
    std::size_t            number = 0;
    DistinctValues<Scalar> distinct;
  };

  CodingChoice choose_exact(std::span<const Scalar> values, bool and_zero)
  {
    if (is_constant(values) && (!and_zero || same_bits(values[0], Scalar(0))))
      if (rules_.automatic || table_limit(rules_.wanted) == 1) return {Coding::constant, constant_table(values[0])};
    CodingChoice choice;
    if (!rules_.automatic) {
      if (visit_coding(rules_.wanted, [&](auto c) { return keeps_all<c>(values); })) return {rules_.wanted};
      if (table_limit(rules_.wanted) > 1 && is_allowed(rules_.wanted)) try_table(rules_.wanted, values, and_zero, choice);
      return choice;
    }
    const auto          cost = [&](Coding c) { return rules_.cost<Scalar>(c, values.size()); };
    std::vector<Coding> tables;
    for_each_coding([&](auto c) {
      if (table_limit(c) > 1) tables.push_back(c);
      else if (c < plain_coding && cost(c) <= cost(choice.coding) && keeps_all<c>(values)) choice.coding = c;
    });
    std::stable_sort(tables.begin(), tables.end(), [&](Coding a, Coding b) { return cost(a) < cost(b); });
    for (const Coding c : tables) {
      if (cost(c) > cost(choice.coding)) break;
      if (is_allowed(c) && try_table(c, values, and_zero, choice)) break;
    }
    return choice;
  }

  Filling    &filling(Coding c) { return filling_[static_cast<std::size_t>(c)]; }
  bool        is_allowed(Coding c) const { return table_limit(c) <= rules_.limit; }
  static bool is_constant(std::span<const Scalar> values)
  {
    return std::all_of(values.begin(), values.end(), [&](const Scalar &v) { return same_bits(v, values[0]); });
  }

  std::uint32_t constant_table(Scalar value)
  {
    if (constant_ < 0 || !same_bits(tables_[static_cast<std::size_t>(constant_)][0], value)) {
      constant_ = std::ssize(tables_);
      tables_.push_back({value});
    }
    return static_cast<std::uint32_t>(constant_);
  }

  /// First in the table that is being filled, then in a new one.
  bool try_table(Coding c, std::span<const Scalar> values, bool and_zero, CodingChoice &choice)
  {
    Filling &f = filling(c);
    if (!f.open || !add_all(c, values, and_zero, f.distinct)) {
      DistinctValues<Scalar> fresh;
      if (!add_all(c, values, and_zero, fresh)) return false;
      keep(c);
      f.open     = true;
      f.number   = tables_.size();
      f.distinct = std::move(fresh);
      tables_.emplace_back();
    }
    choice = {c, static_cast<std::uint32_t>(f.number)};
    return true;
  }

  /// False, and nothing is changed, if there is no room or if the table would grow too fast against what it saves.
  bool add_all(Coding c, std::span<const Scalar> values, bool and_zero, DistinctValues<Scalar> &distinct) const
  {
    constexpr std::int64_t patience = 512; // values that may be new before it matters how many are
    const std::int64_t     before = distinct.size(), limit = std::min(table_limit(c), rules_.largest), n = std::ssize(values);
    std::int64_t           i = 0;
    if (and_zero) distinct.add(Scalar(0));
    for (; i < n; ++i) {
      if (i > 0 && same_bits(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(i - 1)])) continue;
      distinct.add(values[static_cast<std::size_t>(i)]);
      const std::int64_t added = distinct.size() - before;
      if (distinct.size() > limit || (rules_.automatic && 4 * added > i + 4 * patience)) break;
    }
    if (i == n && (!rules_.automatic || 4 * (distinct.size() - before) <= n)) return true;
    distinct.cut(before);
    return false;
  }

  void keep(Coding c)
  {
    Filling &f = filling(c);
    if (!f.open) return;
    std::vector<Scalar> &table = tables_[f.number] = f.distinct.values();
    if (table_limit(c) == 16) table.resize(16); // kernels read all of it at once
    f.open = false;
  }

  CodingRules                       rules_;
  std::vector<std::vector<Scalar>>  tables_;
  std::array<Filling, coding_count> filling_;       // by coding
  std::int64_t                      constant_ = -1; // the last table of one value
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
