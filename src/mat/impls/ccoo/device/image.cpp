#include "impls/ccoo/device/image.hpp"

#include <complex>

#include "core/for_each_type.hpp"
#include "impls/ccoo/device/batch/batch_image.hpp"
#include "impls/ccoo/device/chunk/chunk_image.hpp"
#include "impls/ccoo/device/node/node_image.hpp"
#include "impls/ccoo/device/slide/slide_image.hpp"
#include "impls/ccoo/device/unit/unit_image.hpp"

namespace petscspmv::ccoo::image {
namespace {

/// Calls visit(HostKind) for each kind.
template <class Visit> void for_each_on_host(const Visit &visit)
{
  Kinds::for_each([&](auto kind) { visit(HostKind<decltype(kind)>()); });
}

} // namespace

template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads)
{
  DeviceRules rules(options, kernels::csr_bytes(a));
  for_each_on_host([&](auto kind) {
    if constexpr (requires { kind.set_rules(rules, a, options); }) kind.set_rules(rules, a, options);
  });
  return plan_for_device(a, rules, threads);
}

template <class Scalar>
template <class Index>
Image<Scalar>::Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options,
                     int threads, std::size_t most_hot, const Maker *maker)
  : rows(plan.rows), cols(plan.cols)
{
  const Source<Scalar, Index> from{a, plan, options, threads, most_hot, maker};
  for_each_on_host([&](auto kind) { kind.make(from, *this); });
}

template <class Scalar> void Image<Scalar>::decode(const std::function<void(Local, Local, Scalar)> &visit) const
{
  for_each_on_host([&](auto kind) { kind.decode(*this, visit); });
}

template <class Scalar> Facts Image<Scalar>::facts() const
{
  if (!this->batch.empty()) return HostKind<BatchKind>::facts(*this);
  Facts all;
  for_each_on_host([&](auto kind) {
    for (auto &fact : kind.facts(*this)) all.push_back(std::move(fact));
  });
  return all;
}

template <class Scalar> template <class Index> bool Image<Scalar>::renew_constants(const CsrView<Scalar, Index> &a, int threads)
{
  bool fit = true;
  for_each_on_host([&](auto kind) {
    if constexpr (requires { kind.renew_constants(*this, a, threads); }) fit = fit && kind.renew_constants(*this, a, threads);
  });
  return fit;
}

template struct Image<double>;
template struct Image<std::complex<double>>;
#define INSTANTIATE(S, I) \
  template Plan<S, I, DeviceGroup> plan_for_image(const CsrView<S, I> &, const OptionValues &, int); \
  template Image<S>::Image(const CsrView<S, I> &, const Plan<S, I, DeviceGroup> &, const OptionValues &, int, std::size_t, const Maker *); \
  template bool Image<S>::renew_constants(const CsrView<S, I> &, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo::image
