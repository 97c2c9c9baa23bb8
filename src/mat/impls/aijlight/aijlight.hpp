#pragma once

/// \file aijlight.hpp
/// Dynamic row distribution on plain CSR.
///
/// Y. Liu, B. Schmidt: LightSpMV: faster CSR-based sparse matrix-vector multiplication on CUDA-enabled GPUs. 26th IEEE
/// International Conference on Application-specific Systems, Architectures and Processors (ASAP 2015), 82-89.
///
/// Rows are dealt in tickets, and a thread that finishes takes the next ticket. Which ticket somebody gets is different each
/// time, how a row is summed is not. Rows that are much longer than others are cut in pieces that are tickets of their
/// own (the original does not do that).

#include <memory>

#include "core/format.hpp"

namespace petscspmv {

template <class Scalar, class Index> class AijLight {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  static constexpr std::string_view name       = "aijlight";
  static constexpr std::string_view method     = "dynamic row distribution on plain CSR (LightSpMV, Liu & Schmidt 2015)";
  static constexpr bool             borrows    = true;
  static constexpr bool             on_device  = built_for_device;
  static constexpr bool             transposes = true;

  static std::span<const OptionSpec> options();
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options);

  AijLight(const View &a, const OptionValues &options, const Execution &execution);
  ~AijLight();
  void refresh(const View &a);
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);
  void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  void multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);
  Footprint footprint() const;
  Facts     facts() const;

  /// By the kernels of aijlight_kokkos.hpp, with teams of `team` threads and `lanes` vector lanes a thread; 0: as many
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
