#pragma once

/// \file bccoo_joined_rows.hpp
/// Which block columns some rows have together: a bit for each, which every row sets that has it. Rows that are
/// compared with one another instead take a branch for each block that no processor foresees.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "impls/bccoo/bccoo_layout.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"

namespace petscspmv::bccoo {

class JoinedRows {
public:
  /// Before add() is called for `entries` entries in all, which are in block columns least .. most; false if these are
  /// too far apart.
  bool begin(Local least, Local most, std::int64_t entries)
  {
    const std::int64_t range = std::int64_t(most) - least + 1, words = (range + 63) / 64;
    if (range > tuning::most_joined || words * 100 > entries * tuning::joined_words) return false;
    if (static_cast<std::size_t>(words) > bits_.size()) {
      bits_.resize(static_cast<std::size_t>(words));
      columns_.resize(64 * bits_.size());
      number_.resize(64 * bits_.size());
    }
    least_ = least;
    words_ = static_cast<std::size_t>(words);
    return true;
  }

  /// What is in columns *first .. *(last - 1).
  template <class Index, class ByWidth> [[gnu::always_inline]] void add(const Index *first, const Index *last, ByWidth by_width)
  {
    std::uint64_t *const bits  = bits_.data();
    const Local          least = least_;
    for (; first < last; ++first) {
      const auto i = static_cast<std::uint32_t>(static_cast<Local>(by_width(*first)) - least);
      bits[i / 64] |= std::uint64_t(1) << i % 64;
    }
  }

  /// The block columns that have been added, ascending, until the next begin().
  std::span<const Local> end()
  {
    std::uint32_t n = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = bits_[word]; bits; bits &= bits - 1) {
        const std::size_t i = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
        columns_[n]         = least_ + static_cast<Local>(i);
        number_[i]          = n++;
      }
      bits_[word] = 0;
    }
    return {columns_.data(), n};
  }

  /// Which of these a column is; by value, so that it stays in registers.
  struct Numbers {
    const std::uint32_t *number;
    Local                least;

    [[gnu::always_inline]] std::uint32_t operator()(Local column) const { return number[static_cast<std::size_t>(column - least)]; }
  };
  Numbers numbers() const { return {number_.data(), least_}; }

private:
  Local                      least_ = 0;
  std::size_t                words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<Local>         columns_;
  std::vector<std::uint32_t> number_; // [bits], of those that are set
};

} // namespace petscspmv::bccoo
