#pragma once

/// \file row_pool.hpp
/// Rows by what is in them, each kind kept once: columns counted from the diagonal, and values.

#include <cstdint>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/coding/number_index.hpp"
#include "kernels/coding/tables.hpp"

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
  std::size_t            first(std::size_t number) const { return first_[number]; } ///< among the entries of all
  std::size_t            entries() const { return entries_.size(); }
  std::span<const Entry> all() const { return entries_; }

  void clear()
  {
    index_.cut(0);
    entries_.clear();
    first_.resize(1);
  }

  /// The number of a row of a matrix, which is added where it is new.
  template <class Index> std::uint32_t add(const CsrView<Scalar, Index> &a, Local row)
  {
    const Index begin = a.row_ptr[row];
    return add_row(static_cast<std::size_t>(a.row_ptr[row + 1] - begin), [&](std::size_t k) {
      const Index i = begin + static_cast<Index>(k);
      return Entry{a.val[i], static_cast<Local>(a.col[i] - row)};
    });
  }

private:
  template <class EntryOf> std::uint32_t add_row(std::size_t n, const EntryOf &entry)
  {
    std::uint64_t hash = n;
    for (std::size_t k = 0; k < n; ++k) {
      const Entry e = entry(k);
      hash += kernels::mix(std::uint64_t(std::uint32_t(e.offset)) + (k << 32), e.value); // sums do not wait for each other
    }
    const auto number = static_cast<std::size_t>(index_.find_or_add(
      hash, [&](std::int64_t known) { return index_.hash(known) == hash && is_row(static_cast<std::size_t>(known), n, entry); }));
    if (number == size()) {
      for (std::size_t k = 0; k < n; ++k) entries_.push_back(entry(k));
      first_.push_back(entries_.size());
    }
    return static_cast<std::uint32_t>(number);
  }

  template <class EntryOf> bool is_row(std::size_t number, std::size_t n, const EntryOf &entry) const
  {
    const auto known = row(number);
    if (known.size() != n) return false;
    for (std::size_t k = 0; k < n; ++k)
      if (const Entry e = entry(k); known[k].offset != e.offset || !kernels::same_bits(known[k].value, e.value)) return false;
    return true;
  }

  std::vector<Entry>       entries_;
  std::vector<std::size_t> first_{0}; // of each row, and one behind the last
  kernels::NumberIndex     index_;
};

} // namespace petscspmv::ccoo
