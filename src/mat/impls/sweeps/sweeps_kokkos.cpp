#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "impls/sweeps/swept_pattern.hpp"
#include "impls/sweeps/triangles.hpp"
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

/// to = from + factor * diagonal * x, row by row.
template <class S, class Index> struct AddDiagonal {
  const Index *row;      ///< [rows] of each slot
  const S     *diagonal; ///< [rows] of each slot; null: ones
  double       factor, shift;
  const S     *from, *x;
  S           *to;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const
  {
    const Index r = row[slot];
    to[r]         = from[r] + S(factor) * (diagonal ? diagonal[slot] + S(shift) : S(1)) * x[r];
  }
};

/// On the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosSweeps final : public Sweeps<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = kernels::KokkosScalar<Scalar>;
  using Both                    = Triangles<S, Index, Place>;
  using Kept                    = typename Both::Kept;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = Both::on_host;

  /// All memory of Kokkos'.
  struct Arrays : Both {
    using Both::Both;
    kernels::KokkosArray<S, Memory> work; ///< [rows] sums over the other triangle, then what a forward sweep leaves to a backward one
  };

public:
  KokkosSweeps(const View &a, const SweptPattern<Index> &of, const Schedules<Index> &by, const Index *order, const Execution &execution)
    : Sweeps<Scalar, Index>(a, execution), rows_(a.rows), nonzeros_(a.nonzeros()), threads_(execution.threads)
  {
    memory_.taking([&] {
      kept_       = std::make_unique<Arrays>(of.pattern, by, order, threads_);
      kept_->work = kernels::new_array<S, Memory>(static_cast<std::size_t>(rows_));
      if (order) take_from(of.made.source);
      kept_->pattern    = {};
      kept_->vector_row = {};
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

  void relax(const Relaxation &what, const Scalar *b, Scalar *x) override
  {
    if (rows_ == 0) return;
    [[maybe_unused]] const auto turn = take_turn(kernels::DeviceWork::writes);
    Place::run(threads_, [&](const auto &exec) { iterate(exec, what, reinterpret_cast<const S *>(b), reinterpret_cast<S *>(x)); });
  }

  bool has_zero_on_diagonal() const override { return has_zero_; }

  /// As PETSc counts: it takes each triangle for half of the entries.
  double flops(const Relaxation &what) const override
  {
    if (what.what == Relaxing::eisenstat) return 2.0 * nonzeros_ + 6.0 * rows_ - 1;
    const int sweeps = what.forward + what.backward, first = what.zero_guess ? sweeps : sweeps + 1;
    return static_cast<double>(nonzeros_) * (first + (what.iterations - 1.0) * (sweeps + 1));
  }

  Footprint footprint() const override
  {
    Footprint f;
    kept_->add_to(f);
    f.arrays.push_back({"vectors", kept_->work.extent(0) * sizeof(S), false});
    return f;
  }

  Facts facts() const override { return kept_->facts("sweeps"); }

private:
  void take_values(const View &a) override
  {
    [[maybe_unused]] const auto turn = take_turn(kernels::DeviceWork::changes);
    gather(a);
  }

  /// Keeps the streams of a device in order.
  auto take_turn([[maybe_unused]] kernels::DeviceWork work)
  {
    if constexpr (on_host) return 0;
    else return kernels::StreamTurn(order_, work);
  }

  /// Gathers values by entries of the matrix, no longer of the pattern.
  void take_from(const UnsetVector<Index> &source)
  {
    const auto                                       names = kept_->shown(source.data(), source.size());
    std::vector<kernels::KokkosArray<Index, Memory>> before; // kept until the device has read them
    Place::run(threads_, [&](const auto &exec) {
      for (Kept *triangle : {&kept_->lower, &kept_->upper})
        for (auto *array : {&triangle->source, &triangle->diagonal_source}) {
          before.push_back(*array);
          *array = kept_->renamed(exec, names, *array);
        }
    });
    memory_.wait();
  }

  void gather(const View &a)
  {
    memory_.taking([&] {
      const auto   entry = kept_->shown(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      std::int64_t zeros = 0;
      Place::run(threads_, [&](const auto &exec) {
        using Rows = Kokkos::RangePolicy<std::decay_t<decltype(exec)>, Kokkos::IndexType<std::int64_t>>;
        kept_->gather(exec, entry);
        Kokkos::parallel_reduce("petscspmv zeros", Rows(exec, 0, rows_), CountZeros<S, Memory>{kept_->lower.diagonal}, zeros);
      });
      memory_.wait();
      has_zero_ = zeros > 0;
    });
  }

  template <class Exec> void iterate(const Exec &exec, const Relaxation &what, const S *b, S *x) const
  {
    S *const work = kept_->work.data();
    if (what.what == Relaxing::sweeps) sweep(exec, what, b, x, work);
    else if (what.what == Relaxing::upper) {
      multiply(exec, kept_->upper, b, work);
      add_diagonal(exec, kept_->lower.diagonal.data(), 1 / what.omega, what.shift, work, b, x);
    } else {
      kept_->solve(exec, kept_->upper, Step<S>{b, nullptr, nullptr, x, Start::zero, what.omega, what.shift});
      add_diagonal(exec, kept_->lower.diagonal.data(), 1 - 2 / what.omega, 0, b, x, work);
      kept_->solve(exec, kept_->lower, Step<S>{work, nullptr, nullptr, work, Start::zero, what.omega, what.shift});
      add_diagonal(exec, nullptr, 1, 0, work, x, x);
    }
    kept_->end_of_solves(exec);
  }

  template <class Exec> void sweep(const Exec &exec, const Relaxation &what, const S *b, S *x, S *work) const
  {
    bool       guess = !what.zero_guess;
    const auto solve = [&](const Kept &triangle, const S *base, const S *other, S *keep, S *to, Start start) {
      if (what.omega == 1) start = Start::zero; // 1 - omega is 0
      kept_->solve(exec, triangle, Step<S>{base, other, keep, to, start, what.omega, what.shift});
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
  }

  template <class Exec>
  void add_diagonal(const Exec &exec, const S *diagonal, double factor, double shift, const S *from, const S *x, S *to) const
  {
    Kokkos::parallel_for("petscspmv diagonal", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows_),
                         AddDiagonal<S, Index>{kept_->lower.row.data(), diagonal, factor, shift, from, x, to});
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

} // namespace
} // namespace sweeps

template <class Scalar, class Index>
std::unique_ptr<Sweeps<Scalar, Index>> make_sweeps(const CsrView<Scalar, Index> &a, const BlockOrder<std::type_identity_t<Index>> *order,
                                                   const Execution &execution, bool only_if_faster)
{
  if (execution.space == MemorySpace::device && !runtime::has_device()) throw FormatError(runtime::device_problem());
  const int                         threads = execution.threads;
  const Index *const                rows    = order ? order->row.data() : nullptr;
  const sweeps::SweptPattern<Index> of(sweeps::Pattern<Index>(a, threads), rows, threads);
  const auto                        by = sweeps::schedules<kernels::KokkosScalar<Scalar>>(of.pattern, order, threads, only_if_faster);
  kernels::need_kokkos();
  if (execution.space == MemorySpace::host)
    return std::make_unique<sweeps::KokkosSweeps<Scalar, Index, kernels::KokkosHost>>(a, of, by, rows, execution);
  if constexpr (!kernels::is_host_space<Kokkos::DefaultExecutionSpace>)
    return std::make_unique<sweeps::KokkosSweeps<Scalar, Index, kernels::KokkosDevice>>(a, of, by, rows, execution);
  throw FormatError(runtime::device_problem());
}

#define INSTANTIATE(S, I) \
  template std::unique_ptr<Sweeps<S, I>> make_sweeps(const CsrView<S, I> &, const BlockOrder<I> *, const Execution &, bool);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
