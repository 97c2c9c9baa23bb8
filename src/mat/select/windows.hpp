#pragma once

/// \file windows.hpp
/// Some runs of consecutive rows that stand for a matrix, so that looking at it takes a part of the time.

#include <cstdint>
#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::select {

/// The windows are spread evenly over the rows. They are the same for the same matrix, each time. A view of a window
/// borrows the matrix's columns and values, and numbers its rows from 0; columns are the matrix's. Values on a device
/// are brought to the host, those of the windows.
template <class Scalar, class Index> class Windows {
public:
  using View = CsrView<Scalar, Index>;

  /// Windows with about `entries` >= 1 entries together, or more where that is less than several rows; the whole
  /// matrix, as one window, where it has no more than twice as many.
  Windows(const View &a, std::int64_t entries);
  Windows(const Windows &)            = delete;
  Windows &operator=(const Windows &) = delete;

  const std::vector<View> &views() const { return views_; }

  /// Entries of the matrix for each entry in windows, at least 1.
  double scale() const { return scale_; }

private:
  void add(const View &a, Index first, std::int64_t quota);
  void add(View window);

  std::vector<std::vector<Index>>  row_ptrs_; ///< [views]
  std::vector<std::vector<Scalar>> brought_;  ///< values that were on a device
  std::vector<View>                views_;
  double                           scale_ = 1;
};

} // namespace petscspmv::select
