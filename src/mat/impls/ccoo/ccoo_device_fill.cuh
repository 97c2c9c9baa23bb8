#pragma once

/// \file ccoo_device_fill.cuh
/// Columns and values of the pieces of an image, taken on the device from the rows of the matrix: when the image is
/// made, and values alone when these have changed.
///
/// What is made is what the image on the host would have, byte for byte. New values keep the codes that the old ones
/// had: those that had one value still do, as a rule, be it another one. So a table takes its values from any entry of
/// each code, and then all are compared with it. Values that do not fit are told by a mark; the image is then made
/// anew.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/rows.cuh"
#include "kernels/device/values.cuh"

namespace petscspmv::ccoo::device {

using kernels::RowsView;
using kernels::same_bits;
using kernels::warp_number;
using kernels::write_single;

/// Where what comes from the rows is written; the arrays of a Layout.
template <class S> struct Streams {
  S         *pattern_value, *unit_value;
  std::byte *column, *value;
  S         *node_value;
};

// ------------------------------------------------------------ units

/// Calls visit(slot, place among the entries of the unit, first lane of the slot, entry of the matrix) for each entry
/// of a unit, by a warp. A row's entries ascend as offsets do, while full slots come before the others. Slots whose
/// values are alone have no places. Returns how many places there are.
template <class S, class Index, class Visit>
__device__ std::uint32_t for_each_entry(const Layout<S> &a, const image::Unit &u, const image::Pattern &p, const Index *row_ptr,
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
      if (mine) visit(k, first + place, place == 0, at[g]++);
      rank += __popc(lanes);
    }
    if (first != image::Slot<S>::alone) entries += rank;
  }
  return entries;
}

/// Whether the value of slot k of a pattern is with it.
template <class S> __device__ bool is_with_slot(const Layout<S> &a, const image::Pattern &p, int k)
{
  return p.first_value == image::Pattern::by_slot ||
         (p.first_value == image::Pattern::mixed && a.slot[p.first_slot + k].before == image::Slot<S>::alone);
}

/// Values that units have of their own.
template <class S, class Index> __global__ void fill_units_kernel(Layout<S> a, unsigned units, RowsView<S, Index> rows, Streams<S> to)
{
  const unsigned i = warp_number();
  if (i >= units) return;
  const image::Unit    u = a.unit[i];
  const image::Pattern p = a.pattern[u.pattern];
  if (!image::has_streamed_values(p)) return;
  S *const            out = to.unit_value + u.value * image::value_grain;
  const std::uint32_t n   = for_each_entry(a, u, p, rows.row_ptr, [&](int k, std::uint32_t place, bool, Index entry) {
    if (!is_with_slot(a, p, k)) out[place] = rows.val[entry];
  });
  const std::uint32_t end = (n + image::value_grain - 1) / image::value_grain * image::value_grain;
  if (const std::uint32_t k = n + threadIdx.x % image::lanes; k < end) out[k] = S(0);
}

/// The first unit that has each pattern.
template <class S> __global__ void first_units_kernel(Layout<S> a, unsigned units, unsigned *first)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < units) atomicMin(first + a.unit[i].pattern, i);
}

/// Values that are with patterns, from the first unit that has each.
template <class S, class Index>
__global__ void renew_patterns_kernel(Layout<S> a, unsigned patterns, unsigned units, const unsigned *first, RowsView<S, Index> rows,
                                      image::Slot<S> *slots, Streams<S> to)
{
  const unsigned i = warp_number();
  if (i >= patterns || first[i] >= units) return;
  const image::Pattern p = a.pattern[i];
  if (p.first_value == image::Pattern::streamed) return;
  for_each_entry(a, a.unit[first[i]], p, rows.row_ptr, [&](int k, std::uint32_t place, bool is_first, Index entry) {
    if (is_with_slot(a, p, k)) {
      if (is_first) slots[p.first_slot + k].value = rows.val[entry];
    } else if (!image::has_streamed_values(p)) to.pattern_value[p.first_value + place] = rows.val[entry];
  });
}

/// Whether all units have the values that are with their patterns.
template <class S, class Index> __global__ void check_units_kernel(Layout<S> a, unsigned units, RowsView<S, Index> rows, unsigned *misfits)
{
  const unsigned i = warp_number();
  if (i >= units) return;
  const image::Unit    u = a.unit[i];
  const image::Pattern p = a.pattern[u.pattern];
  if (p.first_value == image::Pattern::streamed) return;
  bool fits = true;
  for_each_entry(a, u, p, rows.row_ptr, [&](int k, std::uint32_t place, bool, Index entry) {
    if (is_with_slot(a, p, k)) fits = fits && same_bits(a.slot[p.first_slot + k].value, rows.val[entry]);
    else if (!image::has_streamed_values(p)) fits = fits && same_bits(a.pattern_value[p.first_value + place], rows.val[entry]);
  });
  if (!fits) *misfits = 1;
}

/// Weights of sliding units, which are values of slots.
template <class S>
__global__ void renew_weights_kernel(Layout<S> a, const std::uint32_t *slot, unsigned n, double *weight, unsigned *misfits)
{
  if constexpr (sizeof(S) == sizeof(double)) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || slot[i] == image::no_slot) return;
    weight[i] = a.slot[slot[i]].value;
    if (!isfinite(weight[i])) *misfits = 1; // lanes that do not have the slot multiply it by zero
  }
}

// ------------------------------------------------------------ repeated rows

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

// ------------------------------------------------------------ local tiles

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

// ------------------------------------------------------------ chunks

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
__global__ void fill_columns_kernel(Layout<S> a, const image::ChunkOrigin *origin, const Index *col, const Local *hot_place, Streams<S> to)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = origin[blockIdx.x];
  std::byte *const         out  = to.column + std::size_t(c.column) * image::piece;
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

/// The place of a value in a table of 16, or -1.
template <class S> __device__ int place_in_table(const S *table, S v)
{
  for (int k = 0; k < 16; ++k)
    if (same_bits(table[k], v)) return k;
  return -1;
}

/// Writes n values in a coding, by a block of threads; false in a thread that finds one which cannot be written so.
/// at(j, side) is the address of the value in place j where so many are kept side by side in an order of their own, or
/// null behind the last; then it is zero.
template <class S, class At> __device__ bool write_coded(Coding coding, int n, const S *table, std::byte *out, const At &at)
{
  const int first = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  bool      fits = true;
  switch (coding) {
  case Coding::raw:
    for (int j = first; j < n; j += step) {
      const S *const v              = at(j, static_cast<int>(image::piece / sizeof(S)));
      reinterpret_cast<S *>(out)[j] = v ? *v : S(0);
    }
    break;
  case Coding::single:
    for (int j = first; j < n; j += step) {
      const S *const v = at(j, static_cast<int>(2 * image::piece / sizeof(S)));
      fits             = write_single(out, j, v ? *v : S(0)) && fits;
    }
    break;
  case Coding::table16:
    for (int j = first; j < n / 2; j += step) {
      int two = 0;
      for (int half = 0; half < 2; ++half) {
        const S *const v     = at(2 * j + half, image::each);
        const int      place = v ? place_in_table(table, *v) : 0;
        fits                 = fits && place >= 0;
        two |= (place & 15) << 4 * half;
      }
      out[j] = static_cast<std::byte>(two);
    }
    break;
  case Coding::constant:
    for (int j = first; j < n; j += step) {
      const S *const v = at(j, 1);
      fits             = fits && (!v || same_bits(table[0], *v));
    }
    break;
  default:
    fits = false;
  }
  return fits;
}

/// Calls visit(code, value) for each of n values that have codes, by a block of threads; at() as above.
template <class At, class Visit>
__device__ void for_each_code(Coding coding, int n, const std::byte *codes, const At &at, const Visit &visit)
{
  const int side = coding == Coding::table16 ? image::each : 1;
  for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x))
    if (const auto *const v = at(j, side)) visit(coding == Coding::table16 ? static_cast<int>(codes[j / 2]) >> 4 * (j % 2) & 15 : 0, *v);
}
__host__ __device__ constexpr bool has_codes(Coding coding)
{
  return coding == Coding::table16 || coding == Coding::constant;
}

/// A table takes the new values of its codes.
template <class S, class At> __device__ void renew_table(Coding coding, int n, const std::byte *codes, const At &at, S *table)
{
  for_each_code(coding, n, codes, at, [table](int code, S v) {
    if (!same_bits(table[code], v)) table[code] = v;
  });
}

/// Writes new values in the place of old ones; those that have codes keep them, and false says that one is not what its
/// code stands for.
template <class S, class At> __device__ bool rewrite_coded(Coding coding, int n, const S *table, std::byte *out, const At &at)
{
  if (!has_codes(coding)) return write_coded(coding, n, table, out, at);
  bool fits = true;
  for_each_code(coding, n, out, at, [&](int code, S v) { fits = fits && same_bits(table[code], v); });
  return fits;
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
template <class S> __global__ void renew_tables_kernel(Layout<S> a, const image::ChunkOrigin *origin, const S *val, S *table)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = origin[blockIdx.x];
  const auto               kind = static_cast<Coding>(c.coding);
  if (has_codes(kind))
    renew_table(kind, static_cast<int>(device_chunk_entries), a.value + std::size_t(c.value) * image::piece,
                ValuesOfChunk<S>{from, bool(c.scattered_lanes), val}, table + c.table);
}

/// Values of chunks, of an image that is made or of one that takes new ones; the mark is set where the coding of a
/// chunk cannot keep one.
template <bool anew, class S>
__global__ void fill_values_kernel(Layout<S> a, const image::ChunkOrigin *origin, const S *val, Streams<S> to, unsigned *misfits)
{
  const image::Chunk       c    = a.chunk[blockIdx.x];
  const image::ChunkOrigin from = origin[blockIdx.x];
  const ValuesOfChunk<S>   at{from, bool(c.scattered_lanes), val};
  std::byte *const         out  = to.value + std::size_t(c.value) * image::piece;
  const auto               kind = static_cast<Coding>(c.coding);
  constexpr int            n    = static_cast<int>(device_chunk_entries);
  if (!(anew ? write_coded(kind, n, a.table + c.table, out, at) : rewrite_coded(kind, n, a.table + c.table, out, at))) *misfits = 1;
}

// ------------------------------------------------------------ batches

/// Batches, and where their values are written.
template <class S> struct BatchRooms {
  const image::Batch  *batch;
  const std::uint16_t *end;
  const Local         *row;
  const S             *table;
  std::byte           *value;
  std::size_t          bytes; ///< of the values of each
};

/// The entry of the matrix in place j of batch i, or -1 behind the last.
template <class S, class Index> __device__ std::int64_t entry_in_batch(const BatchRooms<S> &m, unsigned i, int j, const Index *row_ptr)
{
  const image::Batch b = m.batch[i];
  if (b.kind == image::Batch::part) {
    if (j >= static_cast<int>(b.least)) return -1;
    if (b.rows > 0 && j >= b.rows) return static_cast<std::int64_t>(row_ptr[m.batch[i + 1].row]) + j - b.rows;
    return static_cast<std::int64_t>(row_ptr[b.row]) + image::entries_before(b, m.batch[b.end], i) + j;
  }
  const std::uint16_t *const end  = m.end + b.end * std::size_t(image::Batch::end_grain);
  const auto                 stop = [end](int r) { return static_cast<int>(end[r] & ~image::Batch::elsewhere); };
  if (j >= stop(b.rows)) return -1;
  int low = 0, high = b.rows - 1; // rows one of which has it
  while (low < high) {
    const int middle = (low + high) / 2;
    if (stop(middle + 1) > j) high = middle;
    else low = middle + 1;
  }
  return static_cast<std::int64_t>(row_ptr[b.kind == image::Batch::listed ? m.row[b.row + low] : b.row + low]) + j - stop(low);
}

/// The at() of this block's batch.
template <class S, class Index> struct ValuesOfBatch {
  const BatchRooms<S>      &m;
  const RowsView<S, Index> &rows;

  __device__ const S *operator()(int j, int) const
  {
    const std::int64_t entry = entry_in_batch(m, blockIdx.x, j, rows.row_ptr);
    return entry < 0 ? nullptr : rows.val + entry;
  }
};

/// The table of all batches.
template <class S, class Index> __global__ void renew_batch_table_kernel(BatchRooms<S> m, Coding coding, RowsView<S, Index> rows, S *table)
{
  renew_table(coding, device_batch_entries, m.value + blockIdx.x * m.bytes, ValuesOfBatch<S, Index>{m, rows}, table);
}

/// New values of batches, which have one coding. A block of threads each.
template <class S, class Index>
__global__ void fill_batches_kernel(BatchRooms<S> m, Coding coding, RowsView<S, Index> rows, unsigned *misfits)
{
  const ValuesOfBatch<S, Index> at{m, rows};
  if (!rewrite_coded(coding, device_batch_entries, m.table, m.value + blockIdx.x * m.bytes, at)) *misfits = 1;
}

// ------------------------------------------------------------ nodes

/// Warps that share a unit of nodes, each of which takes every so manieth step: one alone waits for its loads. 27-point
/// 64^3 with three unknowns, H200: 1.7 ms with one, 0.4 with eight.
inline constexpr unsigned warps_of_nodes = 8;

/// Values of units of nodes.
template <class S, class Index> __global__ void fill_nodes_kernel(Layout<S> a, unsigned units, RowsView<S, Index> rows, Streams<S> to)
{
  const unsigned i = warp_number() / warps_of_nodes, first = warp_number() % warps_of_nodes;
  if (i >= units) return;
  const image::NodeUnit u    = a.node[i];
  const int             lane = static_cast<int>(threadIdx.x) % image::lanes, b = u.rows_of_node, block = u.blocked ? b : 1;
  const image::NodeLane mine  = a.node_lane[i * std::size_t(image::lanes) + lane];
  const int             steps = mine.steps;
  const Index           begin = steps > 0 ? rows.row_ptr[u.row + mine.node * b] : Index(0), length = static_cast<Index>(steps) * block;
  S *const              value = to.node_value + u.value * image::value_grain;
  std::size_t           at    = 0; // values before this step
  for (int k = 0;; ++k) {
    const int live = __popc(__ballot_sync(~0u, steps > k));
    if (live == 0) break;
    if (steps > k && k % warps_of_nodes == first) {
      const Index from = begin + static_cast<Index>(k) * block;
      for (int c = 0; c < block; ++c)
        for (int r = 0; r < b; ++r) value[at + (c * b + r) * live + lane] = rows.val[from + r * length + c];
    }
    at += static_cast<std::size_t>(live * b * block);
  }
  const std::size_t end = (at + image::value_grain - 1) / image::value_grain * image::value_grain;
  if (first == 0 && at + lane < end) value[at + lane] = S(0);
}

} // namespace petscspmv::ccoo::device
