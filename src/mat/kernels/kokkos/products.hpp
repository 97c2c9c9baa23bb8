#pragma once

/// \file products.hpp
/// Products through Kokkos, of one method's matrix as of another's.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "core/format.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::kernels {

/// Rows without entries.
template <class S> struct EmptyRows {
  KokkosRowUpdate<S> update;

  template <class Index> KOKKOS_FUNCTION void operator()(Index row) const { update.empty(row); }
};

/// Visits the arrays that products write besides y. `Kept` is a matrix of kernels/kokkos/format.hpp.
template <class Kept, class Visit> void each_scratch(Kept &kept, const Visit &visit)
{
  Kept::each(
    [&visit](const char *name, auto &array) {
      if (*name == 0 && array.extent(0) > 0) visit(array);
    },
    kept);
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

  /// The arrays of the matrix have changed.
  void reset() { room_.reset(); }

  std::size_t bytes() const
  {
    std::size_t bytes = room_->x.extent(0) * sizeof(Columns<S, pack>);
    each_scratch(room_->kept, [&bytes](auto &array) { bytes += array.extent(0) * sizeof(*array.data()); });
    return bytes;
  }

  /// Calls some(column, n) for some columns at a time: pass() is for those n, or if there is but one, a product with
  /// one vector.
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

/// A format, but for how its matrix gets to the place. `Kept` is a matrix there.
template <class Scalar, class Index, class Kept, class Place> class ThroughKokkos : public Format<Scalar, Index> {
public:
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) final
  {
    // Of the program's threads, one multiplies at a time: what a product writes besides y is the matrix's.
    const std::lock_guard    lock(busy_);
    const KokkosRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (alpha == Scalar(0) || !kept_)
      return memory_.run([&](const auto &exec) {
        Kokkos::parallel_for("petscspmv scale", indices(exec, op == Operation::none ? rows_ : cols_), EmptyRows<S>{update});
      });
    const Kept &kept = matrix(op);
    DeviceWork  work = DeviceWork::reads;
    each_scratch(kept, [&work](const auto &) { work = DeviceWork::writes; });
    const KokkosProduct<S> product{reinterpret_cast<const S *>(x), update, op == Operation::hermitian};
    memory_.run(work, [&](const auto &exec) { kept.multiply(exec, shape_, product); });
  }

  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                     int columns) final
  {
    const bool is_plain = op == Operation::none;
    if (alpha == Scalar(0) || !kept_ || (memory_.on_host && !is_plain))
      return Format<Scalar, Index>::multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
    auto &several = is_plain ? several_ : several_transposed_;
    several.multiply(*kept_, columns, [&](int c, int n) {
      if (n == 1) return multiply(op, alpha, x + c * ldx, beta, y + c * ldy);
      const std::lock_guard    lock(busy_);
      const Kept              &kept = matrix(op);
      const KokkosRowUpdate<S> first(S(alpha), S(beta), reinterpret_cast<S *>(y + c * ldy));
      several.pass(memory_, kept, shape_, is_plain ? cols_ : rows_, reinterpret_cast<const S *>(x + c * ldx), ldx, first, ldy, n);
    });
  }

  Footprint footprint() const override
  {
    Footprint f;
    if (kept_) add_arrays(f, "", *kept_);
    if (several_) f.arrays.push_back({"several vectors", several_.bytes(), false});
    if (several_transposed_) f.arrays.push_back({"transposed several vectors", several_transposed_.bytes(), false});
    return f;
  }

protected:
  using View                    = CsrView<Scalar, Index>;
  using S                       = KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = KokkosMemory<Place>::on_host;

  ThroughKokkos(const View &a, OptionValues options, const Execution &execution, PatternUse use)
    : Format<Scalar, Index>(a, execution, use), rows_(a.rows), cols_(a.cols), options_(std::move(options)),
      memory_(execution.threads), shape_{execution.team, execution.lanes}
  {
  }

  /// The matrix, or its transpose. Called by one thread of the program at a time, if there are entries.
  virtual const Kept &matrix(Operation) { return *kept_; }

  /// A team of several threads has tiles as on a device, on the host, too.
  bool for_device() const { return !on_host || shape_.team > 0; }

  Facts facts_of(bool is_transposed) const
  {
    Facts facts = kept_ ? kept_->facts() : Facts();
    facts.emplace_back("transpose", is_transposed ? "built" : "not used");
    if (several_) facts.emplace_back("bytes for several vectors", std::to_string(several_.bytes()));
    return facts;
  }
  std::pair<std::string, std::string> fact_of_place() const { return {"kernels", "Kokkos " + memory_.name()}; }

  Index                          rows_, cols_;
  OptionValues                   options_;
  KokkosMemory<Place>            memory_;
  KokkosShape                    shape_;
  Resident<Kept>                 kept_; ///< nothing if there are no entries
  SeveralVectors<S, Kept, Place> several_, several_transposed_;

private:
  std::mutex busy_;
};

} // namespace petscspmv::kernels
