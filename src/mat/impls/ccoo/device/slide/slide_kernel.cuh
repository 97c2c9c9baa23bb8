#pragma once

/// \file slide_kernel.cuh
/// Sliding stencils on a device: a thread block walks with some units side by side, a warp each, through the planes of
/// a job.
///
/// x of a plane, as far as these units need it, comes to shared memory by one bulk copy, a few planes ahead; it is
/// loaded once for each job, plus once for each of the two planes at its ends. Each x is read from shared memory once
/// for all three members of a chain, and goes to three sums of the lane: of its row in the plane before, in this one
/// and in the next.

#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/multiprocessor.cuh"
#include "impls/ccoo/device/slide/bulk_copy.cuh"
#include "impls/ccoo/device/slide/slide_arrays.hpp"
#include "impls/ccoo/device/slide/slide_tuning.hpp"
#include "impls/ccoo/device/unit/unit_kernel.cuh"

namespace petscspmv::ccoo::device {

using image::slide_line;
using Slides = View<image::SlideKind, double>;

/// Planes of x on their way or in use, in shared memory.
class SlideRing {
public:
  static constexpr int stages = tuning::device_slide_stages;

  /// `shared`: stages x room numbers, from a multiple of 128 bytes on; `room` is a multiple of slide_line. `low`: the
  /// lowest offset.
  __device__ SlideRing(double *shared, BulkCopy *copy, int room, const double *x, Local entries, Local first, Local stride)
    : shared_(shared), copy_(copy), room_(room), x_(x), entries_(entries), first_(first), stride_(stride),
      before_(static_cast<Local>(reinterpret_cast<std::uintptr_t>(x) / sizeof(double) % slide_line)), odd_(before_ % 2)
  {
  }

  /// By one thread, whose warp waits for it: asks for plane k. Entries outside of x stay what they are.
  __device__ void ask(int k, int stage)
  {
    const Local   begin = start(k);
    double *const at    = shared_ + stage * room_;
    if (begin < odd_ || begin + room_ > entries_) return ask_at_end(begin, at, stage);
    copy_[stage].announce(room_ * sizeof(double));
    copy_[stage].copy(at, x_ + begin, room_ * sizeof(double));
  }

  /// Where the entry is that belongs to the job's first row, at offset 0; plane k is in this stage.
  __device__ const double *plane(int k, int stage, Local low) const
  {
    return shared_ + stage * room_ + (first_ + k * stride_ - start(k)) - low;
  }

private:
  /// The first and the last entry of x may not lie in a whole piece of 16 bytes: these are copied here and now.
  __device__ void ask_at_end(Local begin, double *at, int stage)
  {
    const Local from = begin > odd_ ? begin : odd_, to = begin + room_ < entries_ ? begin + room_ : entries_;
    const Local even = to > from ? (to - from) / 2 * 2 : 0;
    if (odd_ && begin <= 0 && begin + room_ > 0) at[-begin] = x_[0];
    if (to > from && even < to - from) at[from + even - begin] = x_[from + even];
    copy_[stage].announce(even * sizeof(double));
    if (even > 0) copy_[stage].copy(at + (from - begin), x_ + from, even * sizeof(double));
  }

  /// The first entry of x of plane k, rounded down to a multiple of 128 bytes: with 16 it takes 2 % more time.
  __device__ Local start(int k) const
  {
    const Local at = first_ + k * stride_;
    return at - ((at + before_) & (slide_line - 1));
  }

  double       *shared_;
  BulkCopy     *copy_;
  int           room_;
  const double *x_;
  Local         entries_, first_, stride_;
  Local         before_; ///< entries before x in its 128 bytes
  Local         odd_;    ///< and in its 16
};

/// Weights and offsets of a warp's pattern, in registers of each lane: from shared memory, where they cost as many
/// accesses as x does, they would have to be read again for each plane.
template <int chains, int singles> struct SlideWeights {
  static constexpr int words = 1; ///< of a row's bits

  double before[chains], at[chains], behind[chains], single[singles > 0 ? singles : 1];
  Local  offset[chains + singles];

  __device__ SlideWeights(const Slides &, const image::SlideData *data)
  {
#pragma unroll
    for (int c = 0; c < chains; ++c) {
      const image::SlideData u = load_16(data + 2 * c), w = load_16(data + 2 * c + 1);
      before[c] = u.first;
      at[c]     = u.second;
      behind[c] = w.first;
      offset[c] = __double2loint(w.second);
    }
#pragma unroll
    for (int c = 0; c < singles; ++c) {
      const image::SlideData w = load_16(data + 2 * chains + c);
      single[c]                = w.first;
      offset[chains + c]       = __double2loint(w.second);
    }
  }
};

/// Those of patterns for which there are not enough registers: all lanes read each of them at once for every plane,
/// from the first-level cache, for four numbers of x.
struct ManySlideWeights {
  static constexpr int words = image::most_slide_parts / 32;

  const image::SlideData *data;
  int                     chains, singles;

  __device__ ManySlideWeights(const Slides &a, const image::SlideData *of_pattern)
    : data(of_pattern), chains(a.slide_shape.chains), singles(a.slide_shape.singles)
  {
  }
};

/// Sums of a lane's rows of three planes.
struct SlideSums {
  double before[image::groups] = {}, at[image::groups] = {}, behind[image::groups] = {}; ///< of planes k - 1, k, k + 1, when x of k is read

  /// The next plane.
  __device__ void step()
  {
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      before[g] = at[g];
      at[g]     = behind[g];
      behind[g] = 0;
    }
  }

  /// x of a plane, from the lane's first row on. Bit c of `has`: the row has that chain or, behind these, that single.
  template <int chains, int singles>
  __device__ void add(const SlideWeights<chains, singles> &w, const std::uint32_t (&has)[1][image::groups], const double *x,
                      bool with_singles)
  {
#pragma unroll
    for (int c = 0; c < chains; ++c)
#pragma unroll
      for (int g = 0; g < image::groups; ++g) {
        const double v = has[0][g] >> c & 1 ? x[w.offset[c] + g * image::lanes] : 0;
        before[g] += w.behind[c] * v; // the row of the plane before has it behind
        at[g] += w.at[c] * v;
        behind[g] += w.before[c] * v;
      }
    if constexpr (singles > 0) {
      if (!with_singles) return;
#pragma unroll
      for (int c = chains; c < chains + singles; ++c)
#pragma unroll
        for (int g = 0; g < image::groups; ++g) {
          const double v = has[0][g] >> c & 1 ? x[w.offset[c] + g * image::lanes] : 0;
          at[g] += w.single[c - chains] * v;
        }
    }
  }

  __device__ void add(const ManySlideWeights &w, const std::uint32_t (&has)[ManySlideWeights::words][image::groups], const double *x,
                      bool with_singles)
  {
    const int parts = w.chains + (with_singles ? w.singles : 0);
#pragma unroll
    for (int word = 0; word < ManySlideWeights::words; ++word) {
      const int first = 32 * word;
#pragma unroll 4
      for (int c = first; c < min(w.chains, first + 32); ++c) add_chain(w.data + 2 * c, has[word], c - first, x);
#pragma unroll 2
      for (int c = max(w.chains, first); c < min(parts, first + 32); ++c) add_single(w.data + w.chains + c, has[word], c - first, x);
    }
  }

private:
  /// That of bit k.
  __device__ void add_chain(const image::SlideData *data, const std::uint32_t (&has)[image::groups], int k, const double *x)
  {
    const image::SlideData u = load_16(data), w = load_16(data + 1);
    const Local            offset = __double2loint(w.second);
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      const double v = has[g] >> k & 1 ? x[offset + g * image::lanes] : 0;
      before[g] += w.first * v;
      at[g] += u.second * v;
      behind[g] += u.first * v;
    }
  }
  __device__ void add_single(const image::SlideData *data, const std::uint32_t (&has)[image::groups], int k, const double *x)
  {
    const image::SlideData w      = load_16(data);
    const Local            offset = __double2loint(w.second);
#pragma unroll
    for (int g = 0; g < image::groups; ++g) at[g] += w.first * (has[g] >> k & 1 ? x[offset + g * image::lanes] : 0);
  }
};

/// Job i, by a block. `stores`: DeviceRowUpdate::put().
template <class Weights, bool stores> __device__ void slide(const Slides &a, const Pass<double> &p, unsigned i, double *shared)
{
  __shared__ BulkCopy copy[SlideRing::stages];
  const int           warp = threadIdx.x / image::lanes, lane = threadIdx.x % image::lanes;
  const image::Slide  job  = load_16(a.slide + i);
  const auto         *data = a.slide_data + __ldg(a.slide[i].data + warp);
  SlideRing           ring(shared, copy, a.slide_room, p.x, a.slide_cols, job.row + a.slide_low, a.stride);
  const int           last = job.planes;
  if (threadIdx.x == 0) {
    for (int q = 0; q < SlideRing::stages; ++q) copy[q].begin();
    for (int q = 0; q < SlideRing::stages && q - 1 <= last; ++q) ring.ask(q - 1, q);
  }
  const Weights weights(a, data);
  const auto   *bits = reinterpret_cast<const std::uint32_t *>(data + 2 * a.slide_shape.chains + a.slide_shape.singles) + lane;
  std::uint32_t has[Weights::words][image::groups];
#pragma unroll
  for (int word = 0; word < Weights::words; ++word)
#pragma unroll
    for (int g = 0; g < image::groups; ++g) has[word][g] = __ldg(bits + word * DeviceGroup::rows + g * image::lanes);
  __syncthreads();
  SlideSums sums;
  const int row   = warp * DeviceGroup::rows + lane;
  int       stage = 0, round = 0;
  for (int k = -1; k <= last; ++k) {
    copy[stage].wait(round);
    sums.add(weights, has, ring.plane(k, stage, a.slide_low) + row, k >= 0 && k < last);
#pragma unroll
    for (int g = 0; g < image::groups; ++g)
      if (k >= 1 && row + g * image::lanes < job.rows)
        p.update.template put<stores>(job.row + (k - 1) * a.stride + row + g * image::lanes, sums.before[g]);
    sums.step();
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

/// A block for each job of sliding units, and, where they are launched together, a warp for each unit that does not
/// slide and has one value a slot. `stores`: DeviceRowUpdate::put().
template <class Weights, int warps, bool stores>
__global__ void __launch_bounds__(warps *image::lanes, tuning::device_slides)
  slide_kernel(const __grid_constant__ Slides a, const __grid_constant__ Units<double> units, const __grid_constant__ Pass<double> p)
{
  const BesideOthers others;
  extern __shared__ __align__(128) unsigned char shared[];
  if (blockIdx.x < a.slide.size()) return slide<Weights, stores>(a, p, blockIdx.x, reinterpret_cast<double *>(shared));
  const unsigned i = (blockIdx.x - a.slide.size()) * warps + threadIdx.x / image::lanes;
  if (i < units.plain_units) multiply_unit<true, double>(units, p, i);
}

/// Weights of sliding units, which are values of slots.
template <class S>
__global__ void renew_weights_kernel(const image::Slot<S> *slots, const std::uint32_t *slot, unsigned n, double *weight, unsigned *misfits)
{
  if constexpr (sizeof(S) == sizeof(double)) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || slot[i] == image::no_slot) return;
    weight[i] = slots[slot[i]].value;
    if (!isfinite(weight[i])) *misfits = 1; // lanes that do not have the slot multiply it by zero
  }
}

template <class S> class DeviceKind<image::SlideKind, S> : public PiecesOf<image::SlideKind, S> {
public:
  template <class Image> void prepare(const Image &m)
  {
    if (m.slide.empty()) return;
    const auto allow = [](auto kernel, int) { allow_shared_memory(kernel); };
    with_kernel<true>(allow);
    with_kernel<false>(allow);
  }
  bool is_empty() const { return this->arrays_.slide.size() == 0; }
  /// With units that do not slide, or those that slide alone.
  void launch_with(const Units<S> &units, bool together, const Pass<S> &p, LaunchesBeside &launches) const
  {
    const auto launch = [&](auto kernel, int warps) {
      const auto        w = static_cast<unsigned>(warps), others = together ? (units.plain_units + w - 1) / w : 0;
      const std::size_t bytes = static_cast<std::size_t>(this->view().slide_room) * tuning::device_slide_stages * sizeof(double);
      launches.launch(kernel, {this->view().slide.size() + others, w * image::lanes, bytes}, this->view(), units, p);
    };
    if (p.update.stores()) with_kernel<true>(launch);
    else with_kernel<false>(launch);
  }
  /// When units have new values in their slots, which weights are.
  void renew_weights(const image::Slot<S> *slots, unsigned *misfits)
  {
    auto          &arrays = this->arrays_;
    const unsigned n      = this->count(arrays.slide_slot);
    if (n > 0)
      kernels::launch(renew_weights_kernel<S>, kernels::one_thread_each(std::int64_t(n)), slots, arrays.slide_slot.data(), n,
                      reinterpret_cast<double *>(arrays.slide_data.data()), misfits);
  }

private:
  /// Calls visit(kernel, warps).
  template <bool stores, class Visit> void with_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      const auto each = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
        constexpr image::SlideShape shape = image::slide_shapes[i];
        if (this->view().slide_shape == shape)
          visit(slide_kernel<SlideWeights<shape.chains, shape.singles>, shape.warps, stores>, shape.warps);
      };
      constexpr int many = image::many_slide_warps;
      if (image::slide_words(this->view().slide_shape) > 1) return visit(slide_kernel<ManySlideWeights, many, stores>, many);
      [&]<std::size_t... i>(std::index_sequence<i...>)
      {
        (each(std::integral_constant<std::size_t, i>()), ...);
      }
      (std::make_index_sequence<image::slide_shapes.size()>());
    }
  }
};

} // namespace petscspmv::ccoo::device
