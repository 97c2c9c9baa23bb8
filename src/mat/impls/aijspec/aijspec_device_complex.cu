#include "impls/aijspec/aijspec_device.cuh"

namespace petscspmv::aijspec {

template std::unique_ptr<AnyFormat<std::complex<double>, std::int32_t>>
make_device_matrix(const CsrView<std::complex<double>, std::int32_t> &, const OptionValues &, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int64_t>>
make_device_matrix(const CsrView<std::complex<double>, std::int64_t> &, const OptionValues &, int);

} // namespace petscspmv::aijspec
