#pragma once

/// \file row_block.cuh
/// Sums of rows on a device, from memory, and from shared memory into which a block of rows has been brought; and the
/// two orders in which values are kept.

#include "kernels/device/bulk_copy.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

/// Values in the order of the entries. What is loaded of an entry at first is the value.
template <class Scalar> struct OrderedValues {
  using First = Scalar;

  const Scalar *val;

  __device__ const First *first() const { return val; }
  __device__ Scalar       value(First v) const { return v; }
  __device__ Scalar       operator[](std::int64_t i) const { return val[i]; }
};

/// Values in the order of another matrix: that of entry i is number entry[i]. This number is loaded at first.
template <class Scalar, class Index> struct GatheredValues {
  using First = Index;

  const Scalar *val;
  const Index  *entry;

  __device__ const First *first() const { return entry; }
  __device__ Scalar       value(First number) const { return load_shared(val + number); }
  __device__ Scalar       operator[](std::int64_t i) const { return value(entry[i]); }
};

/// The sum of entries i, i + lanes, ... below end of val[i] x[col[i]]: several loads of x in flight at a time.
template <int lanes, class Values, class Scalar, class Index>
__device__ Scalar strided_sum(const Values &val, const Index *col, const Scalar *x, bool conjugate, Index i, Index end)
{
  constexpr int ahead = 8;
  Scalar        sum   = 0;
  for (; i < end; i += ahead * lanes) {
    Scalar xs[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (i + k * lanes < end) xs[k] = load_shared(x + col[i + k * lanes]);
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (i + k * lanes < end) sum += product(val[i + k * lanes], xs[k], conjugate);
  }
  return sum;
}

/// Entries of consecutive rows in shared memory, brought there by two bulk copies; those of the next rows take their
/// place.
template <class Values, class Index> class StagedRows {
  using First = typename Values::First;

public:
  static constexpr int grain = BulkCopy::grain;

  /// `shared` has room for `capacity` entries, a multiple of grain. `copy` is in shared memory.
  __device__ StagedRows(unsigned char *shared, int capacity, BulkCopy &copy)
    : val_(reinterpret_cast<First *>(shared)), col_(reinterpret_cast<Index *>(val_ + capacity)), capacity_(capacity), copy_(copy)
  {
  }

  /// Whether entries begin .. end - 1 have room.
  __device__ bool fit(Index begin, Index end) const { return end - base(begin) <= capacity_ - grain; }

  /// By all threads of the block, once all of them are done with what was here before, or not: they wait for each
  /// other. Copies are of whole grains, but nothing is read behind the last of all `nonzeros` entries.
  __device__ void bring(const Values &values, const Index *col, Index nonzeros, Index begin, Index end)
  {
    base_ = base(begin);
    if (round_ > 0) __syncthreads(); // all have read the entries of the rows before
    if (threadIdx.x == 0) {
      auto n = static_cast<unsigned>((end - base_ + grain - 1) & ~Index(grain - 1));
      if (base_ + static_cast<Index>(n) > nonzeros) {
        n -= grain;
        for (Index i = static_cast<Index>(n); i < end - base_; ++i) {
          col_[i] = col[base_ + i];
          val_[i] = values.first()[base_ + i];
        }
      }
      if (round_ == 0) copy_.begin();
      copy_.announce(n * (sizeof(Index) + sizeof(First)));
      if (n > 0) {
        copy_.copy(col_, col + base_, n * sizeof(Index));
        copy_.copy(val_, values.first() + base_, n * sizeof(First));
      }
    }
    if (round_ == 0) __syncthreads(); // all see the barrier
    copy_.wait(round_++);
  }

  /// The sum of entries i, i + lanes, ... below end of those that have been brought.
  template <int lanes, class Scalar> __device__ Scalar sum(const Values &values, const Scalar *x, bool conjugate, Index i, Index end) const
  {
    return strided_sum<lanes>(Staged{values, val_}, col_, x, conjugate, i - base_, end - base_);
  }

private:
  struct Staged {
    const Values &values;
    const First  *first;

    __device__ auto operator[](Index i) const { return values.value(first[i]); }
  };

  /// Where the copies begin; entry e comes to lie at e - base.
  __device__ static Index base(Index begin) { return begin & ~Index(grain - 1); }

  First    *val_;
  Index    *col_;
  int       capacity_;
  BulkCopy &copy_;
  unsigned  round_ = 0; ///< how often rows have been brought
  Index     base_  = 0;
};

} // namespace petscspmv::kernels
