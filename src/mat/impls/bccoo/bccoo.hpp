#pragma once

/// \file bccoo.hpp
/// Blocked compressed coordinates, and the same in vertical slices (BCCOO+).
///
/// Y. Zhang, S. Li, S. Yan, H. Zhou: A cross-platform SpMV framework on many-core architectures. ACM Transactions on
/// Architecture and Code Optimization 13(4), 2016, article 33 (yaSpMV).
///
/// The matrix is cut into small dense blocks; those of a row of blocks follow one another, and one bit of each says
/// whether it is the last. Columns of blocks are kept tile by tile in as few bits as they need, values as in ccoo. What
/// a block holds besides entries are zeros; they never meet an infinity or a NaN of x in a row that has no entry there.
/// docs/formats.md has a picture.

#include <functional>
#include <memory>

#include "core/format.hpp"

namespace petscspmv {

template <class Scalar, class Index> class Bccoo {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name              = "bccoo";
  static constexpr std::string_view method            = "blocked compressed coordinates (yaSpMV, Zhang et al. 2016)";
  static constexpr bool             borrows           = false;
  static constexpr bool             on_device         = built_for_device; ///< where kernels are those through Kokkos,
  static constexpr bool             several_on_device = true;             ///< which are for several vectors, too
  static constexpr bool             transposes        = false;

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);
  static Forecast                    forecast(const View &a, const OptionValues &options, MemorySpace space);

  Bccoo(const View &a, const OptionValues &options, const Execution &execution);
  ~Bccoo();
  void      refresh(const View &a);
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);
  void      multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  Footprint footprint() const;
  Facts     facts() const;

  /// By the kernels of bccoo_kokkos.hpp, with teams of `team` threads and `lanes` vector lanes a thread; 0: as many as
  /// suit. Where `team` is given, tiles on the host are those of a device.
  static std::unique_ptr<AnyFormat<Scalar, Index>> through_kokkos(const View &a, const OptionValues &options, const Execution &execution,
                                                                  int team = 0, int lanes = 0);

  /// Calls visit(row, column, value) for every entry as it is kept: slice by slice, block row by block row, block by
  /// block, and in a block row by row. Not on a device.
  void decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const;

private:
  static std::size_t device_bytes(const View &a, const OptionValues &options);

  struct Impl;
  // one of them
  std::unique_ptr<Impl>                     impl_;
  std::unique_ptr<AnyFormat<Scalar, Index>> device_;
};

} // namespace petscspmv
