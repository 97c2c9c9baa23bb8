#pragma once

/// \file chunk_fill.cuh
/// Columns and values of chunks, taken on the device from the rows of the matrix.

#include <algorithm>
#include <memory>

#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/hot_columns.cuh"
#include "impls/ccoo/device/coded.cuh"
#include "impls/ccoo/device/device_kind.cuh"

namespace petscspmv::ccoo::device {

/// The entry of a chunk that a lane has as its k-th one.
__device__ inline std::uint32_t entry_in_chunk(int lane, int k, bool scattered_lanes)
{
  return static_cast<std::uint32_t>(scattered_lanes ? k * image::lanes + lane : lane * image::each + k);
}

/// Calls visit(j, entry of the chunk) for what is kept of a chunk in pieces of 16 bytes: element j of all, `each_piece`
/// to a piece. By a block of threads.
template <class Visit> __device__ void for_each_kept(int each_piece, bool scattered_lanes, const Visit &visit)
{
  for (int j = static_cast<int>(threadIdx.x); j < static_cast<int>(device_chunk_entries); j += static_cast<int>(blockDim.x)) {
    const int piece = j / each_piece;
    visit(j, entry_in_chunk(piece % image::lanes, piece / image::lanes * each_piece + j % each_piece, scattered_lanes));
  }
}

/// Columns of chunks; `hot_place` says where a column is among the hot ones, or -1, and is null if there are none.
template <class S, class Index>
__global__ void fill_columns_kernel(View<image::ChunkKind, S> a, const Index *col, const Local *hot_place, std::byte *columns)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = a.origin[blockIdx.x];
  std::byte *const         out  = columns + std::size_t(c.column) * image::piece;
  if (c.wide)
    for_each_kept(4, c.scattered_lanes, [&](int j, std::uint32_t e) {
      const Local column = e < from.entries ? static_cast<Local>(col[from.begin + e]) : c.least;
      const Local place  = hot_place && e < from.entries ? hot_place[column] : -1;
      reinterpret_cast<std::uint32_t *>(out)[j] =
        place >= 0 ? image::Chunk::hot_column + static_cast<std::uint32_t>(place) : static_cast<std::uint32_t>(column - c.least);
    });
  else
    for_each_kept(8, c.scattered_lanes, [&](int j, std::uint32_t e) {
      reinterpret_cast<std::uint16_t *>(out)[j] =
        e < from.entries ? static_cast<std::uint16_t>(static_cast<Local>(col[from.begin + e]) - c.least) : std::uint16_t(0);
    });
}

/// places[list[k]] = k.
__global__ inline void hot_places_kernel(const Local *list, unsigned n, Local *places)
{
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) places[list[k]] = static_cast<Local>(k);
}

/// The at() of a chunk.
template <class S> struct ValuesOfChunk {
  const image::ChunkOrigin &from;
  bool                      scattered_lanes;
  const S                  *val;

  __device__ const S *operator()(int j, int side) const
  {
    const int           piece = j / side;
    const std::uint32_t e     = entry_in_chunk(piece % image::lanes, piece / image::lanes * side + j % side, scattered_lanes);
    return e < from.entries ? val + from.begin + e : nullptr;
  }
};

/// Tables of chunks.
template <class S> __global__ void renew_tables_kernel(View<image::ChunkKind, S> a, const S *val, S *table)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = a.origin[blockIdx.x];
  const auto               kind = static_cast<Coding>(c.coding);
  if (kernels::table_limit(kind) > 0)
    renew_table(kind, static_cast<int>(device_chunk_entries), a.value + std::size_t(c.value) * image::piece,
                ValuesOfChunk<S>{from, bool(c.scattered_lanes), val}, table + c.table);
}

/// Values of chunks, of an image that is made or of one that takes new ones; the mark is set where the coding of a
/// chunk cannot keep one.
template <bool anew, class S>
__global__ void fill_values_kernel(View<image::ChunkKind, S> a, const S *val, std::byte *values, unsigned *misfits)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = a.origin[blockIdx.x];
  const ValuesOfChunk<S>   at{from, bool(c.scattered_lanes), val};
  std::byte *const         out  = values + std::size_t(c.value) * image::piece;
  const auto               kind = static_cast<Coding>(c.coding);
  constexpr int            n    = static_cast<int>(device_chunk_entries);
  if (!(anew ? write_coded(kind, n, a.table + c.table, out, at) : rewrite_coded(kind, n, a.table + c.table, out, at))) *misfits = 1;
}

/// How chunks take columns and values; the rest of their kind is in chunk_launch.cuh.
template <class S> class FilledChunks : public PiecesOf<image::ChunkKind, S> {
public:
  /// Hot columns that an image may have on the current device. Throws FormatError.
  static std::size_t                                           most_hot_columns() { return device::most_hot_columns(sizeof(S)); }
  template <class Scalar> static std::unique_ptr<image::Maker> make_maker(const DeviceRows<Scalar> &rows)
  {
    return std::make_unique<Maker<Scalar>>(rows);
  }

  template <class Image> static bool checks(const Image &m)
  {
    return std::any_of(m.chunk.begin(), m.chunk.end(),
                       [](const image::Chunk &c) { return static_cast<Coding>(c.coding) != kernels::plain_coding; });
  }
  template <class Image, class Index> void fill(const Image &m, const Filling<S, Index> &f)
  {
    if (!m.column.is_left() && !m.value.is_left()) return;
    // One block: to free memory, CUDA waits for what is under way.
    const std::size_t     cols = m.column.is_left() && arrays_.hot.size() > 0 ? static_cast<std::size_t>(m.cols) : 0;
    kernels::DeviceBlock  block(DeviceArray<unsigned>::room(1) + DeviceArray<Local>::room(cols));
    DeviceArray<unsigned> misfits(1, block); // there are none: codings were chosen for these values
    DeviceArray<Local>    places(cols, block);
    if (m.column.is_left()) fill_columns(f.rows, places);
    if (m.value.is_left()) fill_values<true>(f.rows, misfits.data());
  }
  template <class Index> void renew(const Filling<S, Index> &f)
  {
    if (arrays_.chunk.size() > 0 && arrays_.table.size() > 0)
      kernels::launch(renew_tables_kernel<S>, shape(), this->view(), f.rows.val, arrays_.table.data());
    fill_values<false>(f.rows, f.misfits);
  }

protected:
  using PiecesOf<image::ChunkKind, S>::arrays_;

private:
  kernels::LaunchShape shape() const { return {this->count(arrays_.chunk), 128}; }

  /// `places`: room for one of each column if there are hot columns.
  template <class Index> void fill_columns(const RowsView<S, Index> &rows, DeviceArray<Local> &places)
  {
    if (arrays_.chunk.size() == 0) return;
    if (const unsigned n = this->count(arrays_.hot); n > 0) {
      places.fill(0xff);
      kernels::launch(hot_places_kernel, kernels::one_thread_each(std::int64_t(n)), arrays_.hot.data(), n, places.data());
    }
    kernels::launch(fill_columns_kernel<S, Index>, shape(), this->view(), rows.col, places.size() > 0 ? places.data() : nullptr,
                    arrays_.column.data());
  }

  template <bool anew, class Index> void fill_values(const RowsView<S, Index> &rows, unsigned *misfits)
  {
    if (arrays_.chunk.size() > 0)
      kernels::launch(fill_values_kernel<anew, S>, shape(), this->view(), rows.val, arrays_.value.data(), misfits);
  }
};

} // namespace petscspmv::ccoo::device
