// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/ccoo/ccoo_columns.hpp"

#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::ccoo {

ColumnsKernels<double> columns_kernels_avx2()
{
  using L = kernels::Avx2Group;
  return {&columns_of_tile<L>, &columns_of_chunk<L>};
}

} // namespace petscspmv::ccoo
