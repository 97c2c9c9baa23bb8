#pragma once

/// \file slide_device.cuh
/// Sliding stencils on a device: a block of threads takes some units side by side, a warp each, through the planes of a job.
///
/// x of a plane, as far as these units want it, comes to shared memory by one bulk copy, a few planes ahead; it is read from memory once for each
/// job, plus once for each of the two planes at its ends. Each entry of x is read from shared memory once for all three members of a chain,
/// and goes to three sums of the lane: those of its row in the plane before, in this one and in the next.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "kernels/device_bulk_copy.cuh"

namespace petscspmv::ccoo::device {

/// Planes of x on their way or in use, in shared memory.
class SlideRing {
public:
  static constexpr int stages = tuning::device_slide_stages;

  /// `shared`: stages x room numbers; `room` is even. `low`: the lowest offset.
  __device__ SlideRing(double *shared, kernels::BulkCopy *copy, int room, const double *x, Local entries, Local first, Local stride)
    : shared_(shared), copy_(copy), room_(room), x_(x), entries_(entries), first_(first), stride_(stride),
      odd_(static_cast<int>(reinterpret_cast<std::uintptr_t>(x) / sizeof(double) & 1))
  {
  }

  /// By one thread: asks for plane k. Entries outside of x stay what they are. The first and the last entry of x may not lie in a whole
  /// piece of 16 bytes: these are copied here and now.
  __device__ void ask(int k, int stage)
  {
    const Local   begin = start(k), from = begin > odd_ ? begin : odd_, to = begin + room_ < entries_ ? begin + room_ : entries_;
    const Local   even = to > from ? (to - from) / 2 * 2 : 0;
    double *const at   = shared_ + stage * room_;
    if (odd_ && begin <= 0 && begin + room_ > 0) at[-begin] = x_[0];
    if (to > from && even < to - from) at[from + even - begin] = x_[from + even];
    copy_[stage].announce(even * sizeof(double));
    if (even > 0) copy_[stage].copy_kept(at + (from - begin), x_ + from, even * sizeof(double));
  }

  /// Where the entry is that belongs to the job's first row, at offset 0; plane k is in this stage.
  __device__ const double *plane(int k, int stage, Local low) const
  {
    return shared_ + stage * room_ + (first_ + k * stride_ - start(k)) - low;
  }

private:
  /// The first entry of x of plane k, rounded down to a multiple of 16 bytes.
  __device__ Local start(int k) const
  {
    const Local at = first_ + k * stride_;
    return at - ((at + odd_) & 1);
  }

  double            *shared_;
  kernels::BulkCopy *copy_;
  int                room_;
  const double      *x_;
  Local              entries_, first_, stride_;
  int                odd_; ///< x begins in the middle of 16 bytes
};

/// Weights of a warp's pattern, in shared memory.
template <int chains, int singles> struct SlideWeights {
  static constexpr int size = 2 * chains + singles;
  image::SlideData     data[size];
};

/// From shared memory each time: the compiler would keep many weights in registers, and spill them.
__device__ inline image::SlideData load_weight(const image::SlideData *w)
{
  image::SlideData v;
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
               : "=d"(v.first), "=d"(v.second)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(w))));
  return v;
}

/// Job i, by a block.
template <int chains, int singles, int warps> __device__ void slide(const Product<double> &p, unsigned i, double *shared)
{
  using Weights = SlideWeights<chains, singles>;
  __shared__ Weights weights[warps];
  __shared__ kernels::BulkCopy copy[SlideRing::stages];
  const int                    warp = threadIdx.x / image::lanes, lane = threadIdx.x % image::lanes;
  const image::Slide           job  = load_16(p.a.slide + i);
  const auto                  *data = p.a.slide_data + __ldg(p.a.slide[i].data + warp);
  SlideRing                    ring(shared, copy, p.a.slide_room, p.x, p.a.cols, job.row + p.a.slide_low, p.a.stride);
  const int                    last = job.planes;
  if (threadIdx.x == 0) {
    for (int q = 0; q < SlideRing::stages; ++q) copy[q].begin();
    for (int q = 0; q < SlideRing::stages && q - 1 <= last; ++q) ring.ask(q - 1, q);
  }
  for (int k = lane; k < Weights::size; k += image::lanes) weights[warp].data[k] = load_16(data + k);
  std::uint32_t has[image::groups];
#pragma unroll
  for (int g = 0; g < image::groups; ++g)
    has[g] = __ldg(reinterpret_cast<const std::uint32_t *>(data + Weights::size) + g * image::lanes + lane);
  __syncthreads();
  const auto              weight = [&](int k) { return chains > 3 ? load_weight(weights[warp].data + k) : weights[warp].data[k]; };
  constexpr std::uint32_t all    = (1u << (chains + singles)) - 1;
  const bool              full   = __all_sync(~0u, (has[0] & has[1] & has[2] & has[3] & all) == all);
  double                  before[image::groups] = {}, at[image::groups] = {}, behind[image::groups] = {}; // rows of planes k - 1, k, k + 1
  const int               row   = warp * DeviceGroup::rows + lane;
  int                     stage = 0, round = 0;
  for (int k = -1; k <= last; ++k) {
    copy[stage].wait(round);
    const double *const x   = ring.plane(k, stage, p.a.slide_low) + row;
    const auto          add = [&](auto all_lanes) {
#pragma unroll
      for (int c = 0; c < chains; ++c) {
        const image::SlideData u = weight(2 * c), w = weight(2 * c + 1);
        const int              offset = __double2loint(w.second);
#pragma unroll
        for (int g = 0; g < image::groups; ++g) {
          const double v = decltype(all_lanes)::value || has[g] >> c & 1 ? x[offset + g * image::lanes] : 0;
          before[g] += w.first * v;
          at[g] += u.second * v;
          behind[g] += u.first * v;
        }
      }
      if constexpr (singles > 0) {
        if (k < 0 || k >= last) return;
#pragma unroll
        for (int c = 0; c < singles; ++c) {
          const image::SlideData w      = weight(2 * chains + c);
          const int              offset = __double2loint(w.second);
#pragma unroll
          for (int g = 0; g < image::groups; ++g) {
            const double v = decltype(all_lanes)::value || has[g] >> (chains + c) & 1 ? x[offset + g * image::lanes] : 0;
            at[g] += w.first * v;
          }
        }
      }
    };
    if (full) add(std::true_type());
    else add(std::false_type());
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      if (k >= 1 && row + g * image::lanes < job.rows) p.update(job.row + (k - 1) * p.a.stride + row + g * image::lanes, before[g]);
      before[g] = at[g];
      at[g]     = behind[g];
      behind[g] = 0;
    }
    if (k + SlideRing::stages <= last) {
      __syncthreads();
      if (threadIdx.x == 0) ring.ask(k + SlideRing::stages, stage);
    }
    if (++stage == SlideRing::stages) {
      stage = 0;
      ++round;
    }
  }
}

} // namespace petscspmv::ccoo::device
