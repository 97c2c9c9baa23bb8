#pragma once

/// \file format.hpp
/// Any method's kernels through Kokkos as a format, on the host and, in a build for one, on the device.
///
/// Included by one source file for each method, <method>_kokkos.cpp, which a build for CUDA gives to nvcc, once
/// for each flavour of PETSc.

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/runtime.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/resident.hpp"
#include "kernels/kokkos/values.hpp"
#include "kernels/rows/csr_copy.hpp"
#include "kernels/rows/host_view.hpp"

namespace petscspmv::kernels {

/// Rows without entries.
template <class S> struct EmptyRows {
  KokkosRowUpdate<S> update;

  template <class Index> KOKKOS_FUNCTION void operator()(Index row) const { update.empty(row); }
};

/// `Matrix<Scalar, Index, Memory>` is how a method keeps a matrix, and its product:
///
/// - `summary` is what there is to it besides arrays, whatever the memory; these are KokkosArrays, and
///   `static each(visit, m...)` calls visit(name, array...) for those of one matrix, or of some side by side. An array
///   without a name is written by products; it begins as zeros and is not copied.
/// - In Kokkos::HostSpace it is made by a constructor (a, options, for_device).
/// - `multiply(exec, shape, product)` queues y = alpha A x + beta y, for a matrix that has entries and a KokkosProduct, or
///   for several vectors and KokkosProducts. All rows are written, once.
/// - `column_scratch()` bytes of a team's scratch memory that sums for one vector take.
/// - `facts()`.
/// - `borrows_csr`: its `row_ptr`, `col` and `val` are those of AIJ, and the constructor borrows them. On a device, columns
///   and values are borrowed if AIJ has both there. It transposes; others do not.
/// - An array `source` may be left out: for one whose `value` are KokkosValues, each of them entry number source(i) of the
///   CSR matrix, or 0 if that is negative. Its constructor (a, options, for_device, threads) looks at the pattern alone and
///   leaves out the values, which are gathered where the matrix is; they are coded afterwards if `codes(options,
///   for_device)`.
template <class Scalar, class Index, template <class, class, class> class Matrix, class Place>
class KokkosFormat final : public Format<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = KokkosScalar<Scalar>;
  using Kept                    = Matrix<Scalar, Index, typename Place::Memory>;
  using OnHost                  = Matrix<Scalar, Index, Kokkos::HostSpace>;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Kept, OnHost>;
  static constexpr bool gathers = requires(Kept kept) { kept.source; };

  /// Columns of Y that a lane sums: a load of 16 bytes on a device, where several lanes read a row of X together.
  static constexpr int pack = on_host ? 4 : 16 / static_cast<int>(sizeof(S));

  /// Columns that one pass through the matrix is for, at most, and what Kokkos gives a team of a device to share, of 48
  /// KB, besides what it takes itself.
  static constexpr int         most_columns = 8;
  static constexpr std::size_t most_scratch = 46 << 10;

  /// What products with several vectors write besides Y.
  struct Several {
    Kept                                  kept; ///< the same matrix, with room for as many sums
    KokkosArray<Columns<S, pack>, Memory> x;    ///< its columns, most_columns of X beside one another
  };

public:
  KokkosFormat(const View &a, OptionValues options, const Execution &execution)
    : Format<Scalar, Index>(a, execution, on_host && OnHost::borrows_csr ? PatternUse::row_ptr : PatternUse::all), rows_(a.rows),
      cols_(a.cols), options_(std::move(options)), memory_(execution.threads), shape_{execution.team, execution.lanes}
  {
    build(a);
  }

  void take_values(const View &a) override
  {
    if (a.nonzeros() == 0) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(DeviceWork::changes);
    several_.reset();
    if constexpr (gathers) {
      if (refreshed_) gather(a, *kept_);
      else refreshed_ = true, build(a);
    } else if constexpr (!OnHost::borrows_csr) build(a); // NOLINT(bugprone-branch-clone)
    else if constexpr (on_host) borrow_csr(a, *kept_);
    else if (borrowed_ != are_on_device(a)) build(a);
    else if (borrowed_) borrow_on_device(a);
    else {
      if (runtime::is_on_device(a.val)) memory_.copy(borrowed_values<Memory>(a), kept_->val);
      else memory_.copy(borrowed_values<Kokkos::HostSpace>(a), kept_->val);
      memory_.wait();
    }
    if constexpr (OnHost::borrows_csr)
      if (transposed_) build_transposed();
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    // Of the program's threads, one multiplies at a time: what a product writes besides y is the matrix's.
    const std::lock_guard    lock(busy_);
    const Index              n = op == Operation::none ? rows_ : cols_;
    const KokkosRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (alpha == Scalar(0) || !kept_) return scale(n, update);
    if constexpr (OnHost::borrows_csr)
      if (op != Operation::none && !transposed_) build_transposed();
    const Kept            &kept = op == Operation::none ? *kept_ : *transposed_;
    const KokkosProduct<S> product{reinterpret_cast<const S *>(x), update, op == Operation::hermitian};
    memory_.run(has_scratch(kept) ? DeviceWork::writes : DeviceWork::reads,
                [&](const auto &exec) { kept.multiply(exec, shape_, product); });
  }

  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                     int columns) override
  {
    if (op != Operation::none) return Format<Scalar, Index>::multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
    for (int done = 0, n = 0; done < columns; done += n) {
      n = std::min(columns - done, alpha == Scalar(0) || !kept_ ? 1 : columns_a_pass());
      if (n == 1) multiply(Operation::none, alpha, x + done * ldx, beta, y + done * ldy);
      else pass(alpha, x + done * ldx, ldx, beta, y + done * ldy, ldy, n);
    }
  }

  Footprint footprint() const override
  {
    Footprint  f;
    const auto add_to = [&f](const Kept &kept, const std::string &prefix, bool entries, bool row_pointer) {
      Kept::each(
        [&](const std::string &name, const auto &array) {
          const bool borrowed = (entries && (name == "columns" || name == "values")) || (row_pointer && name == "row pointer");
          add_array(f, prefix + (name.empty() ? "parts of sums" : name), array, borrowed);
        },
        kept);
    };
    constexpr bool on_hosts_arrays = on_host && OnHost::borrows_csr;
    if (kept_) add_to(*kept_, "", on_hosts_arrays || borrowed_, on_hosts_arrays);
    if (transposed_) add_to(*transposed_, "transposed ", false, false);
    if (several_) f.arrays.push_back({"several vectors", several_bytes(), false});
    return f;
  }

  Facts facts() const override
  {
    Facts facts{{"kernels", "Kokkos " + memory_.name()}};
    if (kept_)
      for (auto &fact : kept_->facts()) facts.push_back(std::move(fact));
    facts.emplace_back("transpose", transposed_ ? "built" : "not used");
    if (several_) facts.emplace_back("bytes for several vectors", std::to_string(several_bytes()));
    return facts;
  }

private:
  /// A team of several threads has tiles as on a device, on the host, too.
  bool for_device() const { return !on_host || shape_.team > 0; }

  void build(const View &a)
  {
    if (a.nonzeros() == 0) return kept_.reset();
    if constexpr (!on_host && OnHost::borrows_csr)
      if (borrowed_ = are_on_device(a); borrowed_) { // the values do not matter to how it is laid out
        OnHost host(a, options_, for_device());
        host.col = {};
        host.val = {};
        kept_    = make_resident<Kept>(memory_.template brought<Kept>(host));
        return borrow_on_device(a);
      }
    kept_ = make_resident<Kept>(made(a));
  }

  /// With new values, one that gathers them keeps where they are from, and has them as they are. A matrix that never gets
  /// any does not take that memory, which is half as much as its values; the first new ones cost what building does.
  Kept made(const View &a) const
  {
    if constexpr (gathers) {
      Kept kept = memory_.template brought<Kept>(OnHost(a, options_, for_device(), memory_.threads()));
      gather(a, kept);
      if (refreshed_) return kept;
      kept.source = {};
      if (OnHost::codes(options_, for_device())) code(kept);
      return kept;
    } else {
      const HostView host(a);
      return memory_.template brought<Kept>(OnHost(host.view(), options_, for_device()));
    }
  }

  /// The values of `a` in their places, taken from where they are.
  void gather(const View &a, Kept &kept) const
  {
    memory_.taking([&] {
      const std::size_t n = kept.source.extent(0);
      if (kept.value.number.extent(0) == 0) kept.value.number = new_array<S, Memory>(n);
      const auto entry = memory_.shown(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      memory_.run([&](const auto &exec) {
        Kokkos::parallel_for("petscspmv values", indices(exec, static_cast<std::int64_t>(n)),
                             GatherValues<S, Index, Memory>{kept.source, entry, kept.value.number});
      });
      memory_.wait();
    });
  }

  void code(Kept &kept) const
  {
    memory_.taking([&] {
      const auto raw   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kept.value.number);
      const auto coded = coded_values(std::span<const S>(raw.data(), raw.extent(0)), true);
      if (!coded.is_coded()) return;
      kept.value = {
        Kokkos::create_mirror_view_and_copy(Memory(), coded.number), Kokkos::create_mirror_view_and_copy(Memory(), coded.code), {}};
    });
  }

  template <class From> static KokkosArray<S, From> borrowed_values(const View &a)
  {
    return borrowed_array<From>(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
  }

  static bool are_on_device(const View &a) { return a.device_col && runtime::is_on_device(a.val); }

  void borrow_on_device(const View &a)
  {
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
    kept_->col          = borrowed_array<Memory>(a.device_col, nonzeros);
    kept_->val          = borrowed_values<Memory>(a);
  }

  /// The transpose as a matrix of its own.
  void build_transposed()
  {
    const auto host = memory_.template brought<OnHost>(*kept_);
    const View a{rows_, cols_, host.row_ptr.data(), host.col.data(), reinterpret_cast<const Scalar *>(host.val.data())};
    transposed_ = make_resident<Kept>(made(transposed_csr_.emplace(transposed(a)).view()));
    if constexpr (!on_host) transposed_csr_.reset();
  }

  int columns_a_pass() const
  {
    int columns = most_columns;
    while (columns > pack && columns * kept_->column_scratch() > most_scratch) columns /= 2;
    return columns;
  }

  /// Y = alpha A X + beta Y for n vectors, 2 to columns_a_pass().
  void pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n)
  {
    const std::lock_guard lock(busy_);
    if (!several_) make_room_for_several();
    int shift = 0;
    while (n > pack << shift) ++shift;
    const KokkosRowUpdates<S, pack> updates{KokkosRowUpdate<S>(S(alpha), S(beta), reinterpret_cast<S *>(y)), ldy, n};
    memory_.run(DeviceWork::writes, [&](const auto &exec) {
      Kokkos::parallel_for("petscspmv several vectors", indices(exec, std::int64_t(cols_) << shift),
                           Interleave<S, pack>{reinterpret_cast<const S *>(x), ldx, n, shift, several_->x.data()});
      several_->kept.multiply(exec, shape_, KokkosProducts<S, pack>{several_->x.data(), updates, false, shift});
    });
  }

  void make_room_for_several()
  {
    auto several = make_resident<Several>();
    memory_.taking([&] {
      several->kept = *kept_;
      several->x    = new_array<Columns<S, pack>, Memory>(static_cast<std::size_t>(cols_) * most_columns / pack);
      each_scratch(several->kept, [this](auto &array) {
        array = new_array<typename std::decay_t<decltype(array)>::value_type, Memory>(array.extent(0) * most_columns);
        memory_.zero(array);
      });
      memory_.wait();
    });
    several_ = std::move(several);
  }

  /// Arrays that products write besides y.
  template <class Visit> static void each_scratch(Kept &kept, const Visit &visit)
  {
    Kept::each(
      [&visit](const std::string &name, auto &array) {
        if (name.empty()) visit(array);
      },
      kept);
  }

  static bool has_scratch(const Kept &kept)
  {
    bool has = false;
    Kept::each([&has](const char *name, const auto &array) { has = has || (*name == 0 && array.extent(0) > 0); }, kept);
    return has;
  }

  std::size_t several_bytes() const
  {
    std::size_t bytes = several_->x.extent(0) * sizeof(Columns<S, pack>);
    each_scratch(several_->kept, [&bytes](auto &array) { bytes += array.extent(0) * sizeof(*array.data()); });
    return bytes;
  }

  void scale(Index n, const KokkosRowUpdate<S> &update) const
  {
    memory_.run([&](const auto &exec) {
      using Exec = std::decay_t<decltype(exec)>;
      Kokkos::parallel_for("petscspmv scale", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, n), EmptyRows<S>{update});
    });
  }

  Index                             rows_, cols_;
  OptionValues                      options_;
  KokkosMemory<Place>               memory_;
  KokkosShape                       shape_;
  Resident<Kept>                    kept_, transposed_; ///< nothing if there are no entries; and until it is needed
  Resident<Several>                 several_;           ///< nothing until it is needed
  bool                              borrowed_  = false; ///< columns and values on the device are AIJ's
  bool                              refreshed_ = false;
  std::optional<Csr<Scalar, Index>> transposed_csr_; ///< where transposed_ borrows it
  std::mutex                        busy_;
};

/// Throws FormatError if Kokkos cannot be started, or if there is no room or no device.
template <template <class, class, class> class Matrix, class Scalar, class Index>
FormatPtr<Scalar, Index> make_kokkos_format(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return made_at(execution.space, [&]<class Place>(Place) -> FormatPtr<Scalar, Index> {
    return std::make_unique<KokkosFormat<Scalar, Index, Matrix, Place>>(a, options, execution);
  });
}

} // namespace petscspmv::kernels
