#pragma once

/// \file strips.hpp
/// The pool of strips: what eight neighbouring groups look like together, each kept once.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "impls/ccoo/plan/pool.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/strip.hpp"
#include "kernels/coding/number_index.hpp"

namespace petscspmv::ccoo {

/// Strips by the patterns of their groups.
template <class Scalar> class StripPool {
public:
  std::vector<Strip>         strips;
  std::vector<std::uint32_t> patterns; ///< of the strip_groups groups of each strip, or `none`
  std::vector<Local>         offsets;  ///< of slots
  std::vector<StripMask>     lanes;    ///< of slots
  std::vector<Scalar>        values;   ///< of slots
  std::vector<int>           alike;    ///< of slots: see StripView

  std::size_t size() const { return strips.size(); }
  std::size_t bytes_taken() const
  {
    return petscspmv::bytes_taken(strips) + petscspmv::bytes_taken(patterns) + petscspmv::bytes_taken(offsets) +
           petscspmv::bytes_taken(lanes) + petscspmv::bytes_taken(values) + petscspmv::bytes_taken(alike) + petscspmv::bytes_taken(slots_) +
           index_.bytes_taken();
  }
  std::size_t bytes() const
  {
    return strips.size() * (sizeof(Strip) + strip_groups * sizeof(std::uint32_t)) +
           offsets.size() * (sizeof(Local) + sizeof(StripMask) + sizeof(Scalar) + sizeof(int));
  }

  /// The number of the strip whose groups have these patterns (at most strip_groups), which is added where it is new.
  std::uint32_t add(std::span<const std::uint32_t> patterns, const PatternPool<Scalar, HostGroup> &pool)
  {
    Key key;
    key.fill(none);
    std::copy(patterns.begin(), patterns.end(), key.begin());
    const std::int64_t known = std::ssize(strips);
    const auto number = index_.find_or_add(hash_of(key), [&](std::int64_t n) { return this->key(static_cast<std::size_t>(n)) == key; });
    if (number == known) {
      this->patterns.insert(this->patterns.end(), key.begin(), key.end());
      append(key, pool);
    }
    return static_cast<std::uint32_t>(number);
  }

  /// The same strips with the values that are in the pool now.
  void renew(const PatternPool<Scalar, HostGroup> &pool)
  {
    const std::size_t n = size();
    clear_from(0);
    for (std::size_t i = 0; i < n; ++i) append(key(i), pool);
  }

  /// Forgets the strips from number n on.
  void cut(std::size_t n)
  {
    index_.cut(static_cast<std::int64_t>(n));
    patterns.resize(n * strip_groups);
    clear_from(n);
  }

private:
  using Key                           = std::array<std::uint32_t, strip_groups>;
  static constexpr std::uint32_t none = ~std::uint32_t(0);

  struct Slot {
    Local     offset;
    StripMask lanes;
    Scalar    value;
    bool      is_taken; // is in a triple

    bool is_like(const Slot &s) const { return lanes == s.lanes && kernels::same_bits(value, s.value); }
  };

  Key key(std::size_t n) const
  {
    Key key;
    std::copy_n(patterns.begin() + static_cast<std::ptrdiff_t>(n * strip_groups), strip_groups, key.begin());
    return key;
  }
  static std::uint64_t hash_of(const Key &key)
  {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < key.size(); i += 2) hash = kernels::mix(hash, std::uint64_t(key[i]) << 32 | key[i + 1]);
    return hash;
  }

  void clear_from(std::size_t n)
  {
    if (n >= size()) return;
    const std::size_t slots = strips[n].first_slot;
    strips.resize(n);
    offsets.resize(slots);
    lanes.resize(slots);
    values.resize(slots);
    alike.resize(slots);
  }

  void append(const Key &key, const PatternPool<Scalar, HostGroup> &pool)
  {
    slots_.clear();
    for (std::size_t g = 0; g < key.size() && key[g] != none; ++g) {
      const Pattern                &p     = pool.patterns[key[g]];
      const std::span<const Scalar> value = pool.value(p);
      std::size_t                   i     = 0;
      const auto                    s     = pool.slots(p);
      for (int k = 0; k < s.slots; ++k) {
        const std::size_t first = first_slot(s.offset[k]);
        for_each_lane(s.lanes[k], [&](int lane) {
          put(first, s.offset[k], value[value_place(p, k, i++)], StripMask(1) << (g * group_rows + static_cast<std::size_t>(lane)));
        });
      }
    }
    strips.push_back(make_strip(static_cast<std::uint32_t>(offsets.size()), slots_));
    for (std::size_t k = 0; k < slots_.size();) {
      if (slots_[k].is_taken) ++k;
      else if (is_triple(k)) append_alike(k), k += 3;
      else append(slots_[k++], 0);
    }
  }

  /// The triple at k, and those behind it that are alike.
  void append_alike(std::size_t k)
  {
    const std::size_t first = alike.size();
    int               n     = 0;
    for (std::size_t j = k; j + 2 < slots_.size(); ++j)
      if (is_triple(j) && std::equal(&slots_[j], &slots_[j] + 3, &slots_[k], [](const Slot &a, const Slot &b) { return a.is_like(b); })) {
        for (std::size_t i = j; i < j + 3; ++i) {
          append(slots_[i], 0);
          slots_[i].is_taken = true;
        }
        ++n;
      }
    alike[first] = n;
  }
  void append(const Slot &s, int like_it)
  {
    offsets.push_back(s.offset);
    lanes.push_back(s.lanes);
    values.push_back(s.value);
    alike.push_back(like_it);
  }
  bool is_triple(std::size_t k) const
  {
    return k + 2 < slots_.size() && slots_[k + 1].lanes == ~StripMask(0) && slots_[k + 1].offset == slots_[k].offset + 1 &&
           slots_[k + 2].offset == slots_[k].offset + 2 && !slots_[k].is_taken && !slots_[k + 1].is_taken && !slots_[k + 2].is_taken;
  }

  /// Where slots with this offset begin, or would.
  std::size_t first_slot(Local offset) const
  {
    const auto s = std::lower_bound(slots_.begin(), slots_.end(), offset, [](const Slot &a, Local b) { return a.offset < b; });
    return static_cast<std::size_t>(s - slots_.begin());
  }

  /// Rows with the same offset and the same value share a slot; a row that has a column several times needs as many.
  /// `first` is the first_slot().
  void put(std::size_t first, Local offset, Scalar value, StripMask row)
  {
    auto s = slots_.begin() + static_cast<std::ptrdiff_t>(first);
    for (; s != slots_.end() && s->offset == offset; ++s)
      if (kernels::same_bits(s->value, value) && !(s->lanes & row)) {
        s->lanes |= row;
        return;
      }
    slots_.insert(s, {offset, row, value, false});
  }

  kernels::NumberIndex index_;
  std::vector<Slot>    slots_; // of the strip at hand
};

} // namespace petscspmv::ccoo
