#pragma once

/// \file bccoo_impl.hpp
/// What a Bccoo owns.

#include <vector>

#include "impls/bccoo/bccoo.hpp"
#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/bccoo_plan.hpp"
#include "kernels/host/arena.hpp"
#include "kernels/host/scratch_pool.hpp"

namespace petscspmv {

template <class Scalar, class Index> struct Bccoo<Scalar, Index>::Impl {
  using Plan = bccoo::Plan<Scalar, Index>;

  Impl(const View &a, const OptionValues &options, const Execution &execution);

  /// Takes new values. If a tile's do not fit their coding any more, all is analysed and written anew.
  void refresh(const View &a);

  bccoo::Layout<Scalar> layout() const;

  /// What a product writes besides y.
  struct Scratch {
    std::vector<Scalar> part;    ///< sums of parts of cut block rows
    std::vector<Scalar> waiting; ///< [slices][block rows][rows of a block] sums of slices; zero where there are no blocks
  };

  /// Sums of parts of cut block rows.
  std::size_t parts() const { return plan.part_begin.size() * static_cast<std::size_t>(plan.grid.shape.rows); }
  Scratch     new_scratch() const
  {
    return {std::vector<Scalar>(parts()), std::vector<Scalar>(static_cast<std::size_t>(plan.waiting()), Scalar(0))};
  }

  /// What the kernels need for y = alpha A x + beta y, with room for the sums of parts and, where there are slices, of
  /// these.
  bccoo::Task<Scalar> task(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y, Scalar *sums_of_parts, Scalar *waiting) const;

  /// Y = alpha A X + beta Y with n <= kernels::pass_columns vectors and alpha != 0, where there are no slices.
  void multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n);

  OptionValues                              options;
  int                                       threads;
  kernels::Isa                              isa;
  Plan                                      plan;
  bccoo::Multiply<Scalar>                   kernel;
  kernels::Arena                            structure, columns, values;
  std::vector<const Scalar *>               tables; ///< of plan.tables, and one more that nobody uses
  std::vector<std::size_t>                  shares; ///< thread i has the tiles shares[i] .. shares[i + 1] - 1
  kernels::ScratchPool<Scratch>             scratch;
  kernels::ScratchPool<std::vector<Scalar>> pass_part; ///< sums of parts for several vectors

private:
  void allocate();
  void write(const View &a);
  bool encode(kernels::ValueEncoder<Scalar> &encoder, const bccoo::Tile &t, const std::vector<Scalar> &from) const;
  void deal();
};

} // namespace petscspmv
