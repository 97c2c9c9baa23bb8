#pragma once

/// \file row_pool.hpp
/// Rows by what is in them, each kind kept once: columns counted from the diagonal, and values.

#include <cstdint>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/number_index.hpp"
#include "kernels/value_tables.hpp"

namespace petscspmv::ccoo {

template <class Scalar> class RowPool {
public:
  struct Entry {
    Scalar value;
    Local  offset; ///< column - row
  };

  std::size_t            size() const { return first_.size() - 1; }
  std::span<const Entry> row(std::size_t number) const
  {
    return std::span(entries_).subspan(first_[number], first_[number + 1] - first_[number]);
  }
  std::size_t first(std::size_t number) const { return first_[number]; } ///< among the entries of all
  std::size_t entries() const { return entries_.size(); }

  /// The number of a row of a matrix, which is added where it is new.
  template <class Index> std::uint32_t add(const CsrView<Scalar, Index> &a, Local row)
  {
    const Index begin = a.row_ptr[row];
    return add_row(static_cast<std::size_t>(a.row_ptr[row + 1] - begin), [&](std::size_t k) {
      const Index i = begin + static_cast<Index>(k);
      return Entry{a.val[i], static_cast<Local>(a.col[i] - row)};
    });
  }
  /// The same for a row of another pool.
  std::uint32_t add(std::span<const Entry> row)
  {
    return add_row(row.size(), [row](std::size_t k) { return row[k]; });
  }

private:
  template <class EntryOf> std::uint32_t add_row(std::size_t n, const EntryOf &entry)
  {
    std::uint64_t hash = n;
    for (std::size_t k = 0; k < n; ++k) {
      const Entry e = entry(k);
      hash          = kernels::mix(kernels::mix(hash, std::uint64_t(std::uint32_t(e.offset))), e.value);
    }
    const auto is = [&](std::int64_t number) {
      if (index_.hash(number) != hash) return false;
      const auto known = row(static_cast<std::size_t>(number));
      if (known.size() != n) return false;
      for (std::size_t k = 0; k < n; ++k)
        if (const Entry e = entry(k); known[k].offset != e.offset || !kernels::same_bits(known[k].value, e.value)) return false;
      return true;
    };
    const auto number = static_cast<std::size_t>(index_.find_or_add(hash, is));
    if (number == size()) {
      for (std::size_t k = 0; k < n; ++k) entries_.push_back(entry(k));
      first_.push_back(entries_.size());
    }
    return static_cast<std::uint32_t>(number);
  }

  std::vector<Entry>       entries_;
  std::vector<std::size_t> first_{0}; // of each row, and one behind the last
  kernels::NumberIndex     index_;
};

} // namespace petscspmv::ccoo
