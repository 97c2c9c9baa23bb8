#pragma once

/// \file stored.cuh
/// What there is of a matrix on a device: the arrays of its image, and memory that products write to.

#include "impls/ccoo/device/layout.cuh"
#include "kernels/device/memory/image.cuh"

namespace petscspmv::ccoo::device {

/// Scalar is the host's, S the device's.
template <class Scalar, class S = typename kernels::OnDevice<Scalar>::type>
class Stored : public kernels::DeviceImage<image::Image<Scalar>, Arrays<S>> {
  using Base = kernels::DeviceImage<image::Image<Scalar>, Arrays<S>>;

public:
  void upload(const image::Image<Scalar> &m, int threads)
  {
    Base::upload(m, threads, kernels::Sized{part_, m.cut.empty() ? 0 : m.chunk.size()}, kernels::Sized{arrived_, m.cut.size()},
                 kernels::Sized{batch_part_, m.rows_in_parts > 0 ? m.batch.size() : 0}, kernels::Sized{hot_x_, m.hot.size()},
                 kernels::Sized{misfits_, 1});
    arrived_.clear();
    batch_part_.fill(0xff); // no_sum
  }

  /// What Kinds::renew_constants() has changed.
  void renew_constants(const image::Image<Scalar> &m)
  {
    image::Kinds::for_each_constant([](const auto &from, auto &to) { Base::renew(from, to); }, m, this->arrays());
  }

  /// One number, for a refresh to say that a value does not fit. It comes with the other memory: to allocate it takes
  /// longer than to refresh.
  kernels::DeviceArray<unsigned> &misfits() { return misfits_; }

  /// Products write it.
  bool has_scratch() const { return part_.size() + batch_part_.size() + hot_x_.size() > 0; }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    Base::add_to(f, prefix);
    Base::add_to(f, prefix + "parts of cut rows", part_.bytes() + arrived_.bytes() + batch_part_.bytes());
    Base::add_to(f, prefix + "x of hot columns", hot_x_.bytes());
  }

  Layout<S> layout() const
  {
    Layout<S> layout;
    static_cast<image::Kinds::Shapes &>(layout) = this->summary();
    for_each_array([](const char *, const auto &from, auto &to) { point_to(from, to); }, this->arrays(), layout);
    layout.cols    = this->summary().cols;
    layout.hot_x   = hot_x_.data();
    layout.part    = part_.data();
    layout.arrived = arrived_.data();
    return layout;
  }

  S *batch_part() const { return batch_part_.data(); }

private:
  template <class T> static void point_to(const kernels::DeviceArray<T> &from, const T *&to) { to = from.data(); }
  template <class T> static void point_to(const kernels::DeviceArray<T> &from, image::InKernel::Counted<T> &to)
  {
    to = {from.data(), from.size()};
  }

  kernels::DeviceArray<Parts<S>> part_;
  kernels::DeviceArray<unsigned> arrived_;
  kernels::DeviceArray<S>        batch_part_;
  kernels::DeviceArray<S>        hot_x_;
  kernels::DeviceArray<unsigned> misfits_;
};

} // namespace petscspmv::ccoo::device
