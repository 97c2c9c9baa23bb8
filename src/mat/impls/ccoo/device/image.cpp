#include "impls/ccoo/device/image.hpp"

#include <complex>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/plan.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads)
{
  DeviceRules rules(options, kernels::csr_bytes(a));
  Kinds::set_rules(rules, a, options);
  return plan_for_device(a, rules, threads);
}

template <class Scalar>
template <class Index>
Image<Scalar>::Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options,
                     int threads, std::size_t most_hot, const Maker *maker)
{
  rows = plan.rows;
  cols = plan.cols;
  const Source<Scalar, Index> from{a, plan, options, threads, most_hot, maker};
  Kinds::for_each([&](auto kind) { decltype(kind)::make(from, *this); });
}

template <class Scalar> void Image<Scalar>::decode(const std::function<void(Local, Local, Scalar)> &visit) const
{
  Kinds::for_each([&](auto kind) { decltype(kind)::decode(*this, visit); });
}

template <class Scalar> Facts Image<Scalar>::facts() const
{
  if (!this->batch.empty()) return BatchKind::facts(*this);
  Facts all;
  Kinds::for_each([&](auto kind) {
    for (auto &fact : decltype(kind)::facts(*this)) all.push_back(std::move(fact));
  });
  return all;
}

template struct Image<double>;
template struct Image<std::complex<double>>;
#define INSTANTIATE(S, I) \
  template Plan<S, I, DeviceGroup> plan_for_image(const CsrView<S, I> &, const OptionValues &, int); \
  template Image<S>::Image(const CsrView<S, I> &, const Plan<S, I, DeviceGroup> &, const OptionValues &, int, std::size_t, const Maker *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo::image
