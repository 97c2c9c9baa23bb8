// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "kernels/many/csr_kernel.hpp"

#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::kernels {

template <class Index> RowsOfColumns<double, Index> rows_of_columns_avx2()
{
  return &rows_of_columns<Avx2Group, Index>;
}

template RowsOfColumns<double, std::int32_t> rows_of_columns_avx2();
template RowsOfColumns<double, std::int64_t> rows_of_columns_avx2();

} // namespace petscspmv::kernels
