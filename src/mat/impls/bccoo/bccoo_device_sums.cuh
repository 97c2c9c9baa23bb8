#pragma once

/// \file bccoo_device_sums.cuh
/// Where the sums of block rows are that end in a lane, until all that belongs to them is known (yaSpMV's strategies).
///
/// A lane's first sum waits for what the lanes before have open; all others are whole. Either all of them wait in
/// shared memory and are then written in order (CachedSums), or the first one waits in registers and the others are
/// written at once, each to its rows (KeptSums), which takes no shared memory, however many end.

#include "impls/bccoo/bccoo_device_layout.cuh"
#include "impls/bccoo/bccoo_device_tuning.hpp"

namespace petscspmv::bccoo::device {

__device__ inline bool is_nan(double v)
{
  return v != v;
}
__device__ inline bool is_nan(DeviceComplex v)
{
  return is_nan(v.real()) || is_nan(v.imag());
}
template <int h, class S> __device__ bool is_any_nan(const S (&sum)[h])
{
  bool nan = false;
#pragma unroll
  for (int r = 0; r < h; ++r) nan = nan || is_nan(sum[r]);
  return nan;
}

/// Writes the sums of a segment to its rows.
template <int h, class S> __device__ void write_segment(const Product<S> &p, Local segment, const S (&sum)[h])
{
  const Local row = first_row(p.a, segment);
#pragma unroll
  for (int r = 0; r < h; ++r)
    if (row + r < p.a.rows) p.update(row + r, sum[r]);
}

/// Where number k of the cache is: one place in 17 is left out, so that lanes of which equally many end do not all
/// write to the same bank.
__device__ inline int cache_place(int k)
{
  return k + k / tuning::device_cache_line;
}

/// Places for n numbers.
__host__ __device__ constexpr unsigned cache_size(unsigned n)
{
  return n + n / tuning::device_cache_line + 1;
}

/// In shared memory, from number `first` of the cache on.
template <int h, class S> class CachedSums {
public:
  __device__ CachedSums(S *cache, int first) : cache_(cache), next_(first) { }

  __device__ void take(const S (&sum)[h])
  {
#pragma unroll
    for (int r = 0; r < h; ++r) cache_[cache_place(next_ + r)] = sum[r];
    next_ += h;
  }

private:
  S  *cache_;
  int next_;
};

/// Which sums after a lane's first are written at once: all but those that are NaN in a tile with zeros that are no
/// entries, which may be wrong.
struct AllButDoubtful {
  bool          zeros;        ///< the tile has such
  std::uint32_t doubtful = 0; ///< bit k: the lane's k-th sum after the first has not been written
  int           others   = 0;

  template <int h, class S> __device__ bool writes(const S (&sum)[h])
  {
    const bool doubts = zeros && is_any_nan(sum);
    if (doubts) doubtful |= 1U << others;
    ++others;
    return !doubts;
  }
};

/// The other way round, when the same sums come once more.
struct OnlyDoubtful {
  std::uint32_t doubtful;

  template <int h, class S> __device__ bool writes(const S (&)[h])
  {
    const bool was_left = doubtful & 1;
    doubtful >>= 1;
    return was_left;
  }
};

/// The first one in registers, those of the others that the rule asks for in y.
template <int h, class S, class Rule> struct KeptSums {
  const Product<S> &p;
  Local             segment; ///< of the lane's next sum
  Rule              rule;
  bool              has_first = false;
  S                 first[h]{};

  __device__ KeptSums(const Product<S> &product, Local first_segment, Rule asks) : p(product), segment(first_segment), rule(asks) { }

  __device__ void take(const S (&sum)[h])
  {
    if (!has_first) {
#pragma unroll
      for (int r = 0; r < h; ++r) first[r] = sum[r];
      has_first = true;
    } else if (rule.writes(sum)) write_segment<h>(p, segment, sum);
    ++segment;
  }
};

} // namespace petscspmv::bccoo::device
