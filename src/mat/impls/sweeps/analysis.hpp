#pragma once

/// \file analysis.hpp
/// What is found out of a pattern before sweeps or factors are made.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/known_pattern.hpp"
#include "impls/sweeps/making.hpp"
#include "impls/sweeps/swept_pattern.hpp"

namespace petscspmv {
namespace sweeps {

/// How both triangles are solved.
template <class Index> struct Schedules {
  Schedule<Index>    lower, upper;
  std::vector<Index> colour; ///< [colours + 1] blocks; empty: there are none, and rows wait

  /// Rows of the pattern in an order in which each comes after those left of its diagonal, and that many threads can take rows
  /// in, [rows]: by level, or by colour and level in the block.
  UnsetVector<Index> elimination(int threads) const;
};

} // namespace sweeps

template <class Scalar, class Index> struct Analysis {
  KnownPattern<Scalar, Index>             matrix;
  BlockOrder<Index>                       order; ///< none: the rows' own
  sweeps::SweptPattern<Index>             swept;
  std::optional<sweeps::Schedules<Index>> by;          ///< of blocks, if teams have room for those of `order`; none: as why_not()
  std::int64_t                            levels;      ///< of both triangles; without schedules perhaps of one
  std::int64_t                            most_levels; ///< with more, PETSc's is faster

  /// `swept`: the pattern of `a` in this order, perhaps with more entries. Ends when it knows that nothing is to be made.
  Analysis(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, sweeps::SweptPattern<Index> swept, int threads, Making when);

  const Index *rows() const { return order.row.empty() ? nullptr : order.row.data(); }
  /// Why nothing is made; empty: something is.
  std::string why_not(Making when) const;
};

/// Of the pattern of `a` in this order: what is kept, if it is that, or a new one, which is kept then.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, int threads, Making when,
                                     KeptAnalysis<Scalar, Index> *kept);

/// Of this pattern, or its upper triangle and the transpose of that, with fill.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed_with_fill(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                               int threads, Making when);

} // namespace petscspmv
