#pragma once

/// \file unit_fill.cuh
/// Values of units, taken on the device from the rows of the matrix: when the image is made, and when they have
/// changed.
///
/// What is made is what the image on the host would have, byte for byte. Values that are with a pattern are taken from
/// its model, and then those of all units are compared with them.

#include <algorithm>

#include "impls/ccoo/device/unit/unit_kernel.cuh"
#include "impls/ccoo/device/values.cuh"

namespace petscspmv::ccoo::device {

/// Calls visit(slot, place among the entries of the unit, first lane of the slot, entry of the matrix, which of the
/// lane's rows) for each entry of a unit, by a warp. A row's entries ascend as offsets do, while full slots come before
/// the others. Slots whose values are alone have no places. Returns how many places there are.
template <class S, class Index, class Visit>
__device__ std::uint32_t for_each_entry(const Units<S> &a, const image::Unit &u, const image::Pattern &p, const Index *row_ptr,
                                        const Visit &visit)
{
  const unsigned              lane = threadIdx.x % image::lanes, below = (1u << lane) - 1;
  const image::Slot<S> *const slot = a.slot + p.first_slot;
  const std::uint32_t        *word = a.lanes_of_slots + p.first_lanes + lane;
  Index                       at[image::groups];
  std::uint32_t               has[image::groups] = {}, entries = 0;
#pragma unroll
  for (int g = 0; g < image::groups; ++g) {
    const Local row = u.row + g * image::lanes + static_cast<Local>(lane);
    at[g]           = row < u.end ? row_ptr[row] : Index(0);
  }
  for (int full = 0, masked = p.full; full < p.full || masked < p.slots;) {
    const bool is_full = full < p.full && (masked == p.slots || slot[full].offset <= slot[masked].offset);
    const int  k       = is_full ? full++ : masked++;
    const int  bit     = is_full ? 0 : (k - p.full) % 32;
    if (!is_full && bit == 0) {
#pragma unroll
      for (int g = 0; g < image::groups; ++g) has[g] = word[g * image::lanes];
      word += DeviceGroup::rows;
    }
    const std::uint32_t first = slot[k].before;
    std::uint32_t       rank  = 0; // of lane 0 of the group among those that have the slot
#pragma unroll
    for (int g = 0; g < image::groups; ++g) {
      const bool          mine  = is_full || (has[g] >> bit & 1);
      const std::uint32_t lanes = __ballot_sync(~0u, mine);
      const std::uint32_t place = rank + __popc(lanes & below);
      if (mine) visit(k, first + place, place == 0, at[g]++, g);
      rank += __popc(lanes);
    }
    if (first != image::Slot<S>::alone) entries += rank;
  }
  return entries;
}

/// Whether the value of slot k of a pattern is with it.
template <class S> __device__ bool is_with_slot(const Units<S> &a, const image::Pattern &p, int k)
{
  return p.first_value == image::Pattern::by_slot ||
         (p.first_value == image::Pattern::mixed && a.slot[p.first_slot + k].before == image::Slot<S>::alone);
}

/// Calls visit(place, entry of the matrix) for each entry of a unit whose rows share values, by a warp.
template <class S, class Index, class Visit>
__device__ void for_each_shared_entry(const Units<S> &a, const image::Unit &u, const image::Pattern &p, const image::SharedValues &shared,
                                      const Index *row_ptr, const Visit &visit)
{
  const PlacesOfRows first(shared);
  std::uint32_t      partial[image::groups] = {}; // slots so far that not all lanes have
  for_each_entry(a, u, p, row_ptr, [&](int k, std::uint32_t, bool, Index entry, int g) {
    visit(first.of[g] + (k < p.full ? k : p.full + partial[g]++), entry);
  });
}

/// The values of a unit whose rows share them, by a warp. If rows of a stretch have other values now, any of these is
/// taken, and check_units_kernel finds the others. False in a lane with one that cannot be kept.
template <class Kept, class S, class Index>
__device__ bool fill_sharing_unit(const Units<S> &a, const image::Unit &u, const image::Pattern &p, const RowsView<S, Index> &rows,
                                  Kept *unit_value)
{
  const image::SharedValues shared = a.shared[image::number_of_shared(u)];
  Kept *const               out    = unit_value + shared.first * image::value_grain;
  const std::uint32_t       end    = (shared.each * shared.stretches + image::value_grain - 1) / image::value_grain * image::value_grain;
  for (std::uint32_t k = threadIdx.x % image::lanes; k < end; k += image::lanes) out[k] = Kept(0); // behind short rows, too
  __syncwarp();
  bool fits = true;
  for_each_shared_entry(a, u, p, shared, rows.row_ptr,
                        [&](std::uint32_t place, Index entry) { fits = keep(out[place], rows.val[entry]) && fits; });
  return fits;
}

/// Whether the rows of each stretch have the values that are kept for it, by a warp.
template <class Kept, class S, class Index>
__device__ bool still_shares(const Units<S> &a, const image::Unit &u, const image::Pattern &p, const RowsView<S, Index> &rows)
{
  const image::SharedValues shared = a.shared[image::number_of_shared(u)];
  const auto               *kept   = reinterpret_cast<const Kept *>(a.unit_value) + shared.first * image::value_grain;
  bool                      same   = true;
  for_each_shared_entry(a, u, p, shared, rows.row_ptr, [&](std::uint32_t place, Index entry) {
    same &= same_bits(S(kept[place]), S(static_cast<Kept>(rows.val[entry])));
  });
  return same;
}

/// Values that units have of their own. `misfits`: not zero if one cannot be kept so; null: all can.
template <class Kept, class S, class Index>
__global__ void fill_units_kernel(Units<S> a, unsigned units, RowsView<S, Index> rows, Kept *unit_value, unsigned *misfits)
{
  const unsigned i = warp_number();
  if (i >= units) return;
  const image::Unit    u = a.unit[i];
  const image::Pattern p = a.pattern[u.pattern];
  if (!image::has_streamed_values(p)) return;
  if (image::shares_values(u)) {
    if (!fill_sharing_unit(a, u, p, rows, unit_value) && misfits) *misfits = 1;
    return;
  }
  bool                fits = true;
  Kept *const         out  = unit_value + u.value * image::value_grain;
  const std::uint32_t n    = for_each_entry(a, u, p, rows.row_ptr, [&](int k, std::uint32_t place, bool, Index entry, int) {
    if (!is_with_slot(a, p, k)) fits = keep(out[place], rows.val[entry]) && fits;
  });
  const std::uint32_t end  = (n + image::value_grain - 1) / image::value_grain * image::value_grain;
  if (const std::uint32_t k = n + threadIdx.x % image::lanes; k < end) out[k] = Kept(0);
  if (!fits && misfits) *misfits = 1;
}

/// Values that are with patterns, from the model of each.
template <class S, class Index>
__global__ void renew_patterns_kernel(Units<S> a, unsigned patterns, RowsView<S, Index> rows, image::Slot<S> *slots, S *pattern_value)
{
  const unsigned i = warp_number();
  if (i >= patterns) return;
  const image::Unit    model = a.model[i];
  const image::Pattern p     = a.pattern[i];
  if (model.end == 0 || p.first_value == image::Pattern::streamed) return;
  for_each_entry(a, model, p, rows.row_ptr, [&](int k, std::uint32_t place, bool is_first, Index entry, int) {
    if (is_with_slot(a, p, k)) {
      if (is_first) slots[p.first_slot + k].value = rows.val[entry];
    } else if (!image::has_streamed_values(p)) pattern_value[p.first_value + place] = rows.val[entry];
  });
}

/// Whether the rows of two units, which have the same pattern and so the same entries, have the same values, by a warp:
/// all lanes read side by side, while for_each_entry() has each at a row of its own.
template <class S, class Index> __device__ bool have_same_values(const RowsView<S, Index> &rows, const image::Unit &u, const image::Unit &v)
{
  const Index    from = rows.row_ptr[u.row], n = rows.row_ptr[u.end] - from;
  const S *const a = rows.val + from, *const b = rows.val + rows.row_ptr[v.row];
  bool same = true;
#pragma unroll 4
  for (Index k = threadIdx.x % image::lanes; k < n; k += image::lanes) same &= same_bits(a[k], b[k]);
  return same;
}

/// Whether all units have the values that are with their patterns, which are those of the models, and rows still share
/// values.
template <class Kept, class S, class Index>
__global__ void check_units_kernel(Units<S> a, unsigned units, RowsView<S, Index> rows, unsigned *misfits)
{
  const unsigned i = warp_number();
  if (i >= units) return;
  const image::Unit    u    = a.unit[i];
  const image::Pattern p    = a.pattern[u.pattern];
  bool                 fits = true;
  if (image::shares_values(u)) fits = still_shares<Kept>(a, u, p, rows);
  else if (p.first_value == image::Pattern::streamed) return;
  else if (const image::Unit model = a.model[u.pattern]; u.row != model.row && !image::has_streamed_values(p))
    fits = have_same_values(rows, u, model);
  else
    for_each_entry(a, u, p, rows.row_ptr, [&](int k, std::uint32_t place, bool, Index entry, int) {
      if (is_with_slot(a, p, k)) fits = fits && same_bits(a.slot[p.first_slot + k].value, rows.val[entry]);
      else if (!image::has_streamed_values(p)) fits = fits && same_bits(a.pattern_value[p.first_value + place], rows.val[entry]);
    });
  if (!fits) *misfits = 1;
}

template <class S> class DeviceKind<image::UnitKind, S> : public PiecesOf<image::UnitKind, S> {
public:
  bool has_own_values() const { return arrays_.unit_value.size() > 0; }

  /// Where there are no chunks.
  void launch_alone(const Pass<S> &p, LaunchesBeside &launches) const
  {
    if (this->counts().all_by_slot) return launch_of<UnitWork::by_slot>(p, launches);
    if constexpr (sizeof(S) == sizeof(double))
      if (this->counts().rounded_units) return launch_of<UnitWork::rounded>(p, launches);
    launch_of<UnitWork::own>(p, launches);
  }

  bool                               wants_row_ptr() const { return arrays_.unit.size() > 0; }
  template <class Image> static bool checks(const Image &m)
  {
    const auto keeps_values = [](const image::Pattern &p) { return p.slots > 0 && p.first_value != image::Pattern::streamed; };
    return m.rounded_units || !m.shared.empty() || std::any_of(m.pattern.begin(), m.pattern.end(), keeps_values);
  }
  template <class Image, class Index> void fill(const Image &m, const Filling<S, Index> &f)
  {
    if (m.unit_value.is_left()) fill_own(f);
  }
  template <class Index> void renew(const Filling<S, Index> &f)
  {
    fill_own(f);
    const unsigned n = this->count(arrays_.unit), patterns = this->count(arrays_.pattern);
    if (n == 0) return;
    kernels::launch(renew_patterns_kernel<S, Index>, kernels::one_warp_each(patterns), this->view(), patterns, f.rows, arrays_.slot.data(),
                    arrays_.pattern_value.data());
    image::with_kept_type<S>(this->counts().rounded_units, [&](auto kept) {
      kernels::launch(check_units_kernel<decltype(kept), S, Index>, kernels::one_warp_each(n), this->view(), n, f.rows, f.misfits);
    });
  }

private:
  using PiecesOf<image::UnitKind, S>::arrays_;

  template <UnitWork work> void launch_of(const Pass<S> &p, LaunchesBeside &launches) const
  {
    constexpr unsigned warps  = tuning::device_unit_warps;
    const unsigned     blocks = (this->view().plain_units + warps - 1) / warps;
    if (blocks > 0) launches.launch(unit_kernel<work, S>, {blocks, warps * image::lanes}, this->view(), p);
  }

  template <class Index> void fill_own(const Filling<S, Index> &f)
  {
    const unsigned n = this->count(arrays_.unit);
    if (!has_own_values()) return;
    image::with_kept_type<S>(this->counts().rounded_units, [&](auto kept) {
      using Kept = decltype(kept);
      kernels::launch(fill_units_kernel<Kept, S, Index>, kernels::one_warp_each(n), this->view(), n, f.rows,
                      reinterpret_cast<Kept *>(arrays_.unit_value.data()), f.misfits);
    });
  }
};

} // namespace petscspmv::ccoo::device
