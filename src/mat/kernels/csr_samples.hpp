#pragma once

/// \file csr_samples.hpp
/// What a matrix is like, from its sizes and some samples of its rows and columns: what decides on the way through it on the host.

#include <cstdint>

#include "core/csr_view.hpp"

namespace petscspmv::kernels {

/// Answers about one matrix; each looks at no more than some samples.
template <class Scalar, class Index> class CsrSamples {
public:
  explicit CsrSamples(const CsrView<Scalar, Index> &a) : a_(a) { }

  /// Whether a core's own caches hold columns and values, and whether any cache does.
  bool in_core_caches() const;
  bool in_caches() const;

  /// Whether x is scattered over memory: windows of entries touch about as many of its cache lines as they have entries.
  bool scattered() const;

  /// Whether rows are as long as their neighbours, so that a loop over rows ends where the processor predicts it.
  bool even() const;

  /// Whether rows have so many entries in the mean, or more.
  bool mean_reaches(std::int64_t entries) const { return a_.nonzeros() >= entries * a_.rows; }

  /// Whether rows with the same columns are better summed side by side than one after the other.
  bool suits_nodes() const;

private:
  std::int64_t bytes() const;

  const CsrView<Scalar, Index> &a_;
};

} // namespace petscspmv::kernels
