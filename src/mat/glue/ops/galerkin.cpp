#include "glue/ops/galerkin.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <petsc/private/matimpl.h> // what a product has

#include "glue/options.hpp"
#include "glue/owned_arrays.hpp"
#include "glue/parent.hpp"
#include "glue/sync.hpp"
#include "impls/products/galerkin.hpp"

namespace petscspmv::shadow {

namespace {

/// What a product P^T A P keeps for new values.
struct Kept {
  std::unique_ptr<GalerkinProduct<PetscScalar, PetscInt>> product;
  MemorySpace                                             space = MemorySpace::host;
  SyncKey                                                 a, p; ///< the patterns that it was made for
};

/// PETSc's own symbolic function.
PetscErrorCode (*own_symbolic)(Mat) = nullptr;

PetscErrorCode DestroyKept(Kept *kept)
{
  delete kept;
  return PETSC_SUCCESS;
}

PetscErrorCode KeyOf(Mat A, SyncKey *key)
{
  View view;

  PetscFunctionBegin;
  PetscCall(GetStates(A, key));
  PetscCall(PatternOnHost(A, &view));
  key->take_pattern(view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The arrays of both factors where they live.
PetscErrorCode ViewFactors(Mat C, View *a, View *p, MemorySpace *space, std::string *failure)
{
  Mat   A, P;
  Entry e;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(Find(A, &e));
  *space = e.home;
  PetscCall(ViewAtHome(e, a, failure));
  PetscCall(Find(P, &e));
  if (failure->empty()) PetscCall(ViewAtHome(e, p, failure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the structure of a product.
PetscErrorCode Analyse(Mat C, Kept *kept, std::string *failure)
{
  Mat      A, P;
  View     a, p;
  Entry    e;
  PetscInt row_block, col_block;
  int      threads = 1;

  PetscFunctionBegin;
  PetscCall(ViewFactors(C, &a, &p, &kept->space, failure));
  if (!failure->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(Find(A, &e));
  if (e.own) PetscCall(ShadowThreads(*e.own, e.home, &threads));
  PetscCall(MatGetBlockSizes(P, &row_block, &col_block));
  PetscCall(KeyOf(A, &kept->a));
  PetscCall(KeyOf(P, &kept->p));
  Try(failure, [&] { kept->product = make_galerkin_product(a, p, row_block, col_block, Execution{kept->space, threads}); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With MAT_REUSE_MATRIX, other factors than those of the symbolic phase may be there, but C stays.
PetscErrorCode MeetOtherFactors(Mat C, Kept *kept)
{
  Mat         A, P;
  SyncKey     a, p;
  View        c;
  std::string failure;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(KeyOf(A, &a));
  PetscCall(KeyOf(P, &p));
  if (kept->a.same_pattern(a) && kept->p.same_pattern(p)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Analyse(C, kept, &failure));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_MEM, "The product P^T A P cannot be made of other matrices: %s", failure.c_str());
  PetscCall(PatternOnHost(C, &c));
  const auto row_ptr = kept->product->row_ptr(), col = kept->product->col();
  PetscCheck(std::equal(row_ptr.begin(), row_ptr.end(), c.row_ptr, c.row_ptr + c.rows + 1) &&
               std::equal(col.begin(), col.end(), c.col, c.col + c.nonzeros()),
             PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The factors of P^T A P have another nonzero pattern than those that the product was made of; use MAT_INITIAL_MATRIX");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls write(values of C), where C lives.
template <class Write> PetscErrorCode WriteValues(Mat C, [[maybe_unused]] MemorySpace space, const Write &write)
{
  PetscScalar *values;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (space == MemorySpace::device) {
    DeviceArrays arrays;
    PetscCall(ArraysOnDevice(C, &arrays)); // the pattern, for the first time
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(C, &values));
    write(values);
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(C, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatSeqAIJGetArrayWrite(C, &values));
  write(values);
  PetscCall(MatSeqAIJRestoreArrayWrite(C, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductNumeric_Galerkin(Mat C)
{
  Kept *const kept = static_cast<Kept *>(C->product->data);
  View        a, p;
  std::string failure;

  PetscFunctionBegin;
  PetscCall(MeetOtherFactors(C, kept));
  PetscCall(ViewFactors(C, &a, &p, &kept->space, &failure));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A factor of P^T A P is not where it was: %s", failure.c_str());
  PetscCall(WriteValues(C, kept->space, [&](PetscScalar *values) { kept->product->values(a, p, values); }));
  if (kept->space == MemorySpace::device) PetscCall(PetscLogGpuFlops(kept->product->flops()));
  else PetscCall(PetscLogFlops(kept->product->flops()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSymbolic_Galerkin(Mat C)
{
  auto        kept = std::make_unique<Kept>();
  std::string failure;
  Mat         A, P;
  PetscInt    rows, block;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(Analyse(C, kept.get(), &failure));
  if (!failure.empty()) {
    PetscCall(PetscInfo(C, "P^T A P is made by PETSc: %s\n", failure.c_str()));
    PetscCall((*own_symbolic)(C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::vector<PetscInt> row_ptr, col;
  PetscCallCXX(row_ptr = kept->product->row_ptr(); col = kept->product->col());
  PetscCall(MatGetLocalSize(P, NULL, &rows));
  PetscCall(MatGetBlockSizes(P, NULL, &block));
  PetscCall(MatSetSizes(C, rows, rows, rows, rows));
  PetscCall(MatSetBlockSize(C, block));
  PetscCall(MatSetType(C, ((PetscObject)A)->type_name));
  PetscCall(MatSeqAIJSetPreallocationCSR(C, row_ptr.data(), col.data(), NULL));
  C->product->data = kept.release();
#if PETSC_VERSION_LT(3, 24, 0)
  C->product->destroy = [](void *data) { return DestroyKept(static_cast<Kept *>(data)); };
#else
  C->product->destroy = [](auto data) { return DestroyKept(static_cast<Kept *>(*(void **)data)); };
#endif
  C->ops->productnumeric = MatProductNumeric_Galerkin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether one of PETSc's algorithms is asked for.
PetscErrorCode NamesAlgorithm(Mat C, bool *names)
{
  PetscBool set;

  PetscFunctionBegin;
  *names = false;
  for (const char *option : {"-matptap_via", "-matptap_backend_cpu", "-mat_product_algorithm", "-mat_product_algorithm_backend_cpu"}) {
    PetscCall(PetscOptionsHasName(((PetscObject)C)->options, ((PetscObject)C)->prefix, option, &set));
    *names = *names || set;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/// Whether C is such a product, and ours to decide about.
static PetscErrorCode IsOurs(Mat C, Entry *a, Entry *p, bool *ours)
{
  Mat            A, P;
  MatProductType type;
  PetscObject    made_for_gamg;
  bool           names;

  PetscFunctionBegin;
  *ours = false;
  PetscCall(MatProductGetType(C, &type));
  if (type != MATPRODUCT_PtAP) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(EnterIfAttached(A, a));
  PetscCall(Find(P, p));
  PetscCall(PetscObjectQuery((PetscObject)P, kArraysKey, &made_for_gamg));
  PetscCall(NamesAlgorithm(C, &names));
  *ours = !names && (a->own ? a->own->common[kProductsOption] == ProductsWanted::ours : made_for_gamg != nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseGalerkin(Mat C)
{
  Entry a, p;
  bool  ours;

  PetscFunctionBegin;
  PetscCall(IsOurs(C, &a, &p, &ours));
  // AIJ's default keeps no transpose: 7 points 64^3 take it 1.9 times as long, all levels.
  if (ours && a.home == MemorySpace::host) PetscCall(MatProductSetAlgorithm(C, "rap"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OfferGalerkin(Mat C)
{
  Entry a, p;
  bool  ours;

  PetscFunctionBegin;
  PetscCall(IsOurs(C, &a, &p, &ours));
  if (!ours || a.home != MemorySpace::device || p.home != a.home || !C->ops->productsymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  if (ParentType(a.A) != MATSEQAIJCUSPARSE || ParentType(p.A) != MATSEQAIJCUSPARSE) PetscFunctionReturn(PETSC_SUCCESS);
  own_symbolic            = C->ops->productsymbolic;
  C->ops->productsymbolic = MatProductSymbolic_Galerkin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
