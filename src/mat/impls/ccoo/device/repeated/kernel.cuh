#pragma once

/// \file kernel.cuh
/// Rows that repeat, on a device: a block of threads has the different rows of a tile in shared memory and, if the tile
/// has windows, its x, too. Each lane goes its own way through the entries of its rows.
///
/// A lane reads the words of four rows at once. Lanes whose rows are of one kind read the same entries, and x side by
/// side. With windows, all that a tile wants comes by a few bulk copies that are in flight together, and is read
/// from memory once.

#include "impls/ccoo/device/device_kind.cuh"
#include "kernels/device/bulk_copy.cuh"
#include "kernels/device/shared_memory.cuh"

namespace petscspmv::ccoo::device {

/// The different rows of a tile: where their entries have their values, and x by the number of a row.
template <class S, class Place> struct RepeatedRows {
  const S     *value; ///< in shared memory
  const Place *place; ///< in shared memory
  const S     *x;     ///< x[row + place]

  /// The sum of a row of the tile, whose word this is; `longest` is that of the tile. Beyond the row's own entries a
  /// lane reads no x.
  __device__ S sum(std::uint32_t word, Local row, int longest) const
  {
    constexpr int  together = sizeof(S) == sizeof(double) ? tuning::device_repeated_together : tuning::device_repeated_together / 2;
    const int      length = static_cast<int>(word & image::RepeatedTile::most_entries), first = word >> image::RepeatedTile::length_bits;
    const S *const own_value = value + first, *const own_x = x + row;
    const Place *const own_place = place + first;
    S                  sum       = 0;
    for (int k = 0; k < longest; k += together) {
      S v[together];
#pragma unroll
      for (int t = 0; t < together; ++t)
        if (k + t < length) v[t] = load(own_x + own_place[k + t]);
#pragma unroll
      for (int t = 0; t < together; ++t)
        if (k + t < length) sum += own_value[k + t] * v[t];
    }
    return sum;
  }

private:
  static constexpr bool near = sizeof(Place) < sizeof(Local);

  __device__ static S load(const S *p)
  {
    if constexpr (near) return *p;
    else return kernels::load_shared(p);
  }
};

/// The shared memory of a block.
template <class S> class RepeatedShared {
public:
  __device__ RepeatedShared(const Product<S> &p, unsigned char *shared) : p_(p), value_(reinterpret_cast<S *>(shared)) { }

  /// By all threads; they wait for each other before anybody reads.
  __device__ RepeatedRows<S, Local> bring(const image::RepeatedTile &t) const
  {
    Local *const      offset = reinterpret_cast<Local *>(value_ + p_.a.most_kept);
    const std::size_t first  = first_entry(t);
    for (unsigned k = threadIdx.x; k < t.entries; k += blockDim.x) {
      value_[k] = kernels::load_once(p_.a.repeated_value + first + k);
      offset[k] = kernels::load_once(p_.a.repeated_offset + first + k);
    }
    return {value_, offset, p_.x + t.row};
  }

  /// The same for tile i, which has windows; they wait for the copy, too. A lane of the first warp for each window, two
  /// for the entries.
  __device__ RepeatedRows<S, std::int16_t> bring_near(unsigned i, const image::RepeatedTile &t, kernels::BulkCopy &copy) const
  {
    constexpr unsigned  grain = image::RepeatedTile::grain, windows = image::RepeatedTile::windows;
    constexpr Local     piece = 16 / sizeof(S);
    std::int16_t *const place = reinterpret_cast<std::int16_t *>(value_ + p_.a.most_kept);
    const Local    odd  = static_cast<Local>(reinterpret_cast<std::uintptr_t>(p_.x) / sizeof(S) % piece); // so that pieces of x stay pieces
    S *const       x    = reinterpret_cast<S *>(place + p_.a.most_kept) + odd;
    const unsigned lane = threadIdx.x;
    if (lane < image::lanes) {
      image::RepeatedWindow w{};
      if (lane < windows) w = load_16(p_.a.repeated_window + i * windows + lane);
      const Local    skip = w.length > 0 ? (w.column + odd) % piece : 0, whole = (w.length - skip) / piece * piece;
      const unsigned kept = (t.entries + grain - 1) / grain * grain;
      const unsigned all  = __reduce_add_sync(~0u, static_cast<unsigned>(whole)) * sizeof(S) + kept * (sizeof(S) + sizeof(std::int16_t));
      if (lane == 0) {
        copy.begin();
        copy.announce(all);
      }
      __syncwarp(); // the other lanes find the barrier as it is now (racecheck, which does not see that, warns of it)
      if (whole > 0) copy.copy_kept(x + w.place + skip, p_.x + w.column + skip, whole * sizeof(S));
      if (lane == windows) copy.copy(value_, p_.a.repeated_value + first_entry(t), kept * sizeof(S));
      if (lane == windows + 1) copy.copy(place, p_.a.repeated_place + first_entry(t), kept * sizeof(std::int16_t));
      if (skip > 0) x[w.place] = p_.x[w.column];
      if (skip + whole < w.length) x[w.place + skip + whole] = p_.x[w.column + skip + whole];
    }
    return {value_, place, x};
  }

private:
  __device__ static std::size_t first_entry(const image::RepeatedTile &t) { return t.entry * std::size_t(image::RepeatedTile::grain); }

  const Product<S> &p_;
  S *const          value_;
};

/// Tile i, by a block, which has room for what is kept of a tile. `near`: tiles have windows; `stores`:
/// DeviceRowUpdate::put().
template <bool near, bool stores, class S> __device__ void multiply_repeated(const Product<S> &p, unsigned i, unsigned char *shared)
{
  constexpr Local step = DeviceGroup::rows;
  __shared__ kernels::BulkCopy copy;
  const int                    lane = threadIdx.x % image::lanes, warp = threadIdx.x / image::lanes, warps = blockDim.x / image::lanes;
  const image::RepeatedTile    t     = load_16(p.a.repeated + i);
  const auto                  *words = reinterpret_cast<const uint2 *>(p.a.repeated_word + t.word) + lane;
  uint2                        four  = __ldcs(words + warp * image::lanes); // beyond the tile there are other words, or padding
  const RepeatedShared<S>      mine(p, shared);
  const auto                   rows = [&] {
    if constexpr (near) return mine.bring_near(i, t, copy);
    else return mine.bring(t);
  }();
  __syncthreads();
  if constexpr (near) copy.wait(0);
  for (int unit = warp; t.row + unit * step < t.end; unit += warps) {
    if (unit > warp) four = __ldcs(words + unit * image::lanes);
#pragma unroll 2
    for (int g = 0; g < image::groups; ++g) {
      const std::uint32_t pair = g < 2 ? four.x : four.y, word = g % 2 == 0 ? pair & 0xffff : pair >> 16;
      const Local         row = unit * step + g * image::lanes + lane;
      const S             sum = rows.sum(word, row, static_cast<int>(t.longest));
      if (t.row + row < t.end) p.update.template put<stores>(t.row + row, sum);
    }
  }
}

/// A block for each tile of repeated rows: multiply_repeated().
template <bool near, bool stores, class S>
__global__ void __launch_bounds__(tuning::device_repeated_warps *image::lanes,
                                  tuning::device_repeated_blocks / (sizeof(S) / sizeof(double)))
  repeated_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  extern __shared__ __align__(128) unsigned char shared[]; // for copies of whole lines
  multiply_repeated<near, stores>(p, blockIdx.x, shared);
}

/// Calls visit(value that is kept, entry of the matrix) for the entries of a tile's rows, by a block of threads.
template <class S, class Index, class Visit> __device__ void for_each_repeated(const Layout<S> &a, const Index *row_ptr, const Visit &visit)
{
  const image::RepeatedTile t = a.repeated[blockIdx.x];
  for (auto r = static_cast<Local>(threadIdx.x); t.row + r < t.end; r += static_cast<Local>(blockDim.x)) {
    const Local in    = r % DeviceGroup::rows;
    const auto  place = static_cast<std::size_t>(r - in + in % image::lanes * image::groups + in / image::lanes); // image::place_of_word
    const std::uint32_t word  = a.repeated_word[t.word + place];
    const std::size_t   first = t.entry * std::size_t(image::RepeatedTile::grain) + (word >> image::RepeatedTile::length_bits);
    for (std::uint32_t k = 0; k < (word & image::RepeatedTile::most_entries); ++k)
      visit(first + k, row_ptr[t.row + r] + static_cast<Index>(k));
  }
}

/// Values of rows that repeat, from any of the rows that are alike: whether they still are is checked afterwards. A
/// block of threads a tile.
template <class S, class Index> __global__ void renew_repeated_kernel(Layout<S> a, RowsView<S, Index> rows, S *kept)
{
  for_each_repeated(a, rows.row_ptr, [&](std::size_t k, Index entry) {
    if (!same_bits(kept[k], rows.val[entry])) kept[k] = rows.val[entry];
  });
}

template <class S, class Index> __global__ void check_repeated_kernel(Layout<S> a, RowsView<S, Index> rows, unsigned *misfits)
{
  for_each_repeated(a, rows.row_ptr, [&](std::size_t k, Index entry) {
    if (!same_bits(a.repeated_value[k], rows.val[entry])) *misfits = 1;
  });
}

template <class S> class DeviceKind<image::RepeatedKind, S> : public IdleKind<S> {
public:
  template <class Image> void prepare(const Image &m)
  {
    kept_ = m.most_kept;
    near_ = m.most_near;
    if (m.repeated.empty()) return;
    const auto allow = [](auto kernel, std::size_t) { kernels::allow_shared_memory(kernel); };
    with_kernel<true>(allow);
    with_kernel<false>(allow);
  }
  void launch(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    const unsigned tiles = p.a.repeated.size();
    if (tiles == 0) return;
    const auto launch = [&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {tiles, tuning::device_repeated_warps * image::lanes, shared}, p);
    };
    if (p.update.stores()) with_kernel<true>(launch);
    else with_kernel<false>(launch);
  }
  static bool                        wants_row_ptr(const Arrays<S> &a) { return a.repeated.size() > 0; }
  template <class Image> static bool checks(const Image &m) { return m.repeated.size() > 0; }
  template <class Index> static void renew(const Filling<S, Index> &f)
  {
    const kernels::LaunchShape shape{f.count(f.arrays.repeated), static_cast<unsigned>(DeviceGroup::rows)};
    if (shape.blocks == 0) return;
    kernels::launch(renew_repeated_kernel<S, Index>, shape, f.layout, f.rows, f.arrays.repeated_value.data());
    kernels::launch(check_repeated_kernel<S, Index>, shape, f.layout, f.rows, f.misfits);
  }

private:
  /// Calls visit(kernel, bytes of shared memory).
  template <bool stores, class Visit> void with_kernel(const Visit &visit) const
  {
    if (near_ == 0) return visit(repeated_kernel<false, stores, S>, kept_ * (sizeof(S) + sizeof(Local)));
    constexpr std::size_t odd = 1; // x may begin in the middle of 16 bytes
    visit(repeated_kernel<true, stores, S>, kept_ * (sizeof(S) + sizeof(std::int16_t)) + (near_ + odd) * sizeof(S));
  }

  std::size_t kept_ = 0, near_ = 0; ///< entries of different rows of a tile, and of x: most_kept and most_near
};

} // namespace petscspmv::ccoo::device
