#pragma once

/// \file ccoo_images.hpp
/// What ccoo copies to a device, in tests: how it is made on the host, and how two of them differ.

#include <algorithm>
#include <span>

#include "ccoo_checks.hpp"
#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/batch_image.hpp"

namespace petscspmv::test {

template <class T> bool same_bytes(const T &p, const T &q)
{
  return std::ranges::equal(std::as_bytes(std::span(&p, 1)), std::as_bytes(std::span(&q, 1)));
}
/// Which may end with bytes that are not used.
template <class Scalar> bool same_bytes(const ccoo::image::Slot<Scalar> &p, const ccoo::image::Slot<Scalar> &q)
{
  return kernels::same_bits(p.value, q.value) && p.offset == q.offset && p.before == q.before;
}

/// The names of arrays that differ.
template <class Scalar> std::string image_difference(const ccoo::image::Image<Scalar> &p, const ccoo::image::Image<Scalar> &q)
{
  std::string names;
  ccoo::image::for_each_array(
    [&names](const char *name, const auto &a, const auto &b) {
      if (!std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size(),
                      [](const auto &u, const auto &v) { return same_bytes(u, v); }))
        names += std::string(name) + "; ";
    },
    p, q);
  return names;
}

/// An image that can be decoded as a format can.
template <class Scalar, class Index> struct ImageOf : ccoo::image::Image<Scalar> {
  using scalar_type = Scalar;
  using index_type  = Index;
  using ccoo::image::Image<Scalar>::Image;
  explicit ImageOf(ccoo::image::Image<Scalar> image) : ccoo::image::Image<Scalar>(std::move(image)) { }
};

/// The image of a matrix as it is made on the host.
template <class Scalar, class Index>
ImageOf<Scalar, Index> host_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads = 2)
{
  if (auto batches = ccoo::image::batched_image(a, options, threads)) return ImageOf<Scalar, Index>(std::move(*batches));
  return ImageOf<Scalar, Index>(a, ccoo::Plan<Scalar, Index, ccoo::DeviceGroup>(a, options, threads), options, threads);
}

} // namespace petscspmv::test
