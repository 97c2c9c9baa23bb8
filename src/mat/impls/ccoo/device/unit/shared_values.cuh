#pragma once

/// \file shared_values.cuh
/// Units whose rows share values, on a device: lanes whose rows are in one stretch load the same value.

#include "impls/ccoo/device/unit/unit_arrays.hpp"
#include "impls/ccoo/device/unit/unit_tuning.hpp"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

/// Where the values of a lane's rows are among those of their unit.
struct PlacesOfRows {
  std::uint32_t of[image::groups];

  __device__ explicit PlacesOfRows(const image::SharedValues &s)
  {
    const std::uint32_t up_to_lane = (2U << threadIdx.x % image::lanes) - 1;
    std::uint32_t       before     = 0; // stretches that begin in other groups
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      of[g] = (before + __popc(s.begins[g] & up_to_lane) - 1) * s.each;
      before += __popc(s.begins[g]);
    }
  }
};

/// The sums of a lane's rows, whose values are kept as `Kept`.
template <class S, class Kept> class SharingSum {
public:
  S sum[image::groups] = {};

  /// The values of all rows begin at `value`.
  __device__ SharingSum(const image::SharedValues &s, const Kept *value) : value_(value), next_(s) { }

  /// Slots that all rows have.
  __device__ void add_full(const image::Slot<S> *slot, int slots, const S *x)
  {
#pragma unroll tuning::device_unit_together
    for (int k = 0; k < slots; ++k) {
      const Local offset = __ldg(&slot[k].offset);
#pragma unroll
      for (int g = 0; g < image::groups; ++g) add_next(g, x + offset);
    }
  }

  /// Bit k of a lane's word says that its row has slot k, for up to 32 slots.
  __device__ void add(const image::Slot<S> *slot, int slots, const std::uint32_t (&has)[image::groups], const S *x)
  {
#pragma unroll tuning::device_unit_together
    for (int k = 0; k < slots; ++k) {
      const Local offset = __ldg(&slot[k].offset);
#pragma unroll
      for (int g = 0; g < image::groups; ++g)
        if (has[g] >> k & 1) add_next(g, x + offset);
    }
  }

private:
  __device__ void add_next(int g, const S *x)
  {
    sum[g] += S(kernels::load_shared(value_ + next_.of[g]++)) * kernels::load_shared(x + g * image::lanes);
  }

  const Kept  *value_;
  PlacesOfRows next_; // value of each row
};

} // namespace petscspmv::ccoo::device
