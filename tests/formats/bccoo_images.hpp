#pragma once

/// \file bccoo_images.hpp
/// What bccoo copies to a device, in tests: how it is made on the host, and how two of them differ.

#include <cstring>

#include "bccoo_checks.hpp"
#include "impls/bccoo/bccoo_image_plan.hpp"

namespace petscspmv::test {

/// An image that can be decoded as a format can.
template <class Scalar, class Index> struct BlockImage : bccoo::image::Image<Scalar> {
  using scalar_type = Scalar;
  using index_type  = Index;

  explicit BlockImage(bccoo::image::Image<Scalar> image) : bccoo::image::Image<Scalar>(std::move(image)) { }
  /// As it is made on the host.
  BlockImage(const CsrView<Scalar, Index> &a, const Settings &settings, int threads = 2)
    : bccoo::image::Image<Scalar>(a, bccoo::image::ImagePlan<Scalar, Index>(a, bccoo_options(settings), threads), threads)
  {
  }
};

/// The names of arrays that differ.
template <class Scalar> std::string image_difference(const bccoo::image::Image<Scalar> &p, const bccoo::image::Image<Scalar> &q)
{
  std::string names;
  bccoo::image::for_each_array(
    [&names](const char *name, const auto &a, const auto &b) {
      if (a.size() != b.size() || (a.size() > 0 && std::memcmp(a.data(), b.data(), a.size() * sizeof *a.data()) != 0))
        names += std::string(name) + "; ";
    },
    p, q);
  return names;
}

} // namespace petscspmv::test
