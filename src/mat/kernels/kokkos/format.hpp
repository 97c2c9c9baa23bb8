#pragma once

/// \file format.hpp
/// Any method's kernels through Kokkos as a format, on the host and, in a build for one, on the device.
///
/// Included by one source file for each method, <method>_kokkos.cpp, which a build for CUDA gives to nvcc.

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/runtime.hpp"
#include "kernels/device/order.hpp"
#include "kernels/kokkos/instance.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/rows/csr_copy.hpp"
#include "kernels/rows/host_view.hpp"

namespace petscspmv::kernels {

/// The host: Kokkos' threads, if they may be had, or the calling thread.
struct KokkosHost {
  using Memory = Kokkos::HostSpace;

  template <class Go> static void run(int threads, const Go &go)
  {
    if (threads > 1 && runtime::has_workers()) go(Kokkos::DefaultHostExecutionSpace());
    else go(Kokkos::Serial());
  }
  static std::string name(int threads) { return threads > 1 ? Kokkos::DefaultHostExecutionSpace::name() : Kokkos::Serial::name(); }
};

/// The device of this build.
struct KokkosDevice {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;

  template <class Go> static void run(int, const Go &go) { go(current_instance()); }
  static std::string              name(int) { return Kokkos::DefaultExecutionSpace::name(); }
};

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
/// - In Kokkos::HostSpace it is made by a constructor (a, options, for_device), and `for_each_entry(visit)` calls
///   visit(row, column, value).
/// - `multiply(exec, shape, product)` queues y = alpha A x + beta y, for a matrix that has entries and a KokkosProduct, or
///   for several vectors and KokkosProducts. All rows are written, once.
/// - `column_scratch()` bytes of a team's scratch memory that sums for one vector take.
/// - `facts()`.
/// - `borrows_csr`: its `row_ptr`, `col` and `val` are those of AIJ, and the constructor borrows them. On a device, columns
///   and values are borrowed if AIJ has both there.
template <class Scalar, class Index, template <class, class, class> class Matrix, class Place>
class KokkosFormat final : public AnyFormat<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = KokkosScalar<Scalar>;
  using Kept                    = Matrix<Scalar, Index, typename Place::Memory>;
  using OnHost                  = Matrix<Scalar, Index, Kokkos::HostSpace>;
  static constexpr bool on_host = std::is_same_v<Kept, OnHost>;

  /// Columns of Y that a lane sums: a load of 16 bytes on a device, where several lanes read a row of X together.
  static constexpr int pack = on_host ? 4 : 16 / static_cast<int>(sizeof(S));

  /// Columns that one pass through the matrix is for, at most, and what Kokkos gives a team of a device to share, of 48
  /// KB, besides what it takes itself.
  static constexpr int         most_columns = 8;
  static constexpr std::size_t most_scratch = 46 << 10;

  /// What products with several vectors write besides Y.
  struct Several {
    Kept                                                  kept; ///< the same matrix, with room for as many sums
    KokkosArray<Columns<S, pack>, typename Place::Memory> x;    ///< its columns, most_columns of X beside one another
  };

public:
  KokkosFormat(const View &a, OptionValues options, int threads, const KokkosShape &shape)
    : rows_(a.rows), cols_(a.cols), options_(std::move(options)), threads_(threads), shape_(shape)
  {
    build(a);
  }

  /// Programs may destroy a matrix when Kokkos has ended, which then takes no memory back.
  ~KokkosFormat() override
  {
    if (!Kokkos::is_finalized()) return;
    static_cast<void>(kept_.release());
    static_cast<void>(transposed_.release());
    static_cast<void>(several_.release());
  }
  KokkosFormat(const KokkosFormat &)            = delete;
  KokkosFormat &operator=(const KokkosFormat &) = delete;

  void refresh(const View &a) override
  {
    if (a.nonzeros() == 0) return;
    [[maybe_unused]] const auto turn = take_turn(DeviceWork::changes);
    several_.reset();
    if constexpr (!OnHost::borrows_csr) build(a);
    else if constexpr (on_host) borrow_csr(a, *kept_);
    else if (borrowed_ != are_on_device(a)) build(a);
    else if (borrowed_) borrow_on_device(a);
    else {
      const auto copy = [&]<class Memory>(Memory) {
        const auto from = borrowed_array<Memory>(reinterpret_cast<const S *>(a.val), kept_->val.extent(0));
        Place::run(threads_, [&](const auto &exec) { Kokkos::deep_copy(exec, kept_->val, from); });
      };
      if (runtime::is_on_device(a.val)) copy(typename Place::Memory());
      else copy(Kokkos::HostSpace());
      wait();
    }
    if (transposed_) build_transposed();
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    // Of the program's threads, one multiplies at a time: what a product writes besides y is the matrix's.
    const std::lock_guard    lock(busy_);
    const Index              n = op == Operation::none ? rows_ : cols_;
    const KokkosRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (alpha == Scalar(0) || !kept_) return scale(n, update);
    if (op != Operation::none && !transposed_) build_transposed();
    const Kept                 &kept = op == Operation::none ? *kept_ : *transposed_;
    const KokkosProduct<S>      product{reinterpret_cast<const S *>(x), update, op == Operation::hermitian};
    [[maybe_unused]] const auto turn = take_turn(has_scratch(kept) ? DeviceWork::writes : DeviceWork::reads);
    Place::run(threads_, [&](const auto &exec) { kept.multiply(exec, shape_, product); });
  }

  void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns) override
  {
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
          const std::size_t bytes = array.extent(0) * sizeof(*array.data());
          if (bytes == 0) return;
          const bool borrowed = (entries && (name == "columns" || name == "values")) || (row_pointer && name == "row pointer");
          f.arrays.push_back({prefix + (name.empty() ? "parts of sums" : name), bytes, borrowed});
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
    Facts facts{{"kernels", std::string("Kokkos ") + Place::name(threads_)}};
    if (kept_)
      for (auto &fact : kept_->facts()) facts.push_back(std::move(fact));
    facts.emplace_back("transpose", transposed_ ? "built" : "not used");
    if (several_) facts.emplace_back("bytes for several vectors", std::to_string(several_bytes()));
    return facts;
  }

private:
  /// A team of several threads has tiles as on a device, on the host, too.
  bool for_device() const { return !on_host || shape_.team > 0; }

  /// On a device, where streams are kept in order. What is built is there when building is over.
  auto take_turn([[maybe_unused]] DeviceWork work)
  {
    if constexpr (on_host) return 0;
    else return StreamTurn(order_, work);
  }

  /// On a device, waits for what is queued.
  void wait() const
  {
    if constexpr (!on_host) Place::run(threads_, [](const auto &exec) { exec.fence("petscspmv: a matrix is brought to the device"); });
  }

  void build(const View &a)
  {
    if (a.nonzeros() == 0) return kept_.reset();
    if constexpr (on_host) kept_ = std::make_unique<Kept>(a, options_, for_device());
    else if (borrowed_ = OnHost::borrows_csr && are_on_device(a); borrowed_) { // the values do not matter to how it is laid out
      if constexpr (OnHost::borrows_csr) {
        OnHost host(a, options_, for_device());
        host.col = {};
        host.val = {};
        kept_    = std::make_unique<Kept>(brought<Kept>(host));
        borrow_on_device(a);
      }
    } else {
      const HostView host(a);
      kept_ = std::make_unique<Kept>(brought<Kept>(OnHost(host.view(), options_, for_device())));
    }
  }

  static bool are_on_device(const View &a) { return a.device_col && runtime::is_on_device(a.val); }

  void borrow_on_device(const View &a)
  {
    using Memory        = typename Place::Memory;
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
    kept_->col          = borrowed_array<Memory>(a.device_col, nonzeros);
    kept_->val          = borrowed_array<Memory>(reinterpret_cast<const S *>(a.val), nonzeros);
  }

  /// The transpose as a matrix of its own.
  void build_transposed()
  {
    const OnHost              host = brought<OnHost>(*kept_);
    const Csr<Scalar, Index> &csr  = transposed_csr_.emplace(cols_, rows_, [&host](const auto &visit) {
      host.for_each_entry([&visit](Index row, Index col, Scalar value) { visit(col, row, value); });
    });
    transposed_                    = std::make_unique<Kept>(brought<Kept>(OnHost(csr.view(), options_, for_device())));
    if constexpr (!on_host || !OnHost::borrows_csr) transposed_csr_.reset();
  }

  template <class Take> static void taking_memory(const Take &take)
  {
    try {
      take();
    } catch (const std::exception &e) {
      if constexpr (on_host) throw;
      throw FormatError(std::string("The device has no room for the matrix (") + e.what() +
                        "). Spread it over more devices, or use host vectors.");
    }
  }

  /// The same matrix in another memory, or itself.
  template <class To, class From> To brought(const From &from) const
  {
    if constexpr (std::is_same_v<To, From>) return from;
    else {
      To to;
      to.summary = from.summary;
      taking_memory([&] {
        Place::run(threads_, [&](const auto &exec) {
          To::each(
            [&exec](const std::string &name, auto &array, const auto &source) {
              using Array = std::decay_t<decltype(array)>;
              array       = new_array<typename Array::value_type, typename Array::memory_space>(source.extent(0));
              if (name.empty()) Kokkos::deep_copy(exec, array, typename Array::value_type());
              else Kokkos::deep_copy(exec, array, source);
            },
            to, from);
        });
        wait();
      });
      return to;
    }
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
    [[maybe_unused]] const auto turn  = take_turn(DeviceWork::writes);
    int                         shift = 0;
    while (n > pack << shift) ++shift;
    const KokkosRowUpdates<S, pack> updates{KokkosRowUpdate<S>(S(alpha), S(beta), reinterpret_cast<S *>(y)), ldy, n};
    Place::run(threads_, [&](const auto &exec) {
      using Exec = std::decay_t<decltype(exec)>;
      const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> groups(exec, 0, std::int64_t(cols_) << shift);
      Kokkos::parallel_for("petscspmv several vectors", groups,
                           Interleave<S, pack>{reinterpret_cast<const S *>(x), ldx, n, shift, several_->x.data()});
      several_->kept.multiply(exec, shape_, KokkosProducts<S, pack>{several_->x.data(), updates, false, shift});
    });
  }

  void make_room_for_several()
  {
    auto several = std::make_unique<Several>();
    taking_memory([&] {
      several->kept = *kept_;
      several->x    = new_array<Columns<S, pack>, typename Place::Memory>(static_cast<std::size_t>(cols_) * most_columns / pack);
      each_scratch(several->kept, [](auto &array) {
        using Array = std::decay_t<decltype(array)>;
        array       = Array("petscspmv", array.extent(0) * most_columns);
      });
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
    Place::run(threads_, [&](const auto &exec) {
      using Exec = std::decay_t<decltype(exec)>;
      Kokkos::parallel_for("petscspmv scale", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, n), EmptyRows<S>{update});
    });
  }

  Index                             rows_, cols_;
  OptionValues                      options_;
  int                               threads_;
  KokkosShape                       shape_;
  std::unique_ptr<Kept>             kept_, transposed_; ///< nothing if there are no entries; and until it is needed
  std::unique_ptr<Several>          several_;           ///< nothing until it is needed
  bool                              borrowed_ = false;  ///< columns and values on the device are AIJ's
  std::optional<Csr<Scalar, Index>> transposed_csr_;    ///< where transposed_ borrows it
  std::mutex                        busy_;
  StreamOrder                       order_; ///< on a device
};

/// Throws FormatError if Kokkos cannot be started.
inline void need_kokkos()
{
  if (!runtime::start_kokkos())
    throw FormatError("These kernels need Kokkos, which cannot be started here (it has ended, the process was forked, or it is in a "
                      "parallel region); leave out -mat_spmv_kernels kokkos, or choose a type with kernels of its own, such as ccoo.");
}

/// Throws FormatError if Kokkos cannot be started, or if there is no room or no device.
template <template <class, class, class> class Matrix, class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_kokkos_format(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                             const Execution &execution, const KokkosShape &shape)
{
  const bool on_host = execution.space == MemorySpace::host;
  if (!on_host && !runtime::has_device()) throw FormatError(runtime::device_problem());
  need_kokkos();
  if (on_host) return std::make_unique<KokkosFormat<Scalar, Index, Matrix, KokkosHost>>(a, options, execution.threads, shape);
  if constexpr (!is_host_space<Kokkos::DefaultExecutionSpace>)
    return std::make_unique<KokkosFormat<Scalar, Index, Matrix, KokkosDevice>>(a, options, execution.threads, shape);
  throw FormatError(runtime::device_problem());
}

} // namespace petscspmv::kernels
