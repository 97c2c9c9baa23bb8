#pragma once

/// \file kernel.cuh
/// Local tiles on a device: persistent thread blocks have the table of values in shared memory, and groups of 256 of
/// their threads multiply one tile after the other, a row to a lane.
///
/// An entry is two loads from shared memory: of x, where the order of entries keeps lanes in different banks, and of
/// its value, of which there is a copy for each of sixteen lanes. Loads are pipelined over tiles: while tile n is
/// summed, x of tile n + 1 comes to shared memory, the numbers of the sectors of tile n + 2, and tile n + 3 itself.
/// Places and codes are loaded 12 bytes a lane, those of tile n + 1 to the registers of tile n.
///
/// Warps of a group wait for each other only where x of a tile has to be there, and take turns at the long rows. A
/// barrier at the end of each tile took 32.6 us instead of 28.8 (a mesh of 15 M entries, H200).

#include <cuda_pipeline_primitives.h>

#include "impls/ccoo/device/device_kind.cuh"
#include "kernels/device/arrival.cuh"
#include "kernels/device/residency.cuh"
#include "kernels/device/shared_memory.cuh"

namespace petscspmv::ccoo::device {

using image::LocalTile;

/// Steps of the warps of a local tile before this one.
__device__ inline unsigned local_steps_before(const image::LocalTile &t, int warp)
{
  constexpr unsigned  ones  = 0x01010101; // each byte once
  const std::uint64_t below = *reinterpret_cast<const std::uint64_t *>(t.steps) & ((std::uint64_t(1) << 8 * warp) - 1);
  return __dp4a(static_cast<unsigned>(below), ones, __dp4a(static_cast<unsigned>(below >> 32), ones, 0U));
}

/// What a group of threads has in shared memory. Tile n is in place n, modulo how many there are.
template <class S> struct LocalShared {
  S                x[3][LocalTile::nowhere + 2]; // an even number
  LocalTile        tile[8];
  Local            sector[2][LocalTile::sectors];
  kernels::Arrival copies;
};

/// And what a block has.
template <class S> struct LocalBlock {
  LocalShared<S> group[tuning::device_local_groups];
  S              value[LocalTile::values][tuning::device_local_copies];
};

/// Four entries of a lane: how many bytes from the first x they are, and the numbers of their values.
struct LocalStep {
  uint2    places;
  unsigned codes;
};

/// The row of a lane, and the steps of its warp; places and codes of the lane in the first of these. Those of the next
/// steps are 32 further on each.
struct LocalRow {
  int             row = 0, steps = 0;
  const uint2    *places = nullptr;
  const unsigned *codes  = nullptr;

  __device__ LocalStep load(int k) const { return {__ldcs(places + k * image::lanes), __ldcs(codes + k * image::lanes)}; }
};

/// The tiles of a group: number n is tile first + n * stride.
template <class S> struct LocalGroup {
  static constexpr int ahead = tuning::device_local_ahead;

  const Product<S> &p;
  LocalShared<S>   &shared;
  const S          *value; ///< the copies for this lane
  int               thread;
  unsigned          first, stride;

  /// What multiply() needs first. With __syncthreads() between.
  __device__ void begin() const
  {
    for (unsigned n = 0; n < 3; ++n) bring_tile(n);
    if (thread == 0) shared.copies.begin(LocalTile::rows);
    if (thread < 3) shared.x[thread][LocalTile::nowhere] = S(0);
  }
  __device__ void multiply() const
  {
    LocalStep steps[ahead];
    shared.copies.wait(shared.copies.arrive());
    for (unsigned n = 0; n < 2; ++n) bring_sectors(n);
    LocalRow mine = take(0, steps);
    shared.copies.wait(shared.copies.arrive());
    bring_x(0);
    kernels::Arrival::Token token = shared.copies.arrive();
    for (unsigned n = 0; is_there(n); ++n) {
      shared.copies.wait(token);
      bring_x(n + 1);
      bring_sectors(n + 2);
      bring_tile(n + 3);
      token           = shared.copies.arrive();
      const S     s   = sum(mine, steps, shared.x[n % 3]);
      const Local row = tile(n).row + mine.row;
      if (row < tile(n).end) p.update(row, s);
      mine = take(n + 1, steps);
    }
  }

private:
  __device__ bool             is_there(unsigned n) const { return first + n * stride < p.a.local.size(); }
  __device__ const LocalTile &tile(unsigned n) const { return shared.tile[n % 8]; }

  __device__ void bring_tile(unsigned n) const
  {
    constexpr int pieces = sizeof(LocalTile) / image::piece;
    if (thread < pieces && is_there(n))
      __pipeline_memcpy_async(reinterpret_cast<int4 *>(&shared.tile[n % 8]) + thread,
                              reinterpret_cast<const int4 *>(p.a.local + first + n * stride) + thread, image::piece);
  }
  __device__ void bring_sectors(unsigned n) const
  {
    if (!is_there(n)) return;
    const int sectors = static_cast<int>(tile(n).number_of_sectors);
#pragma unroll 1
    for (int k = thread; k < sectors; k += LocalTile::rows)
      __pipeline_memcpy_async(shared.sector[n % 2] + k, p.a.local_sector + tile(n).first_sector + k, sizeof(Local));
  }
  /// Two entries at a time where x is at a multiple of 16 bytes.
  __device__ void bring_x(unsigned n) const
  {
    if (!is_there(n)) return;
    if (reinterpret_cast<std::uintptr_t>(p.x) % (2 * sizeof(S)) == 0) bring_x<2>(n);
    else bring_x<1>(n);
  }
  /// What lies behind x is not read.
  template <int together> __device__ void bring_x(unsigned n) const
  {
    constexpr int each   = LocalTile::sector / together;
    const int     pieces = static_cast<int>(tile(n).number_of_sectors) * each;
    const Local  *sector = shared.sector[n % 2];
    S *const      x      = shared.x[n % 3];
#pragma unroll 2
    for (int k = thread; k < pieces; k += LocalTile::rows) {
      const Local column = sector[k / each] * LocalTile::sector + k % each * together;
      if (column + together <= p.a.cols) __pipeline_memcpy_async(x + k * together, p.x + column, together * sizeof(S));
      else if (column < p.a.cols) __pipeline_memcpy_async(x + k * together, p.x + column, sizeof(S));
    }
  }

  /// The lane's row of tile n, and its first steps.
  __device__ LocalRow take(unsigned n, LocalStep (&steps)[ahead]) const
  {
    if (!is_there(n)) return {};
    const LocalTile  &t    = tile(n);
    const int         lane = thread % image::lanes, warp = (thread / image::lanes + static_cast<int>(n)) % LocalTile::warps;
    const std::size_t from = (t.first_step + local_steps_before(t, warp)) * std::size_t(image::lanes) + lane;
    const LocalRow    mine{__ldg(p.a.local_row + (first + n * stride) * std::size_t(LocalTile::rows) + warp * image::lanes + lane),
                        t.steps[warp], reinterpret_cast<const uint2 *>(p.a.local_place) + from,
                        reinterpret_cast<const unsigned *>(p.a.local_code) + from};
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (k < mine.steps) steps[k] = mine.load(k);
    return mine;
  }

  __device__ S sum(const LocalRow &mine, const LocalStep (&steps)[ahead], const S *x) const
  {
    S sum[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (k < mine.steps) add(steps[k], x, sum);
#pragma unroll 1
    for (int k = ahead; k < mine.steps; ++k) add(mine.load(k), x, sum);
    return sum[0] + sum[1];
  }
  __device__ void add(const LocalStep &s, const S *x, S (&sum)[2]) const
  {
    constexpr unsigned code = tuning::device_local_copies * sizeof(S);
    sum[0] += at(value, (s.codes & 0xff) * code) * at(x, s.places.x & 0xffff);
    sum[1] += at(value, (s.codes >> 8 & 0xff) * code) * at(x, s.places.x >> 16);
    sum[0] += at(value, (s.codes >> 16 & 0xff) * code) * at(x, s.places.y & 0xffff);
    sum[1] += at(value, (s.codes >> 24) * code) * at(x, s.places.y >> 16);
  }
  __device__ static S at(const S *from, unsigned bytes)
  {
    return *reinterpret_cast<const S *>(reinterpret_cast<const unsigned char *>(from) + bytes);
  }
};

/// All local tiles, by blocks that stay.
template <class S> __device__ void multiply_local(const Product<S> &p, LocalBlock<S> &block)
{
  constexpr int       groups = tuning::device_local_groups, copies = tuning::device_local_copies;
  const int           group = static_cast<int>(threadIdx.x) / LocalTile::rows, thread = static_cast<int>(threadIdx.x) % LocalTile::rows;
  const LocalGroup<S> tiles{p,      block.group[group],          block.value[0] + thread % copies,
                            thread, blockIdx.x * groups + group, gridDim.x * groups};
  tiles.begin();
#pragma unroll 4
  for (int k = static_cast<int>(threadIdx.x); k < LocalTile::values * copies; k += groups * LocalTile::rows)
    block.value[k / copies][k % copies] = __ldg(p.a.local_value + k / copies);
  __syncthreads();
  tiles.multiply();
}

/// Local tiles, by blocks of threads that stay.
template <class S>
__global__ void __launch_bounds__(tuning::device_local_groups *LocalTile::rows, tuning::device_local_blocks)
  local_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  extern __shared__ __align__(16) unsigned char shared[];
  multiply_local(p, *reinterpret_cast<LocalBlock<S> *>(shared));
}

/// Calls visit(number of the value, entry of the matrix) for the entries of a local tile, by a block of threads, a row
/// each. A row's entries ascend as their places do, so that an entry's number is how many of its row have a lower
/// place.
template <class S, class Index, class Visit> __device__ void for_each_local(const Layout<S> &a, const Index *row_ptr, const Visit &visit)
{
  const image::LocalTile &t      = a.local[blockIdx.x];
  const int               thread = static_cast<int>(threadIdx.x), warp = thread / image::lanes, lane = thread % image::lanes;
  const Local             row     = t.row + a.local_row[blockIdx.x * std::size_t(image::LocalTile::rows) + thread];
  const std::size_t       step    = t.first_step + local_steps_before(t, warp);
  const int               entries = row < t.end ? static_cast<int>(row_ptr[row + 1] - row_ptr[row]) : 0;
  const auto              at = [&](int k) { return image::local_place(step, static_cast<std::size_t>(lane), static_cast<std::size_t>(k)); };
  for (int k = 0; k < entries; ++k) {
    int lower = 0;
    for (int other = 0; other < entries; ++other) lower += a.local_place[at(other)] < a.local_place[at(k)];
    visit(a.local_code[at(k)], row_ptr[row] + static_cast<Index>(lower));
  }
}

/// The table, from any of the entries that have each value: whether all have it is checked afterwards. Number 0 stays a
/// zero.
template <class S, class Index> __global__ void renew_local_kernel(Layout<S> a, RowsView<S, Index> rows, S *value)
{
  for_each_local(a, rows.row_ptr, [&](int code, Index entry) {
    if (code != 0 && !same_bits(value[code], rows.val[entry])) value[code] = rows.val[entry];
  });
}

template <class S, class Index> __global__ void check_local_kernel(Layout<S> a, RowsView<S, Index> rows, unsigned *misfits)
{
  for_each_local(a, rows.row_ptr, [&](int code, Index entry) {
    if (!same_bits(a.local_value[code], rows.val[entry])) *misfits = 1;
  });
}

template <class S> class DeviceKind<image::LocalKind, S> : public IdleKind<S> {
public:
  template <class Image> void prepare(const Image &m)
  {
    if (m.local.empty()) return;
    with_kernel([this](auto kernel, const kernels::LaunchShape &shape) {
      kernels::allow_shared_memory(kernel);
      blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, shape.threads, shape.shared));
    });
  }
  void launch(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    if (p.a.local.size() == 0) return;
    with_kernel([&](auto kernel, kernels::LaunchShape shape) {
      shape.blocks = blocks_;
      launches.launch(kernel, shape, p);
    });
  }
  static bool                        wants_row_ptr(const Arrays<S> &a) { return a.local.size() > 0; }
  template <class Image> static bool checks(const Image &m) { return m.local.size() > 0; }
  template <class Index> static void renew(const Filling<S, Index> &f)
  {
    const kernels::LaunchShape shape{f.count(f.arrays.local), static_cast<unsigned>(LocalTile::rows)};
    if (shape.blocks == 0) return;
    kernels::launch(renew_local_kernel<S, Index>, shape, f.layout, f.rows, f.arrays.local_value.data());
    kernels::launch(check_local_kernel<S, Index>, shape, f.layout, f.rows, f.misfits);
  }

private:
  /// Calls visit(kernel, shape but for the number of blocks), for real numbers, which alone are in local tiles.
  template <class Visit> static void with_kernel(const Visit &visit)
  {
    if constexpr (sizeof(S) == sizeof(double))
      visit(local_kernel<S>, kernels::LaunchShape{1, tuning::device_local_groups * LocalTile::rows, sizeof(LocalBlock<S>)});
  }

  unsigned blocks_ = 0;
};

} // namespace petscspmv::ccoo::device
