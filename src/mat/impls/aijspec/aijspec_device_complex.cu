#include "impls/aijspec/aijspec_device.cuh"

namespace petscspmv::aijspec {

template FormatPtr<std::complex<double>, std::int32_t> on_device(const CsrView<std::complex<double>, std::int32_t> &, const OptionValues &,
                                                                 const Execution &);
template FormatPtr<std::complex<double>, std::int64_t> on_device(const CsrView<std::complex<double>, std::int64_t> &, const OptionValues &,
                                                                 const Execution &);

} // namespace petscspmv::aijspec
