#pragma once

/// \file host_product.hpp
/// What products on plain arrays of one process have in common: x, y, and values of their own.

#include <algorithm>
#include <cstddef>

#include "peers/peer.hpp"

namespace petscspmv::bench {

class HostProduct : public Product {
public:
  explicit HostProduct(const Setup &setup)
    : matrix_(*setup.matrix.rows), threads_(setup.threads), values_(matrix_.val), x_(std::size_t(matrix_.cols)),
      y_(std::size_t(matrix_.rows))
  {
  }

  void set_x(std::span<const double> local) override { std::copy(local.begin(), local.end(), x_.begin()); }
  void fill_y(double value) override { std::fill(y_.begin(), y_.end(), value); }
  void read_y(std::span<double> local) const override { std::copy(y_.begin(), y_.end(), local.begin()); }
  void scale_values(double factor) override
  {
    for (double &v : values_) v *= factor;
  }

protected:
  const CsrMatrix &matrix() const { return matrix_; } ///< the pattern; its values are those at the beginning
  const double    *values() const { return values_.data(); }
  double          *values() { return values_.data(); }
  const double    *x() const { return x_.data(); }
  double          *y() { return y_.data(); }
  int              threads() const { return threads_; }

private:
  const CsrMatrix    &matrix_;
  int                 threads_;
  std::vector<double> values_, x_, y_;
};

} // namespace petscspmv::bench
