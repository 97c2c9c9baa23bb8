#pragma once

/// \file aijspec.hpp
/// Speculative segmented sum on plain CSR.
///
/// W. Liu, B. Vinter: Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors.
/// Parallel Computing 49 (2015) 179-193, sections 3.1 and 3.2; arXiv:1504.06474.

#include <memory>

#include "core/format.hpp"

namespace petscspmv {

template <class Scalar, class Index> class AijSpec {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name       = "aijspec";
  static constexpr std::string_view method     = "speculative segmented sum on plain CSR (Liu & Vinter 2015)";
  static constexpr bool             borrows    = true;
  static constexpr bool             on_device  = built_for_device;
  static constexpr bool             transposes = true;

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);

  AijSpec(const View &a, const OptionValues &options, const Execution &execution);
  ~AijSpec();
  void refresh(const View &a);
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);
  void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  void multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  Footprint footprint() const;
  Facts     facts() const;

  /// By the kernels of aijspec_kokkos.hpp, with teams of `team` threads and `lanes` vector lanes a thread; 0: as many
  /// as suit. Where `team` is given, tiles on the host are those of a device.
  static std::unique_ptr<AnyFormat<Scalar, Index>> through_kokkos(const View &a, const OptionValues &options, const Execution &execution,
                                                                  int team = 0, int lanes = 0);

private:
  struct Impl;
  // one of them
  std::unique_ptr<Impl>                     impl_;
  std::unique_ptr<AnyFormat<Scalar, Index>> device_;
};

} // namespace petscspmv
