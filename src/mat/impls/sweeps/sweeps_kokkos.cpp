#include <memory>
#include <string>
#include <type_traits>

#include "core/for_each_type.hpp"
#include "impls/sweeps/analysis.hpp"
#include "impls/sweeps/kernel_pattern.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "impls/sweeps/triangles.hpp"

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
  using View                     = CsrView<Scalar, Index>;
  using S                        = kernels::KokkosScalar<Scalar>;
  using Memory                   = typename Place::Memory;
  using Kept                     = Triangle<S, Index, Memory>;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  /// All memory of Kokkos'.
  struct Arrays : Triangles<S, Index, Place> {
    using Triangles<S, Index, Place>::Triangles;
    Array<S> work; ///< [rows] sums over the other triangle, then what a forward sweep leaves to a backward one
  };

public:
  /// `given`: the pattern of `a`.
  KokkosSweeps(const View &a, const PatternArrays<Index, Memory> &given, const Analysis<Scalar, Index> &of, const Execution &execution)
    : Sweeps<Scalar, Index>(of.matrix), rows_(a.rows), nonzeros_(a.nonzeros()), memory_(execution.threads)
  {
    memory_.taking([&] {
      const auto &found = *of.template at<Memory>();
      kept_             = kernels::make_resident<Arrays>(memory_, pattern_of(memory_, given, found), found);
      kept_->work       = kernels::new_array<S, Memory>(static_cast<std::size_t>(rows_));
    });
    gather(a);
  }

  void relax(const Relaxation &what, const Scalar *b, Scalar *x) override
  {
    if (rows_ == 0) return;
    memory_.run(kernels::DeviceWork::writes,
                [&](const auto &exec) { iterate(exec, what, reinterpret_cast<const S *>(b), reinterpret_cast<S *>(x)); });
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
    kernels::add_array(f, "vectors", kept_->work);
    return f;
  }

  Facts facts() const override { return kept_->facts("sweeps", memory_.name()); }

private:
  void take_values(const View &a) override
  {
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::changes);
    gather(a);
  }

  void gather(const View &a)
  {
    memory_.taking([&] {
      const auto   entry = memory_.shown(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      std::int64_t zeros = 0;
      memory_.run([&](const auto &exec) {
        kept_->gather(exec, entry);
        Kokkos::parallel_reduce("petscspmv zeros", kernels::indices(exec, rows_), CountZeros<S, Memory>{kept_->lower.diagonal}, zeros);
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
    Kokkos::parallel_for("petscspmv diagonal", kernels::indices(exec, rows_),
                         AddDiagonal<S, Index>{kept_->lower.row.data(), diagonal, factor, shift, from, x, to});
  }

  template <class Exec> void multiply(const Exec &exec, const Kept &triangle, const S *x, S *sum) const
  {
    Kokkos::parallel_for("petscspmv sweep's product", teams(exec, triangle.slices(), tuning::slice_rows),
                         Product<S, Index>{triangle.view(), x, sum});
  }

  Index                        rows_, nonzeros_;
  kernels::KokkosMemory<Place> memory_;
  kernels::Resident<Arrays>    kept_;
  bool                         has_zero_ = false; ///< on the diagonal
};

} // namespace
} // namespace sweeps

template <class Scalar, class Index>
Made<Sweeps<Scalar, Index>> make_sweeps(const CsrView<Scalar, Index> &a, const BlockOrder<std::type_identity_t<Index>> *order,
                                        const Execution &execution, Making when, KeptAnalysis<Scalar, Index> *kept)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) -> Made<Sweeps<Scalar, Index>> {
    const kernels::KokkosMemory<Place>                   memory(execution.threads);
    sweeps::PatternArrays<Index, typename Place::Memory> given;
    memory.taking([&] { given = sweeps::pattern_of_matrix(memory, a); });
    const auto analysis = analysed(with_pattern(a, given), order, execution, when, kept);
    if (std::string why_not = analysis->why_not(when); !why_not.empty()) return {nullptr, std::move(why_not)};
    auto sweeps = std::make_unique<sweeps::KokkosSweeps<Scalar, Index, Place>>(a, given, *analysis, execution);
    if (auto &found = *analysis->template at<typename Place::Memory>(); found.by_kernels) // again soon
      found.pattern = {{}, {}, found.pattern.diagonal, {}};
    return {std::move(sweeps)};
  });
}

#define INSTANTIATE(S, I) \
  template Made<Sweeps<S, I>> make_sweeps(const CsrView<S, I> &, const BlockOrder<I> *, const Execution &, Making, KeptAnalysis<S, I> *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
