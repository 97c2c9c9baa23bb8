#pragma once

/// \file device_product.hpp
/// What products on plain arrays of the device have in common: x, y, and the values as their user has them.

#include <vector>

#include "device/events.hpp"
#include "kernels/device/memory/array.cuh"
#include "peers/peer.hpp"

namespace petscspmv::bench {

using kernels::DeviceArray;

template <class T> DeviceArray<T> uploaded(const std::vector<T> &from)
{
  DeviceArray<T> array(from.size());
  array.upload(from.data());
  return array;
}

/// All work goes to kernels::current_stream(), which is the one that products are timed on.
class DeviceProduct : public Product {
public:
  explicit DeviceProduct(const Setup &setup)
    : matrix_(*setup.matrix.rows), values_(matrix_.val), x_(std::size_t(matrix_.cols)), y_(std::size_t(matrix_.rows))
  {
  }

  void set_x(std::span<const double> local) override { x_.upload(local.data()); }
  void fill_y(double value) override { y_.upload(std::vector<double>(y_.size(), value).data()); }
  void read_y(std::span<double> local) const override { y_.download(local.data(), local.size()); }

  void multiply() override
  {
    launch();
    check_cuda(cudaStreamSynchronize(kernels::current_stream()), "multiply");
  }
  void launch() override = 0;

  void scale_values(double factor) override
  {
    for (double &v : values_) v *= factor;
  }

  /// None of these keeps the order of the values in all of its formats, or has a call that brings in new ones.
  void refresh_and_multiply() override
  {
    build();
    multiply();
  }

protected:
  const CsrMatrix           &matrix() const { return matrix_; } ///< the pattern; its values are those at the beginning
  const std::vector<double> &values() const { return values_; }
  const double              *x() const { return x_.data(); }
  double                    *y() const { return y_.data(); }

private:
  const CsrMatrix    &matrix_;
  std::vector<double> values_;
  DeviceArray<double> x_, y_;
};

class DevicePeer : public Peer {
public:
  Role        role() const override { return Role::peer; }
  bool        runs_on(Place place) const override { return place == Place::device; }
  std::string limits(int ranks, int threads) const override
  {
    return ranks > 1 || threads > 1 ? "it runs on one device, for one process" : "";
  }
};

} // namespace petscspmv::bench
