#include "glue/shadow.hpp"

#include <algorithm>
#include <limits>

#include "select/machine.hpp"
#include "select/model.hpp"
#include "select/model_tuning.hpp"

namespace petscspmv::shadow {

namespace {

/// Not where arrays are on a device, as no product is short there.
PetscErrorCode IsTiny(Mat A, const Shadow &shadow, bool *is)
{
  MatInfo     info;
  MemorySpace space;

  PetscFunctionBegin;
  *is = false;
  PetscCall(DefaultSpace(A, &space));
  if (!head_starts || space == MemorySpace::device || !shadow.options_read) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *is = info.nz_used <= (PetscLogDouble)shadow.common["tiny"];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Products until those by the parent have taken as long as the format leaves them. Counted, not timed: the clock would
/// take longer than a small product, and the bits of a product would depend on it. Where it does not, what they take is
/// noted.
PetscErrorCode CountEarlyOnHost(Mat A, Shadow *shadow)
{
  // Seconds of a product by AIJ on a core of an AMD Zen 4, roughly; and entries up to which no format is worth its call
  // there: 294 take 170 ns by AIJ and 260 ns as plain CSR.
  constexpr double entry = 1e-9, row = 1e-9, call = 50e-9, most = 1e6, tiny = 500;
  // Going on as a format takes as long as up to five products, of uneven rows, whose ends a processor has learned by
  // then, and 0.1 ms: of so many products, or seconds, that is a tenth.
  constexpr double few = 48, start = 1.5e-3;
  MatInfo          info;
  PetscInt         rows;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  const double seconds = shadow->kind->format.head_start(shadow->options);
  const double product = entry * info.nz_used + row * (double)rows + call;
  shadow->early        = (PetscInt)std::min({most, seconds / product, std::max(few, start / product)});
  if (seconds > 0 && info.nz_used <= tiny) shadow->early = std::numeric_limits<PetscInt>::max();
  shadow->ways.aij.timed = info.nz_used >= select::tuning::least_entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same on a device, where nothing is timed, since nothing may wait: products by the parent take what the memory
/// allows. There are none where the first would have to bring its arrays and a format is there sooner.
PetscErrorCode CountEarlyOnDevice(Mat A, Shadow *shadow)
{
  // Going on as a format takes some allocations and two small questions to the device, less than a millisecond: of
  // these seconds, about a twentieth.
  constexpr double start = 16e-3, most = 1e6;
  MatInfo          info;
  PetscInt         rows, cols;
  int              way;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatGetLocalSize(A, &rows, &cols));
  PetscCall(FirstWay(A, MemorySpace::device, *shadow, &way));
  const double bytes     = info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt)) + (double)(rows + cols) * sizeof(PetscScalar);
  const double product   = select::least_device_seconds(bytes);
  const bool   left      = way == 0 && shadow->kind->format.head_start(shadow->options) > 0;
  shadow->early          = left ? (PetscInt)std::min(most, start / product) : 0;
  shadow->ways.aij.timed = false;
  shadow->ways.aij.known = product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product by a parent on a device where x or y is not.
PetscErrorCode MultiplyCopies(Mat A, Shadow *shadow, Operation op, Vec x, PetscScalar beta, Vec y)
{
  PetscInt entries_x, entries_y;
  Vec      in, out;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &entries_x));
  PetscCall(VecGetLocalSize(y, &entries_y));
  PetscCall(CreateForParent(A, entries_x, &in));
  PetscCall(CreateForParent(A, entries_y, &out));
  PetscCall(CopyOnThisRank(x, in));
  if (beta != PetscScalar(0)) PetscCall(CopyOnThisRank(y, out));
  PetscCall(MultiplyAsParent(A, shadow, MemorySpace::device, op, in, beta, out));
  PetscCall(CopyOnThisRank(out, y));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product of the parent's that has taken so many seconds.
void Note(Operation op, double seconds, AijProducts *aij)
{
  aij->spent += seconds;
  if (op == Operation::none && aij->timed) aij->least = aij->least > 0 ? std::min(aij->least, seconds) : seconds;
}

} // namespace

PetscErrorCode IsLeftToAij(Mat A, MemorySpace space, Shadow *shadow, bool *is)
{
  const bool  may = head_starts && shadow->kind->format.head_start && shadow->tuning.pattern < 0;
  MemorySpace home;

  PetscFunctionBegin;
  *is = shadow->tiny;
  if (*is || !may) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DefaultSpace(A, &home));
  if (space != home) PetscFunctionReturn(PETSC_SUCCESS); // not by AIJ without copies
  if (shadow->at(space).format) {
    *is = shadow->ways.rest > 0;
    if (*is) --shadow->ways.rest, ++shadow->ways.products;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (shadow->early < 0) {
    PetscCall(ReadOptionsOnce(A));
    PetscCall((space == MemorySpace::device ? CountEarlyOnDevice : CountEarlyOnHost)(A, shadow));
  }
  *is = shadow->early > 0;
  if (*is) --shadow->early;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool WaitsForIndex(Shadow *shadow, MemorySpace space, Operation op, PetscInt vectors)
{
  constexpr PetscInt paid = 16;
  if (space == MemorySpace::host || op == Operation::none || shadow->transposes > paid) return false;
  shadow->transposes += vectors;
  return shadow->transposes <= paid;
}

void GiveUpIndex(Shadow *shadow)
{
  shadow->transposes = std::numeric_limits<PetscInt>::min();
}

/// y = A^H x + beta y where the parent has no function for that: A^H x is the conjugate of A^T conj(x).
static PetscErrorCode MultiplyConjugated(Mat A, const Shadow &shadow, Vec x, bool adds, Vec y)
{
  Vec conjugate;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &conjugate));
  PetscCall(CopyOnThisRank(x, conjugate));
  PetscCall(VecConjugate(conjugate));
  if (adds) {
    PetscCall(VecConjugate(y));
    PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(shadow, false, MATOP_MULT_TRANSPOSE_ADD))(A, conjugate, y, y));
  } else PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec)>(shadow, false, MATOP_MULT_TRANSPOSE))(A, conjugate, y));
  PetscCall(VecConjugate(y));
  PetscCall(VecDestroy(&conjugate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyAsParent(Mat A, Shadow *shadow, MemorySpace space, Operation op, Vec x, PetscScalar beta, Vec y)
{
  static constexpr MatOperation mult[] = {MATOP_MULT, MATOP_MULT_TRANSPOSE, MATOP_MULT_HERMITIAN_TRANSPOSE},
                                add[]  = {MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE_ADD, MATOP_MULT_HERMITIAN_TRANS_ADD};
  const Operation same                 = PetscDefined(USE_COMPLEX) || op != Operation::hermitian ? op : Operation::transpose;
  const bool      timed                = shadow->ways.aij.timed;
  const double    begin                = timed ? select::steady_clock() : 0;
  bool            adds                 = beta != PetscScalar(0);
  MemorySpace     home;

  PetscFunctionBegin;
  PetscCall(DefaultSpace(A, &home));
  if (space != home) {
    PetscCall(MultiplyCopies(A, shadow, op, x, beta, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // As MatMultTranspose_SeqAIJ() does, but for its VecSet().
  if (!adds && same == Operation::transpose && home == MemorySpace::host) {
    PetscCall(ZeroOnThisRank(y));
    adds = true;
  }
  const VoidFn function = ParentFunction(*shadow, false, (adds ? add : mult)[(int)same]);
  if (!function) PetscCall(MultiplyConjugated(A, *shadow, x, adds, y));
  else if (adds) PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(function))(A, x, y, y));
  else PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, Vec, Vec)>(function))(A, x, y));
  if (timed || shadow->ways.aij.known > 0) {
    const double seconds = timed ? select::steady_clock() - begin : shadow->ways.aij.known;
    const auto   turn    = shadow->products.take_turn();
    Note(op, seconds, &shadow->ways.aij);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JudgeSize(Mat A, Shadow *shadow)
{
  const auto overrides = SeqOverrides();

  PetscFunctionBegin;
  if (IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsTiny(A, *shadow, &shadow->tiny));
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const VoidFn parents = shadow->parent[i], ours = overrides[i].function;
    VoidFn       now;
    if (overrides[i].when != Override::unless_tiny) continue;
    PetscCall(MatGetOperation(A, overrides[i].operation, &now));
    if (now == parents || now == ours)
      PetscCall(MatSetOperation(A, overrides[i].operation, shadow->tiny ? parents : ours)); // else it is the program's own
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
