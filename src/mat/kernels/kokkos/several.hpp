#pragma once

/// \file several.hpp
/// Products through Kokkos with several vectors at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::kernels {

/// Rows without entries.
template <class S> struct EmptyRows {
  KokkosRowUpdate<S> update;

  template <class Index> KOKKOS_FUNCTION void operator()(Index row) const { update.empty(row); }
};

/// Queues what `update` makes of n rows without entries.
template <class Place, class S, class Index> void empty_rows(const KokkosMemory<Place> &memory, Index n, const KokkosRowUpdate<S> &update)
{
  memory.run([&](const auto &exec) { Kokkos::parallel_for("petscspmv scale", indices(exec, n), EmptyRows<S>{update}); });
}

/// Visits the arrays that products write besides y. `Kept` is a matrix of kernels/kokkos/format.hpp.
template <class Kept, class Visit> void each_scratch(Kept &kept, const Visit &visit)
{
  Kept::each(
    [&visit](const char *name, auto &array) {
      if (*name == 0 && array.extent(0) > 0) visit(array);
    },
    kept);
}

/// What a product with one vector does with the memory of a matrix.
template <class Kept> DeviceWork work_of(const Kept &kept)
{
  DeviceWork work = DeviceWork::reads;
  each_scratch(kept, [&work](const auto &) { work = DeviceWork::writes; });
  return work;
}

/// What products of a matrix write besides Y, in the memory at a place. It is made by the first of them.
template <class S, class Kept, class Place> class SeveralVectors {
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

  /// Columns of Y that a lane sums: a load of 16 bytes on a device, where several lanes read a row of X together.
  static constexpr int pack = on_host ? 4 : 16 / static_cast<int>(sizeof(S));

  /// Columns that one pass through the matrix is for, at most, and what Kokkos gives a team of a device to share, of 48
  /// KB, besides what it takes itself.
  static constexpr int         most_columns = 8;
  static constexpr std::size_t most_scratch = 46 << 10;

public:
  explicit operator bool() const { return static_cast<bool>(room_); }

  /// The matrix has changed.
  void reset() { room_.reset(); }

  std::size_t bytes() const
  {
    std::size_t bytes = room_->x.extent(0) * sizeof(Columns<S, pack>);
    each_scratch(room_->kept, [&bytes](auto &array) { bytes += array.extent(0) * sizeof(*array.data()); });
    return bytes;
  }

  /// Calls some(column, n) for some columns at a time: pass() is for those n, or if there is but one, a product with one vector.
  template <class Some> static void multiply(const Kept &kept, int columns, const Some &some)
  {
    int most = most_columns;
    while (most > pack && most * kept.column_scratch() > most_scratch) most /= 2;
    for (int done = 0; done < columns; done += most) some(done, std::min(columns - done, most));
  }

  /// Y = alpha A X + beta Y for n columns, and A of `cols` columns; `first` is for the first column of Y.
  template <class Index>
  void pass(KokkosMemory<Place> &memory, const Kept &kept, const KokkosShape &shape, Index cols, const S *x, std::int64_t ldx,
            const KokkosRowUpdate<S> &first, std::int64_t ldy, int n)
  {
    if (!room_) make_room(memory, kept, cols);
    int shift = 0;
    while (n > pack << shift) ++shift;
    memory.run(DeviceWork::writes, [&](const auto &exec) {
      Kokkos::parallel_for("petscspmv several vectors", indices(exec, std::int64_t(cols) << shift),
                           Interleave<S, pack>{x, ldx, n, shift, room_->x.data()});
      room_->kept.multiply(exec, shape, KokkosProducts<S, pack>{room_->x.data(), {first, ldy, n}, false, shift});
    });
  }

private:
  struct Room {
    Kept                                  kept; ///< the same matrix, with room for as many sums
    KokkosArray<Columns<S, pack>, Memory> x;    ///< its columns, most_columns of X beside one another
  };

  template <class Index> void make_room(const KokkosMemory<Place> &memory, const Kept &kept, Index cols)
  {
    auto room = make_resident<Room>();
    memory.taking([&] {
      room->kept = kept;
      room->x    = new_array<Columns<S, pack>, Memory>(static_cast<std::size_t>(cols) * most_columns / pack);
      each_scratch(room->kept, [&memory](auto &array) {
        array = new_array<typename std::decay_t<decltype(array)>::value_type, Memory>(array.extent(0) * most_columns);
        memory.zero(array);
      });
      memory.wait();
    });
    room_ = std::move(room);
  }

  Resident<Room> room_;
};

} // namespace petscspmv::kernels
