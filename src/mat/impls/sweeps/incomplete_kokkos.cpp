#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "impls/sweeps/analysis.hpp"
#include "impls/sweeps/factor.hpp"
#include "impls/sweeps/kernel_pattern.hpp"
#include "impls/sweeps/triangles.hpp"

namespace petscspmv {
namespace sweeps {
namespace {

/// On the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosFactors final : public IncompleteFactors<Scalar, Index> {
  using View                     = CsrView<Scalar, Index>;
  using S                        = kernels::KokkosScalar<Scalar>;
  using Both                     = Triangles<S, Index, Place>;
  using Memory                   = typename Place::Memory;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  /// All memory of Kokkos'.
  struct Arrays : Both {
    using Both::Both;
    PatternArrays<Index, Memory> pattern;     ///< its sources are of the matrix
    Array<Index>                 order;       ///< [rows] of a solve's vectors, for each row of the pattern; none: the same
    Array<Index>                 elimination; ///< [rows] see AnalysisArrays
    Array<S>                     entry;       ///< [entries] of the factors, in the order of the pattern
    Array<int>                   flaws;       ///< [2] see Factor
  };

  /// The factors on the host.
  struct OnHost {
    kernels::KokkosArray<Index, Kokkos::HostSpace> row_ptr, col, diagonal, order;
    kernels::KokkosArray<S, Kokkos::HostSpace>     entry;
  };

public:
  /// `given`: the pattern of `a`, which the analysis may need. `mirrors`: sources of a symmetric pattern, [entries];
  /// empty: those of the analysis.
  KokkosFactors(const View &a, const PatternArrays<Index, Memory> &given, const Analysis<Scalar, Index> &of, const Array<Index> &mirrors,
                bool symmetric, const Execution &execution)
    : given_(of.matrix), rows_(a.rows), symmetric_(symmetric), memory_(execution.threads)
  {
    memory_.taking([&] {
      const auto &found   = *of.template at<Memory>();
      auto        pattern = pattern_of(memory_, given, found);
      const auto  source  = std::exchange(pattern.source, {}); // values come from the factors' own entries
      nonzeros_           = static_cast<Index>(pattern.col.extent(0));
      kept_               = kernels::make_resident<Arrays>(memory_, pattern, found);
      kept_->pattern      = {own(pattern.row_ptr), own(pattern.col), pattern.diagonal, mirrors.extent(0) > 0 ? mirrors : source};
      kept_->order        = found.order;
      kept_->elimination  = found.elimination;
      kept_->entry        = kernels::new_array<S, Memory>(static_cast<std::size_t>(nonzeros_));
      kept_->flaws        = kernels::new_array<int, Memory>(2);
      memory_.run([&](const auto &exec) {
        flops_ = symmetric ? static_cast<double>(rows_) : by_kernels::elimination_flops(exec, rows_, kept_->pattern.view());
      });
      memory_.wait();
    });
  }

  bool factor(const View &a, const PivotRule &rule) override
  {
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::changes);
    if (a.rows != rows_) throw FormatError("The matrix has another number of rows than the one that was analysed.");
    const bool same = given_.is_of(a);
    on_host_.reset();
    int flaws[] = {0, 0};
    memory_.taking([&] {
      const auto entry = memory_.shown(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      const kernels::KokkosArray<int, Kokkos::HostSpace> back(flaws, 2);
      Array<Index>                                       row_ptr, col; // kept until the device has read them
      if (!same) {
        row_ptr = memory_.shown(a.newest_on_device && a.device_row_ptr ? a.device_row_ptr : a.row_ptr, static_cast<std::size_t>(rows_) + 1);
        col     = memory_.shown(a.newest_on_device && a.device_col ? a.device_col : a.col, static_cast<std::size_t>(a.nonzeros()));
      }
      memory_.run([&](const auto &exec) {
        if (same) gather(exec, entry);
        else find(exec, row_ptr, col, entry);
        queue(exec, rule);
      });
      memory_.copy(kept_->flaws, back);
      memory_.wait();
    });
    has_roots_ = flaws[1] == 0;
    return flaws[0] == 0;
  }

  void solve(Solving what, const Scalar *b, Scalar *x) override
  {
    if (rows_ == 0) return;
    const S *const from = reinterpret_cast<const S *>(b);
    S *const       to   = reinterpret_cast<S *>(x);
    memory_.run(kernels::DeviceWork::writes, [&](const auto &exec) {
      const auto step = [&](const auto &triangle, const S *base) {
        kept_->solve(exec, triangle, Step<S>{base, nullptr, nullptr, to, Start::zero, 1, 0});
      };
      if (what == Solving::upper_root) scale(exec, from, to, false);
      else step(kept_->lower, from);
      if (what == Solving::lower_root) scale(exec, to, to, true);
      else step(kept_->upper, to);
      kept_->end_of_solves(exec);
    });
  }

  void solve_transposed(const Scalar *b, Scalar *x) override
  {
    if (!on_host_) bring_to_host();
    const auto &[row_ptr, col, diagonal, order, entry] = *on_host_;
    // Clang 14 captures no structured binding by its own name.
    const auto     at = [&rows = order](Index r) { return rows.extent(0) ? rows(r) : r; };
    std::vector<S> y(static_cast<std::size_t>(rows_)); // by rows of the pattern
    for (Index r = 0; r < rows_; ++r) y[r] = reinterpret_cast<const S *>(b)[at(r)];
    for (Index r = 0; r < rows_; ++r) {
      y[r] /= entry(diagonal(r));
      for (Index i = diagonal(r) + 1; i < row_ptr(r + 1); ++i) y[col(i)] -= entry(i) * y[r];
    }
    for (Index r = rows_; r-- > 0;)
      for (Index i = row_ptr(r); i < diagonal(r); ++i) y[col(i)] -= entry(i) * y[r];
    for (Index r = 0; r < rows_; ++r) reinterpret_cast<S *>(x)[at(r)] = y[r];
  }

  bool has_roots() const override { return has_roots_; }

  FactorsView<Scalar, Index> on_host() override
  {
    if (!on_host_) bring_to_host();
    const auto &[row_ptr, col, diagonal, order, entry] = *on_host_;
    return {row_ptr.data(), col.data(), diagonal.data(), reinterpret_cast<const Scalar *>(entry.data()),
            order.extent(0) ? order.data() : nullptr};
  }

  Index  nonzeros() const override { return nonzeros_; }
  double flops() const override { return flops_; }

  Footprint footprint() const override
  {
    Footprint f;
    kept_->add_to(f);
    const auto add = [&f](const char *name, const auto &array) { kernels::add_array(f, name, array); };
    add("row pointer", kept_->pattern.row_ptr);
    add("columns", kept_->pattern.col);
    add("diagonal", kept_->pattern.diagonal);
    add("sources", kept_->pattern.source);
    add("order", kept_->order);
    if (kept_->elimination.data() != kept_->lower.row.data()) add("elimination", kept_->elimination);
    add("factors", kept_->entry);
    return f;
  }

  Facts facts() const override { return kept_->facts("solves", memory_.name()); }

private:
  /// A copy of what was borrowed.
  template <class T> Array<T> own(const Array<T> &shown) const
  {
    if (shown.use_count() > 0 || shown.extent(0) == 0) return shown;
    auto copy = kernels::new_array<T, Memory>(shown.extent(0));
    memory_.copy(shown, copy);
    return copy;
  }

  template <class Exec> void gather(const Exec &exec, const Array<S> &given) const
  {
    if (kept_->pattern.source.extent(0) == 0) Kokkos::deep_copy(exec, kept_->entry, given);
    else
      Kokkos::parallel_for("petscspmv values", kernels::indices(exec, nonzeros_),
                           kernels::GatherValues<S, Index, Memory>{kept_->pattern.source, given, kept_->entry});
  }

  /// The same of a matrix with another pattern.
  template <class Exec> void find(const Exec &exec, const Array<Index> &row_ptr, const Array<Index> &col, const Array<S> &given) const
  {
    Kokkos::parallel_for("petscspmv entries", kernels::indices(exec, rows_),
                         FindEntries<S, Index>{kept_->pattern.view(), kept_->order.data(), symmetric_, row_ptr.data(), col.data(),
                                               given.data(), kept_->entry.data()});
  }

  template <class Exec> void queue(const Exec &exec, const PivotRule &rule) const
  {
    kernels::fill(exec, kept_->flaws, 0);
    if (rows_ == 0) return;
    const int lanes = kernels::is_host_space<Exec> ? 1 : tuning::factor_lanes(kept_->lower.block.extent(0) > 0);
    kept_->await(exec, [&](Word *pivot, Index *drawn) { // NOLINT(readability-non-const-parameter)
      Kokkos::parallel_for("petscspmv factor", teams(exec, rows_, tuning::factor_threads_per_team, lanes),
                           Factor<S, Index>{kept_->pattern.view(), rows_, kept_->elimination.data(), kept_->entry.data(), pivot, drawn,
                                            kept_->flaws.data(), rule, lanes});
    });
    kept_->gather(exec, kept_->entry);
    kernels::fill(exec, kept_->lower.diagonal, 1);
  }

  template <class Exec> void scale(const Exec &exec, const S *from, S *to, bool inverse) const
  {
    Kokkos::parallel_for(
      "petscspmv root", kernels::indices(exec, rows_),
      ScaleByRoot<S, Index>{kept_->pattern.diagonal.data(), kept_->order.data(), kept_->entry.data(), from, to, inverse});
  }

  void bring_to_host()
  {
    const auto bring = [this]<class T>(const Array<T> &from) {
      auto to = kernels::new_array<T, Kokkos::HostSpace>(from.extent(0));
      memory_.copy(from, to);
      return to;
    };
    on_host_ = kernels::make_resident<OnHost>(OnHost{bring(kept_->pattern.row_ptr), bring(kept_->pattern.col),
                                                     bring(kept_->pattern.diagonal), bring(kept_->order), bring(kept_->entry)});
    memory_.wait();
  }

  KnownPattern<Scalar, Index>  given_; ///< of the matrix
  Index                        rows_, nonzeros_ = 0;
  double                       flops_ = 0;
  bool                         symmetric_;
  bool                         has_roots_ = true;
  kernels::KokkosMemory<Place> memory_;
  kernels::Resident<Arrays>    kept_;
  kernels::Resident<OnHost>    on_host_; ///< null until somebody asks
};

template <class Place, class Scalar, class Index>
Made<IncompleteFactors<Scalar, Index>> made(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                            const Execution &execution, Making when, KeptAnalysis<Scalar, Index> *kept)
{
  using Memory = typename Place::Memory;
  const kernels::KokkosMemory<Place>  memory(execution.threads);
  KeptAnalysis<Scalar, Index>         analysis;
  PatternArrays<Index, Memory>        given;
  kernels::KokkosArray<Index, Memory> mirrors;
  if (levels == 0) {
    memory.taking([&] { given = pattern_of_matrix(memory, a); });
    analysis = analysed(with_pattern(a, given), order, execution, when, kept);
  }
  if (analysis && symmetric) {
    if (const auto &found = analysis->template at<Memory>())
      memory.taking([&] {
        const auto pattern = pattern_of(memory, given, *found);
        memory.run([&](const auto &exec) { mirrors = by_kernels::mirrors<Memory>(exec, a.rows, pattern.col.extent(0), pattern.view()); });
      });
    if (mirrors.extent(0) == 0) analysis.reset();
  }
  if (!analysis) analysis = analysed_with_fill(a, order, symmetric, levels, execution, when);
  if (std::string why_not = analysis->why_not(when); !why_not.empty()) return {nullptr, std::move(why_not)};
  return {std::make_unique<KokkosFactors<Scalar, Index, Place>>(a, given, *analysis, mirrors, symmetric, execution)};
}

} // namespace
} // namespace sweeps

template <class Scalar, class Index>
Made<IncompleteFactors<Scalar, Index>>
make_incomplete_factors(const CsrView<Scalar, Index> &a, const BlockOrder<std::type_identity_t<Index>> *order, bool symmetric, int levels,
                        const Execution &execution, Making when, KeptAnalysis<Scalar, Index> *kept)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) {
    return sweeps::made<Place, Scalar, Index>(a, order, symmetric, levels, execution, when, kept);
  });
}

#define INSTANTIATE(S, I) \
  template Made<IncompleteFactors<S, I>> make_incomplete_factors(const CsrView<S, I> &, const BlockOrder<I> *, bool, int, \
                                                                 const Execution &, Making, KeptAnalysis<S, I> *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
