#pragma once

/// \file unit_kernel.cuh
/// Units of diagonal tiles on a device: a warp multiplies the 128 rows of a unit, four to a lane, slot by slot of their
/// pattern.
///
/// Units, patterns and slots are 16 bytes each (complex slots: 32), the same for all lanes, and come from caches unless
/// patterns are many. x of a slot is four times 32 neighbours; values are with the slot, or loaded once, in the order
/// of x. A lane without a slot loads neither.

#include <type_traits>

#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/unit/shared_values.cuh"
#include "impls/ccoo/device/unit/unit_arrays.hpp"
#include "impls/ccoo/device/unit/unit_tuning.hpp"

namespace petscspmv::ccoo::device {

template <class S> using Units = View<image::UnitKind, S>;

/// What is with a slot, in loads of 16 bytes that all lanes share.
__device__ inline image::Slot<double> load_slot(const image::Slot<double> *s)
{
  const int4 v = __ldg(reinterpret_cast<const int4 *>(s));
  return {__hiloint2double(v.y, v.x), v.z, static_cast<std::uint32_t>(v.w)};
}
__device__ inline image::Slot<DeviceComplex> load_slot(const image::Slot<DeviceComplex> *s)
{
  const double2 v = __ldg(reinterpret_cast<const double2 *>(s));
  const int2    w = __ldg(reinterpret_cast<const int2 *>(s) + 2);
  return {{v.x, v.y}, w.x, static_cast<std::uint32_t>(w.y)};
}

/// Where the values of a unit are.
enum class UnitValues {
  by_slot, ///< one with each slot
  own,     ///< one for each entry
  mixed,   ///< one with each slot that says so, one for each entry of the others
};

/// The sums of a lane's rows.
template <UnitValues values, class S> struct UnitSum {
  S sum[image::groups] = {};

  /// Slots that all lanes have: 128 values of each. Of so many slots together all is asked for before anything is
  /// added.
  template <int together, class Kept> __device__ void add_full(const image::Slot<S> *slot, int slots, const Kept *value, const S *x)
  {
#pragma unroll together
    for (int k = 0; k < slots; ++k) {
      const image::Slot<S> s    = load_slot(slot + k);
      const Kept *const    from = value + (values == UnitValues::own ? k * DeviceGroup::rows : s.before); // known before the slot is
      S                    v[image::groups];
#pragma unroll
      for (int g = 0; g < image::groups; ++g) v[g] = is_alone(s) ? s.value : S(kernels::load_once(from + g * image::lanes));
#pragma unroll
      for (int g = 0; g < image::groups; ++g) sum[g] += v[g] * kernels::load_shared(x + s.offset + g * image::lanes);
    }
  }

  /// Bit k of a lane's word says that its row has slot k, for up to 32 slots. Values are those of the lanes that have a
  /// slot, without gaps.
  template <class Kept>
  __device__ void add(const image::Slot<S> *slot, int slots, const std::uint32_t (&has)[image::groups], const Kept *value, const S *x)
  {
#pragma unroll(values == UnitValues::by_slot ? 2 : 1)
    for (int k = 0; k < slots; ++k) {
      const image::Slot<S> s = load_slot(slot + k);
      if (is_alone(s)) add_alone(s, has, k, x);
      else add_own(s, has, k, value + s.before, x);
    }
  }

private:
  __device__ static bool is_alone(const image::Slot<S> &s)
  {
    return values == UnitValues::by_slot || (values == UnitValues::mixed && s.before == image::Slot<S>::alone);
  }
  __device__ void add_alone(const image::Slot<S> &s, const std::uint32_t (&has)[image::groups], int k, const S *x)
  {
#pragma unroll
    for (int g = 0; g < image::groups; ++g)
      if (has[g] >> k & 1) sum[g] += s.value * kernels::load_shared(x + s.offset + g * image::lanes);
  }
  template <class Kept>
  __device__ void add_own(const image::Slot<S> &s, const std::uint32_t (&has)[image::groups], int k, const Kept *next, const S *x)
  {
    const std::uint32_t below = (1u << threadIdx.x % image::lanes) - 1;
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      const bool          mine  = has[g] >> k & 1;
      const std::uint32_t lanes = __ballot_sync(~0u, mine);
      if (mine) sum[g] += S(kernels::load_once(next + __popc(lanes & below))) * kernels::load_shared(x + s.offset + g * image::lanes);
      next += __popc(lanes);
    }
  }
};

/// The slots of a unit, by a warp: calls full(slots, how many, x) for those that all lanes have, and
/// others(slots, how many, words of the lane, x) for up to 32 of the others at a time. `sums` are written.
template <class S, class Sums, class Full, class Others>
__device__ void multiply_slots(const Units<S> &a, const Pass<S> &p, const image::Unit &u, const image::Pattern &pattern, const Sums &sums,
                               const Full &full, const Others &others)
{
  const int             lane = threadIdx.x % image::lanes;
  const Local           row  = u.row + lane;
  const image::Slot<S> *slot = a.slot + pattern.first_slot;
  const S *const        x    = p.x + row;
  full(slot, int(pattern.full), x);
  slot += pattern.full;
  const std::uint32_t *word = a.lanes_of_slots + pattern.first_lanes + lane;
  for (int k = pattern.full; k < pattern.slots; k += 32, slot += 32, word += DeviceGroup::rows) {
    std::uint32_t has[image::groups];
#pragma unroll
    for (int g = 0; g < image::groups; ++g) has[g] = __ldg(word + g * image::lanes);
    others(slot, min(32, pattern.slots - k), has, x);
  }
#pragma unroll
  for (int g = 0; g < image::groups; ++g)
    if (row + g * image::lanes < u.end) p.update(row + g * image::lanes, sums.sum[g]);
}

/// A unit, by a warp. Its values begin at `value`; `together`: UnitSum::add_full().
template <UnitValues values, int together, class Kept, class S>
__device__ void multiply_unit(const Units<S> &a, const Pass<S> &p, const image::Unit &u, const image::Pattern &pattern, const Kept *value)
{
  const int          lane = threadIdx.x % image::lanes;
  UnitSum<values, S> sums;
  multiply_slots(
    a, p, u, pattern, sums, [&](auto slot, int slots, const S *x) { sums.template add_full<together>(slot, slots, value + lane, x); },
    [&](auto slot, int slots, const auto &has, const S *x) { sums.add(slot, slots, has, value, x); });
}

/// The same where rows share values.
template <class Kept, class S>
__device__ void multiply_sharing_unit(const Units<S> &a, const Pass<S> &p, const image::Unit &u, const image::Pattern &pattern)
{
  const image::SharedValues shared = load_16(a.shared + image::number_of_shared(u));
  SharingSum<S, Kept>       sums(shared, reinterpret_cast<const Kept *>(a.unit_value) + shared.first * image::value_grain);
  multiply_slots(
    a, p, u, pattern, sums, [&](auto slot, int slots, const S *x) { sums.add_full(slot, slots, x); },
    [&](auto slot, int slots, const auto &has, const S *x) { sums.add(slot, slots, has, x); });
}

/// Unit i, by a warp. `all_by_slot`: each slot of the matrix has one value, and so many slots go together. Units keep
/// values of their own as `Kept`.
template <bool all_by_slot, class Kept, int together = tuning::device_unit_together, class S>
__device__ void multiply_unit(const Units<S> &a, const Pass<S> &p, unsigned i)
{
  const image::Unit    u       = load_16(a.unit + i);
  const image::Pattern pattern = load_16(a.pattern + u.pattern);
  const Kept *const    own     = reinterpret_cast<const Kept *>(a.unit_value) + u.value * image::value_grain;
  if (all_by_slot || pattern.first_value == image::Pattern::by_slot)
    multiply_unit<UnitValues::by_slot, together>(a, p, u, pattern, static_cast<const S *>(nullptr));
  else if (image::shares_values(u)) multiply_sharing_unit<Kept>(a, p, u, pattern);
  else if (pattern.first_value == image::Pattern::mixed)
    multiply_unit<UnitValues::mixed, tuning::device_unit_together>(a, p, u, pattern, own);
  else if constexpr (std::is_same_v<Kept, S>) {
    multiply_unit<UnitValues::own, tuning::device_unit_together>(
      a, p, u, pattern, pattern.first_value == image::Pattern::streamed ? own : a.pattern_value + pattern.first_value);
  } else if (pattern.first_value == image::Pattern::streamed) {
    multiply_unit<UnitValues::own, tuning::device_unit_together>(a, p, u, pattern, own);
  } else {
    multiply_unit<UnitValues::own, tuning::device_unit_together>(a, p, u, pattern, a.pattern_value + pattern.first_value);
  }
}

/// What all units of a matrix ask of the kernel.
enum class UnitWork {
  by_slot, ///< each slot has one value
  own,     ///< they may have values of their own,
  rounded, ///< which are floats
};

/// How many blocks of threads a multiprocessor shall hold; registers are kept so few that they fit.
template <UnitWork work, class S>
inline constexpr unsigned unit_blocks_at_a_time =
  (work == UnitWork::by_slot ? tuning::device_by_slot_warps_at_a_time : tuning::device_unit_warps_at_a_time) / tuning::device_unit_warps /
  (sizeof(S) / sizeof(double));

/// A warp for each unit.
template <UnitWork work, class S>
__global__ void __launch_bounds__(tuning::device_unit_warps *image::lanes, unit_blocks_at_a_time<work, S>)
  unit_kernel(const __grid_constant__ Units<S> a, const __grid_constant__ Pass<S> p)
{
  constexpr int together = work == UnitWork::by_slot ? tuning::device_by_slot_together : tuning::device_unit_together;
  using Kept             = std::conditional_t<work == UnitWork::rounded, float, S>;
  const BesideOthers others;
  const unsigned     i = blockIdx.x * tuning::device_unit_warps + threadIdx.x / image::lanes;
  if (i < a.plain_units) multiply_unit<work == UnitWork::by_slot, Kept, together>(a, p, i);
}

} // namespace petscspmv::ccoo::device
