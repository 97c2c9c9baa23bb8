#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "impls/sweeps/triangle.hpp"
#include "kernels/device/order.hpp"
#include "kernels/kokkos/format.hpp"

namespace petscspmv {
namespace sweeps {
namespace {

/// Counts zeros.
template <class S, class Memory> struct CountZeros {
  kernels::KokkosArray<S, Memory> number;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t &zeros) const { zeros += number(i) == S(0); }
};

/// Both triangles of a matrix, on the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosSweeps final : public Sweeps<Scalar, Index> {
  using View                     = CsrView<Scalar, Index>;
  using S                        = kernels::KokkosScalar<Scalar>;
  using Memory                   = typename Place::Memory;
  using Kept                     = Triangle<S, Index, Memory>;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;
  static constexpr bool on_host  = std::is_same_v<Memory, Kokkos::HostSpace>;

  /// All memory of Kokkos'.
  struct Arrays {
    Kept                 lower, upper;
    Array<S>             work;       ///< [rows] sums over the other triangle, then what a forward sweep leaves to a backward one
    Array<kernels::Word> awaited[2]; ///< [rows] numbers: x by slots; solves use them in turn
    Array<Index>         drawn[2];   ///< [1]
  };

public:
  KokkosSweeps(const View &a, const Pattern<Index> &pattern, const Schedule<Index> &lower, const Schedule<Index> &upper, int threads)
    : rows_(a.rows), nonzeros_(a.nonzeros()), threads_(threads), kept_(std::make_unique<Arrays>())
  {
    const auto n = static_cast<std::size_t>(rows_);
    fill(pattern, lower, upper);
    memory_.taking([&] {
      kept_->work = kernels::new_array<S, Memory>(n);
      for (const int k : {0, 1}) {
        kept_->awaited[k] = kernels::new_array<kernels::Word, Memory>(n * kernels::words<S>);
        kept_->drawn[k]   = kernels::new_array<Index, Memory>(1);
        Place::run(threads_, [&](const auto &exec) { make_ready(exec, k); });
      }
    });
    gather(a);
  }

  /// A program may destroy a matrix after Kokkos has ended. Kokkos then takes no memory back.
  ~KokkosSweeps() override
  {
    if (Kokkos::is_finalized()) static_cast<void>(kept_.release());
  }
  KokkosSweeps(const KokkosSweeps &)            = delete;
  KokkosSweeps &operator=(const KokkosSweeps &) = delete;

  void refresh(const View &a) override
  {
    [[maybe_unused]] const auto turn = take_turn(kernels::DeviceWork::changes);
    gather(a);
  }

  void relax(const Relaxation &what, const Scalar *b, Scalar *x) override
  {
    if (rows_ == 0) return;
    [[maybe_unused]] const auto turn = take_turn(kernels::DeviceWork::writes);
    Place::run(threads_, [&](const auto &exec) { iterate(exec, what, reinterpret_cast<const S *>(b), reinterpret_cast<S *>(x)); });
  }

  bool has_zero_on_diagonal() const override { return has_zero_; }

  /// PETSc takes each triangle for half of the entries.
  double flops(const Relaxation &what) const override
  {
    const int sweeps = what.forward + what.backward, first = what.zero_guess ? sweeps : sweeps + 1;
    return static_cast<double>(nonzeros_) * (first + (what.iterations - 1.0) * (sweeps + 1));
  }

  Footprint footprint() const override
  {
    Footprint  f;
    const auto add_to = [&f](const std::string &prefix) {
      return [&f, prefix](const std::string &name, const auto &array) {
        f.arrays.push_back({prefix + name, array.extent(0) * sizeof(*array.data()), false});
      };
    };
    Kept::each(add_to("lower "), kept_->lower);
    Kept::each(add_to("upper "), kept_->upper);
    add_to("")("vectors", kept_->work);
    for (const auto &awaited : kept_->awaited) add_to("")("vectors", awaited);
    return f;
  }

  Facts facts() const override
  {
    return {
      {"sweeps by", "Kokkos " + Place::name(threads_)},
      {"levels of sweeps",
       std::to_string(kept_->lower.summary.levels) + " forward, " + std::to_string(kept_->upper.summary.levels) + " backward"},
      {"slices of sweeps", std::to_string(kept_->lower.slices()) + " forward, " + std::to_string(kept_->upper.slices()) + " backward"}};
  }

private:
  /// Keeps the streams of a device in order.
  auto take_turn([[maybe_unused]] kernels::DeviceWork work)
  {
    if constexpr (on_host) return 0;
    else return kernels::StreamTurn(order_, work);
  }

  /// An array of the host, there. It is borrowed on the host.
  template <class T> Array<T> there(const T *from, std::size_t n) const
  {
    const auto host = kernels::borrowed_array<Kokkos::HostSpace>(from, n);
    if constexpr (on_host) return host;
    else {
      const auto array = kernels::new_array<T, Memory>(n);
      memory_.copy(host, array);
      return array;
    }
  }

  void fill(const Pattern<Index> &pattern, const Schedule<Index> &lower, const Schedule<Index> &upper)
  {
    kept_->lower = kernels::brought<Kept>(memory_, Triangle<S, Index, Kokkos::HostSpace>(lower));
    kept_->upper = kernels::brought<Kept>(memory_, Triangle<S, Index, Kokkos::HostSpace>(upper));
    memory_.taking([&] {
      const auto                         n = static_cast<std::size_t>(rows_);
      const PatternArrays<Index, Memory> arrays{there(pattern.row_ptr, n + 1), there(pattern.col, static_cast<std::size_t>(nonzeros_)),
                                                there(pattern.diagonal.data(), n)};
      const Array<Index>                 slots[] = {there(lower.slot.data(), n), there(upper.slot.data(), n)};
      Place::run(threads_, [&](const auto &exec) {
        kept_->lower.fill(exec, arrays, slots[0], lower.begin.back());
        kept_->upper.fill(exec, arrays, slots[1], upper.begin.back());
      });
      memory_.wait();
    });
  }

  /// Brings the values of `a` to their places, from the memory where they are.
  void gather(const View &a)
  {
    memory_.taking([&] {
      const auto borrowed = [&a]<class From>(From) {
        return kernels::borrowed_array<From>(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      };
      const bool here  = on_host || runtime::is_on_device(a.val);
      const auto entry = here ? borrowed(Memory()) : kernels::new_array<S, Memory>(static_cast<std::size_t>(a.nonzeros()));
      if (!here) memory_.copy(borrowed(Kokkos::HostSpace()), entry);
      std::int64_t zeros = 0;
      Place::run(threads_, [&](const auto &exec) {
        using Rows = Kokkos::RangePolicy<std::decay_t<decltype(exec)>, Kokkos::IndexType<std::int64_t>>;
        kept_->lower.gather(exec, entry);
        kept_->upper.gather(exec, entry);
        Kokkos::parallel_reduce("petscspmv zeros", Rows(exec, 0, rows_), CountZeros<S, Memory>{kept_->lower.diagonal}, zeros);
      });
      memory_.wait();
      has_zero_ = zeros > 0;
    });
  }

  template <class Exec> void make_ready(const Exec &exec, int k) const
  {
    Kokkos::deep_copy(exec, kept_->awaited[k], kernels::not_there);
    Kokkos::deep_copy(exec, kept_->drawn[k], Index(0));
  }

  /// awaited[0] is ready before and after, so that a graph can replay this.
  template <class Exec> void iterate(const Exec &exec, const Relaxation &what, const S *b, S *x) const
  {
    S *const   work   = kept_->work.data();
    bool       guess  = !what.zero_guess;
    int        solves = 0;
    const auto solve  = [&](const Kept &triangle, const S *base, const S *other, S *keep, S *to, Start start) {
      if (what.omega == 1) start = Start::zero; // 1 - omega is 0
      const int k = solves++ % 2, n = 1 - k;
      sweep(exec, triangle, Step<S>{base, other, keep, to, start, what.omega, what.shift},
             Waiting<Index>{kept_->awaited[k].data(), kept_->awaited[n].data(), kept_->drawn[k].data(), kept_->drawn[n].data()});
    };
    for (int i = 0; i < what.iterations; ++i, guess = true) {
      if (what.forward) {
        S *const kept = guess ? work : x; // where the forward sweep leaves b - L x to the backward one
        if (guess) multiply(exec, kept_->upper, x, work);
        solve(kept_->lower, b, guess ? work : nullptr, what.backward ? kept : nullptr, what.backward && !guess ? nullptr : x,
              guess ? Start::x : Start::zero);
        if (what.backward) solve(kept_->upper, kept, nullptr, nullptr, x, guess ? Start::x : Start::base_over_diagonal);
      } else if (what.backward) {
        if (guess) multiply(exec, kept_->lower, x, work);
        solve(kept_->upper, b, guess ? work : nullptr, nullptr, x, guess ? Start::x : Start::zero);
      }
    }
    if (solves % 2) make_ready(exec, 0);
  }

  template <class Exec> void sweep(const Exec &exec, const Kept &triangle, const Step<S> &step, const Waiting<Index> &waiting) const
  {
    const auto by = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
      constexpr tuning::Launch launch = tuning::launches[n];
      constexpr int            ahead  = std::min(launch.ahead, 16 / kernels::words<S>);
      Kokkos::parallel_for("petscspmv sweep", teams(exec, triangle.slices(), launch.threads_per_team),
                           Solve<ahead, S, Index>{triangle.view(), step, waiting});
    };
    if (triangle.summary.width <= tuning::launches[0].width) by(std::integral_constant<std::size_t, 0>());
    else if (triangle.summary.width <= tuning::launches[1].width) by(std::integral_constant<std::size_t, 1>());
    else by(std::integral_constant<std::size_t, 2>());
  }

  template <class Exec> void multiply(const Exec &exec, const Kept &triangle, const S *x, S *sum) const
  {
    Kokkos::parallel_for("petscspmv sweep's product", teams(exec, triangle.slices(), tuning::slice_rows),
                         Product<S, Index>{triangle.view(), x, sum});
  }

  Index                        rows_, nonzeros_;
  int                          threads_;
  kernels::KokkosMemory<Place> memory_{threads_};
  std::unique_ptr<Arrays>      kept_;
  bool                         has_zero_ = false; ///< on the diagonal
  kernels::StreamOrder         order_;            ///< on a device
};

/// The schedules of both triangles; a thread makes each.
template <class Index> std::pair<Schedule<Index>, Schedule<Index>> schedules(const Pattern<Index> &pattern, int threads)
{
  std::optional<Schedule<Index>> of[2];
  runtime::for_each_batch(threads, 2, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<int>(first); k < static_cast<int>(last); ++k) of[k].emplace(pattern, k == 0 ? Side::lower : Side::upper);
  });
  return {std::move(*of[0]), std::move(*of[1])};
}

} // namespace
} // namespace sweeps

template <class Scalar, class Index>
std::unique_ptr<Sweeps<Scalar, Index>> make_sweeps(const CsrView<Scalar, Index> &a, const Execution &execution, bool only_if_faster)
{
  if (execution.space == MemorySpace::device && !runtime::has_device()) throw FormatError(runtime::device_problem());
  const sweeps::Pattern<Index> pattern(a, execution.threads);
  const auto [lower, upper] = sweeps::schedules(pattern, execution.threads);
  if (const double there = sweeps::device_seconds(lower, upper, sizeof(Scalar)), here = sweeps::host_seconds(pattern);
      only_if_faster && here < there)
    throw FormatError("A symmetric sweep, which has " + std::to_string(lower.levels + upper.levels) + " levels, would take " +
                      std::to_string(std::int64_t(1e6 * there)) + " us on the device and " + std::to_string(std::int64_t(1e6 * here)) +
                      " us on the host, copies included. Another order of the rows has fewer levels; -mat_spmv_sweeps exact sweeps on the "
                      "device all the same.");
  kernels::need_kokkos();
  if (execution.space == MemorySpace::host)
    return std::make_unique<sweeps::KokkosSweeps<Scalar, Index, kernels::KokkosHost>>(a, pattern, lower, upper, execution.threads);
  if constexpr (!kernels::is_host_space<Kokkos::DefaultExecutionSpace>)
    return std::make_unique<sweeps::KokkosSweeps<Scalar, Index, kernels::KokkosDevice>>(a, pattern, lower, upper, execution.threads);
  throw FormatError(runtime::device_problem());
}

#define INSTANTIATE(S, I) template std::unique_ptr<Sweeps<S, I>> make_sweeps(const CsrView<S, I> &, const Execution &, bool);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
