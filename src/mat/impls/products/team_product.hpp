#pragma once

/// \file team_product.hpp
/// Products of sparse matrices by teams: on a device, and, through Kokkos, on the host.

#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/known_pattern.hpp"
#include "impls/products/product.hpp"
#include "impls/products/sums.hpp"
#include "impls/products/tables.hpp"
#include "kernels/host/arena.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

/// The rows of a product of two matrices.
template <class Index> struct Step {
  Multipliers<Index>                               by;
  Blocks<Index>                                    b;
  Blocks<Index>                                    c       = {};
  std::int64_t                                     rows    = 0; ///< of C
  const std::int64_t                              *before  = nullptr;
  std::variant<const std::uint8_t *, const Rank *> places  = {};
  Index                                            longest = 0; ///< row of C, in entries
  CrewShape                                        shape   = {};
};

template <class Scalar, class Index, class Place> class TeamProduct final : public SparseProduct<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = kernels::KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

public:
  TeamProduct(ProductKind kind, const View &a, const View &b, FactorBlocks<Index> size, int threads, int team)
    : a_(a, threads), b_(b, threads), team_(on_host && team == 0 ? 1 : team), memory_(threads), room_(make_resident<Room<Memory>>()),
      of_columns_(make_resident<Room<Memory>>())
  {
    memory_.taking([&] {
      memory_.run([&](const auto &exec) {
        if (!blocks_fit(exec, kind, {pattern_at<Place>(a), a.rows}, {pattern_at<Place>(b), b.rows}, size)) size = {};
        make(exec, kind, a, b, by_blocks(exec, *room_, pattern_at<Place>(a), a.rows, size.a_rows, size.a_cols, a.nonzeros()),
             by_blocks(exec, *room_, pattern_at<Place>(b), b.rows, size.b_rows, size.b_cols, b.nonzeros()));
        exec.fence("petscspmv product: its structure is there");
      });
    });
  }

  std::span<const Index> row_ptr() const override { return row_ptr_; }
  void                   columns(Index *to) const override { bring(c_.number, c_.size, to); }
  double                 flops() const override { return flops_; }
  void                   forget_pattern() override
  {
    of_columns_.reset();
    row_ptr_ = {};
  }

  bool values(const View &a, const View &b, Scalar *c) override
  {
    if (!a_.is_of(a) || !b_.is_of(b)) return false;
    borrow(a, b);
    const auto *const a_value = reinterpret_cast<const S *>(a.val), *const b_value = reinterpret_cast<const S *>(b.val);
    S *const to = reinterpret_cast<S *>(c);
    memory_.run([&](const auto &exec) {
      if (by_rows_) sum(exec, *by_rows_, a_value, b_value, by_columns_ ? between_ : to);
      if (by_columns_) sum(exec, *by_columns_, by_rows_ ? b_value : a_value, by_rows_ ? between_ : b_value, to);
      exec.fence("petscspmv product: its values are there");
    });
    return true;
  }

private:
  /// The arrays of the factors may have moved, or be those of others.
  void borrow(const View &a, const View &b)
  {
    const auto take = [](Blocks<Index> &of, const View &from) {
      if (of.are_entries()) of.nodes = pattern_at<Place>(from);
    };
    if (by_rows_) {
      take(by_rows_->by.a, a);
      by_rows_->by.lists = by_rows_->by.a.nodes;
      take(by_rows_->b, b);
    }
    if (by_columns_) take(by_columns_->by.a, by_rows_ ? b : a);
    if (by_columns_ && !by_rows_) take(by_columns_->b, b);
  }

  template <class Exec>
  void make(const Exec &exec, ProductKind kind, const View &a, const View &b, const Blocks<Index> &left, const Blocks<Index> &right)
  {
    const Index        n = a.rows / left.rows, cols = b.cols / right.cols;
    const std::int64_t of_left = a.nonzeros() / (left.rows * left.cols), of_right = b.nonzeros() / (right.rows * right.cols);
    Blocks<Index>      between    = right;
    std::int64_t       of_between = of_right;
    Lists<Index>       c;
    if (kind != ProductKind::atb) {
      by_rows_.emplace(Step<Index>{{left.nodes, left}, right});
      c          = structure(exec, *by_rows_, n, b.rows / right.rows, cols, of_left, of_right);
      between    = by_rows_->c;
      of_between = c.size;
    }
    if (kind == ProductKind::ab) return keep(exec, c, n, left.rows, right.cols);
    const auto        &factor    = kind == ProductKind::ptap ? right : left;
    const std::int64_t of_factor = kind == ProductKind::ptap ? of_right : of_left;
    const Index        columns   = (kind == ProductKind::ptap ? b : a).cols / factor.cols;
    const auto         lists     = columns_of(exec, *room_, factor.nodes, n, columns, of_factor);
    by_columns_.emplace(Step<Index>{{lists.rows, factor, lists.entry}, between});
    if (by_rows_) between_ = room_->template take<S>(of_between * between.rows * between.cols);
    c = structure(exec, *by_columns_, columns, n, cols, of_factor, of_between);
    keep(exec, c, columns, factor.cols, right.cols);
  }

  /// Completes a step of n lists, whose B has so many rows and columns of nodes.
  template <class Exec>
  Lists<Index> structure(const Exec &exec, Step<Index> &step, Index n, Index b_rows, Index cols, std::int64_t of_a, std::int64_t of_b)
  {
    Room<Memory> temporary;
    const auto   rows  = lists_of_rows(exec, *room_, step.by.lists, n, step.b.nodes, cols, of_a + of_b);
    const auto   shape = crew_shape(team_, n, of_b, b_rows);
    const Index *count = count_columns(exec, temporary, rows, shape);
    Lists<Index> c{room_->template take<Index>(std::int64_t(n) + 1)};
    c.size             = sum_before(exec, n, c.start, Counted<Index>{count});
    c.number           = of_columns_->template take<Index>(c.size);
    step.rows          = std::int64_t(n) * step.by.outer();
    step.c             = {c.pattern(), step.by.outer(), step.b.cols};
    step.before        = rows.before;
    const auto longest = static_cast<Index>(largest_step(exec, n, c.start));
    step.longest       = longest * step.b.cols;
    step.shape         = crew_shape(team_, step.rows, of_b * step.b.cols, b_rows);
    const auto fill    = [&](auto *places) {
      fill_columns(exec, temporary, rows, count, shape, c, places);
      step.places = places;
    };
    if (longest <= 1 << 8) fill(room_->template take<std::uint8_t>(rows.total));
    else fill(room_->template take<Rank>(rows.total));
    flops_ += 2. * static_cast<double>(rows.total) * step.by.a.rows * step.by.a.cols * step.b.cols;
    exec.fence("petscspmv product: what is temporary is given back");
    return c;
  }

  /// Keeps C's pattern.
  template <class Exec> void keep(const Exec &exec, const Lists<Index> &nodes, Index n, Index rows, Index cols)
  {
    c_ = rows == 1 && cols == 1 ? nodes : expanded(exec, *of_columns_, nodes.pattern(), n * rows, rows, cols);
    row_ptr_.resize(static_cast<std::size_t>(n) * rows + 1);
    bring(c_.start, std::int64_t(n) * rows + 1, row_ptr_.data());
  }

  void bring(const Index *from, std::int64_t n, Index *to) const
  {
    memory_.copy_to_host(from, static_cast<std::size_t>(n), to);
    memory_.wait();
  }

  template <class Exec> static void sum(const Exec &exec, const Step<Index> &step, const S *a, const S *b, S *c)
  {
    constexpr std::size_t most  = std::size_t(24) << 10; // bytes of a team: 7-point 128^3 has 50 entries in a row of C, and 6 KiB
    CrewShape             shape = step.shape;
    std::size_t           bytes = static_cast<std::size_t>(step.longest) * sizeof(S);
    shape.by_team               = shape.by_team && pieces_of_list * bytes <= most;
    if (shape.by_team) bytes *= pieces_of_list;
    const Index longest = bytes <= most / 4 || shape.by_team ? step.longest : 0;
    std::visit(
      [&](const auto *places) {
        using Number    = std::remove_cvref_t<decltype(*places)>;
        const auto sums = [&]<bool scalars>() {
          with_crew(exec, step.rows, shape, longest ? bytes : 0, most, [&]<bool by_team>() {
            return SumRows<scalars, by_team, S, Index, Number>{step.by, step.b, step.c, step.before, places, step.rows, longest, a, b, c};
          });
        };
        if (step.b.cols == 1) sums.template operator()<true>();
        else sums.template operator()<false>();
      },
      step.places);
  }

  KnownPattern<Scalar, Index>  a_, b_;
  int                          team_; ///< threads for a row; 0: what suits
  kernels::KokkosMemory<Place> memory_;
  Resident<Room<Memory>>       room_;       ///< of all arrays that are kept
  Resident<Room<Memory>>       of_columns_; ///< of the columns of A P and C, until nobody needs them
  std::optional<Step<Index>>   by_rows_, by_columns_;
  S                           *between_ = nullptr; ///< the entries of A P
  Lists<Index>                 c_;                 ///< C, of entries
  UnsetVector<Index>           row_ptr_;
  double                       flops_ = 0;
};

} // namespace
} // namespace petscspmv::products
