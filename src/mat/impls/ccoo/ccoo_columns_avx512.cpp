// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/ccoo/ccoo_columns.hpp"

#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::ccoo {

ColumnsKernels<double> columns_kernels_avx512()
{
  using L = kernels::Avx512Group<false>;
  return {&columns_of_tile<L>, &columns_of_chunk<L>};
}

} // namespace petscspmv::ccoo
