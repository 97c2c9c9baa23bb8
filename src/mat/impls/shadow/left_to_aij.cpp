#include "impls/shadow/shadow.hpp"

#include <algorithm>
#include <limits>

#include "tune/machine.hpp"
#include "tune/model_tuning.hpp"

namespace petscspmv::shadow {

namespace {

/// Operations that AIJ has functions for in all versions. Of Hermitian products it has none.
constexpr MatOperation kProducts[] = {MATOP_MULT, MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD};

/// Not a block of a parallel matrix, whose products are the matrix's; nor where vectors may be on a device.
PetscErrorCode IsTiny(Mat A, const Shadow &shadow, bool *is)
{
  MatInfo info;

  PetscFunctionBegin;
  *is = false;
  if (!head_starts || kCudaPetsc || !shadow.options_read || shadow.is_block || IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *is = info.nz_used <= (PetscLogDouble)shadow.common["tiny"];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Products until those by AIJ itself have taken as long as the format leaves them. Counted, not timed: the clock would take longer than a small
/// product, and the bits of a product would depend on it. Where it does not, what they take is noted.
/// Collective: of a parallel matrix, the rank with the most entries counts.
PetscErrorCode CountEarly(Mat A, Shadow *shadow)
{
  // Seconds of a product by AIJ on a core of an AMD Zen 4, roughly; and entries up to which no format is worth its call there: 294 take 170 ns by AIJ
  // and 260 ns as plain CSR.
  constexpr double entry = 1e-9, row = 1e-9, call = 50e-9, most = 1e6, tiny = 500;
  // Going on as a format takes as long as up to five products, of uneven rows, whose ends a processor has learned by then, and 0.1 ms: of so many products,
  // or seconds, that is a tenth.
  constexpr double few = 48, start = 1.5e-3;
  MatInfo          info;
  PetscInt         rows;
  PetscMPIInt      ranks;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_GLOBAL_MAX, &info));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &ranks));
  const double seconds = shadow->kind->format.head_start(shadow->options);
  const double product = entry * info.nz_used + row * (double)rows / ranks + call;
  shadow->early        = (PetscInt)std::min({most, seconds / product, std::max(few, start / product)});
  if (seconds > 0 && info.nz_used <= tiny) shadow->early = std::numeric_limits<PetscInt>::max();
  shadow->ways.aij.timed = !IsMPI(A) && info.nz_used >= tune::tuning::least_entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product that has taken so many seconds.
void Note(Operation op, double seconds, AijProducts *aij)
{
  aij->spent += seconds;
  if (op == Operation::none) aij->least = aij->least > 0 ? std::min(aij->least, seconds) : seconds;
}

} // namespace

PetscErrorCode IsLeftToAij(Mat A, MemorySpace space, Shadow *shadow, bool *is)
{
  const bool may = head_starts && shadow->kind->format.head_start && space == MemorySpace::host && shadow->tuning.pattern < 0;

  PetscFunctionBegin;
  *is = shadow->tiny || (shadow->is_block && shadow->early > 0);
  // What ranks may disagree on must not decide for a parallel matrix: whether something is built here, for instance.
  if (*is || !may || shadow->is_block) PetscFunctionReturn(PETSC_SUCCESS);
  if (shadow->host.format) {
    *is = shadow->ways.rest > 0;
    if (*is) --shadow->ways.rest, ++shadow->ways.products;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (shadow->early < 0) {
    PetscCall(ReadOptionsOnce(A));
    PetscCall(CountEarly(A, shadow));
  }
  *is = shadow->early > 0;
  if (*is) --shadow->early;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyAsAij(Mat A, Shadow *shadow, Operation op, Vec x, PetscScalar beta, Vec y, bool *done)
{
  static constexpr MatOperation mult[] = {MATOP_MULT, MATOP_MULT_TRANSPOSE, MATOP_MULT_HERMITIAN_TRANSPOSE},
                                add[]  = {MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE_ADD, MATOP_MULT_HERMITIAN_TRANS_ADD};
  const bool         adds              = beta != PetscScalar(0);
  const Operation    same              = PetscDefined(USE_COMPLEX) || op != Operation::hermitian ? op : Operation::transpose;
  const MatOperation operation         = (adds ? add : mult)[(int)same];

  PetscFunctionBegin;
  *done = ParentFunction(false, operation);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  const bool   timed = shadow->ways.aij.timed;
  const double begin = timed ? tune::steady_clock() : 0;
  if (adds) PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(false, operation))(A, x, y, y));
  else PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec)>(false, operation))(A, x, y));
  if (timed) {
    const double seconds = tune::steady_clock() - begin;
    const auto   turn    = shadow->products.take_turn();
    Note(op, seconds, &shadow->ways.aij);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JudgeSize(Mat A, Shadow *shadow)
{
  PetscFunctionBegin;
  PetscCall(IsTiny(A, *shadow, &shadow->tiny));
  if (IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  for (const MatOperation product : kProducts) {
    VoidFn       now;
    const VoidFn aij = ParentFunction(false, product), ours = OwnFunction(false, product);
    PetscCall(MatGetOperation(A, product, &now));
    if (now == aij || now == ours) PetscCall(MatSetOperation(A, product, shadow->tiny ? aij : ours)); // else it is the program's own
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAssemblyEnd_SeqShadow(Mat A, MatAssemblyType mode)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatAssemblyType)>(false, MATOP_ASSEMBLY_END))(A, mode));
  if (mode != MAT_FINAL_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(JudgeSize(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
