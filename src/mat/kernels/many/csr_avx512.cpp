// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "kernels/many/csr_kernel.hpp"

#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::kernels {

template <class Index> RowsOfColumns<double, Index> rows_of_columns_avx512()
{
  return &rows_of_columns<Avx512Group<false>, Index>;
}

template RowsOfColumns<double, std::int32_t> rows_of_columns_avx512();
template RowsOfColumns<double, std::int64_t> rows_of_columns_avx512();

} // namespace petscspmv::kernels
