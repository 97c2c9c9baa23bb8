#include <utility>
#include <vector>

#include "glue/compat.hpp"
#include "glue/ops/factors.hpp"
#include "glue/finally.hpp"
#include "petscspmv.h"

namespace petscspmv::shadow {

namespace {

/// What remains to those who need more of factors.
constexpr char leave[] = "-mat_spmv_sweeps none leaves factors to PETSc, and so does -pc_factor_mat_solver_type petsc where spmv was named";

using FactorsOnHost = FactorsView<PetscScalar, PetscInt>;

PetscInt RowOf(const FactorsOnHost &f, PetscInt r)
{
  return f.row ? f.row[r] : r;
}

/// L D U in the matrix's order, where the factors have entries: elimination makes the same factors of it again, without
/// fill.
/// `icc`: its upper triangle in the order of the factors, which is what ICC reads.
PetscErrorCode MakeProduct(const FactorsOnHost &f, PetscInt n, bool icc, Mat *product)
{
  std::vector<PetscInt>    length(n), cols;
  std::vector<PetscScalar> sum(n), values;
  Mat                      made = nullptr;
  const Finally            destroy([&] { return MatDestroy(&made); });
  const auto               first = [&](PetscInt r) { return icc ? f.diagonal[r] : f.row_ptr[r]; };

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) length[RowOf(f, r)] = f.row_ptr[r + 1] - first(r);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, length.data(), &made));
  PetscCall(MatSetOptionsPrefix(made, "spmv_factors_")); // -mat_view is not for it
  for (PetscInt r = 0; r < n; ++r) {
    for (PetscInt i = f.row_ptr[r]; i < f.row_ptr[r + 1]; ++i) sum[f.col[i]] = i < f.diagonal[r] ? 0 : f.entry[i];
    for (PetscInt i = f.row_ptr[r]; i < f.diagonal[r]; ++i)
      for (PetscInt k = f.col[i], j = f.diagonal[k]; j < f.row_ptr[k + 1]; ++j) sum[f.col[j]] += f.entry[i] * f.entry[j];
    cols.clear();
    values.clear();
    for (PetscInt i = first(r); i < f.row_ptr[r + 1]; ++i) {
      cols.push_back(RowOf(f, f.col[i]));
      values.push_back(sum[f.col[i]]);
    }
    const PetscInt row = RowOf(f, r);
    PetscCall(MatSetValues(made, 1, &row, (PetscInt)cols.size(), cols.data(), values.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY));
  *product = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Our factors as PETSc's.
PetscErrorCode Fill(Mat F, const FactorsInstance &own, Mat *filled)
{
  IS            order   = nullptr;
  Mat           product = nullptr, made = nullptr;
  const Finally destroy([&] { return static_cast<PetscErrorCode>(ISDestroy(&order) || MatDestroy(&product) || MatDestroy(&made)); });
  FactorsOnHost f;
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCallCXX(f = own.factors->on_host());
  PetscCallCXX(PetscCall(MakeProduct(f, F->rmap->n, IsIcc(F), &product)));
  if (f.row) PetscCall(ISCreateGeneral(PETSC_COMM_SELF, F->rmap->n, f.row, PETSC_COPY_VALUES, &order));
  else PetscCall(ISCreateStride(PETSC_COMM_SELF, F->rmap->n, 0, 1, &order));
  PetscCall(ISSetPermutation(order));
  PetscCall(MatFactorInfoInitialize(&info)); // no levels, no shift
  info.fill = 1;
  PetscCall((*own.on_host)(product, F->factortype, &made));
  PetscCall(CallSymbolic(made, product, order, order, &info));
  PetscCall((*(IsIcc(F) ? made->ops->choleskyfactornumeric : made->ops->lufactornumeric))(made, product, &info));
  *filled = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts the copy in the place of an argument that is a factored matrix of ours.
template <class Other> PetscErrorCode UseFilled(Other *)
{
  return PETSC_SUCCESS;
}
PetscErrorCode UseFilled(Mat *F)
{
  return Filled(*F, F);
}

/// An operation of _MatOps that reads entries.
template <auto operation> struct Reading;
template <class... More, PetscErrorCode (*_MatOps::*operation)(Mat, More...)> struct Reading<operation> {
  static PetscErrorCode Call(Mat F, More... more)
  {
    PetscErrorCode code = PETSC_SUCCESS;

    PetscFunctionBegin;
    PetscCall(Filled(F, &F));
    ((code = code ? code : UseFilled(&more)), ...);
    PetscCall(code);
    PetscCall(((*F->ops).*operation)(F, more...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// One that changes entries, which our solves would not see.
template <auto operation> struct Changing;
template <class... More, PetscErrorCode (*_MatOps::*operation)(Mat, More...)> struct Changing<operation> {
  static PetscErrorCode Call(Mat, More...)
  {
    PetscFunctionBegin;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "The entries of petscspmv's factors cannot be changed; %s", leave);
  }
};

/// PETSc has taken F for a plain matrix already.
PetscErrorCode MatSetUnfactored_Factors(Mat F)
{
  FactorsInstance *own;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  F->factortype = own->type;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "petscspmv's factors cannot be taken for a matrix; %s", leave);
}

/// Replaces those operations that a matrix has.
template <template <auto> class By, auto... operations> void Replace(_MatOps &ops)
{
  ((ops.*operations = ops.*operations ? &By<operations>::Call : nullptr), ...);
}

/// Operations that not all versions of PETSc have.
template <class Ops> void ReplaceRare(Ops &ops)
{
  if constexpr (requires { &Ops::missingdiagonal; }) Replace<Reading, &Ops::missingdiagonal>(ops);
  if constexpr (requires { &Ops::getrowsumabs; }) Replace<Reading, &Ops::getrowsumabs>(ops);
  if constexpr (requires { &Ops::getblockdiagonal; }) Replace<Reading, &Ops::getblockdiagonal, &Ops::getvblockdiagonal>(ops);
  if constexpr (requires { &Ops::aypx; }) Replace<Changing, &Ops::aypx>(ops);
  if constexpr (requires { &Ops::eliminatezeros; }) Replace<Changing, &Ops::eliminatezeros>(ops);
}

} // namespace

PetscErrorCode Filled(Mat F, Mat *filled)
{
  FactorsInstance *own;

  PetscFunctionBegin;
  *filled = F;
  PetscCall(FindOwned((PetscObject)F, kFactorsKey, &own));
  if (!own || !own->factors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NumericFactorsOf(F, &own));
  const std::lock_guard lock(own->busy);
  if (!own->filled) PetscCall(Fill(F, *own, &own->filled));
  *filled = own->filled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CallSymbolic(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionList composed = nullptr, *const now = &((PetscObject)F)->qlist;

  PetscFunctionBegin;
  // PETSc's for the host composes with F what A has composed, and of a type on a device that is more than F's
  // destructor takes away.
  PetscCall(PetscFunctionListDuplicate(*now, &composed));
  const Finally restore([&] {
    std::swap(*now, composed);
    return PetscFunctionListDestroy(&composed);
  });
  if (IsIcc(F)) PetscCall((*F->ops->iccfactorsymbolic)(F, A, row, info));
  else PetscCall((*F->ops->ilufactorsymbolic)(F, A, row, col, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadFilled(Mat F)
{
  PetscErrorCode (*solver_type)(Mat, MatSolverType *);

  PetscFunctionBegin;
  // It has none of AIJ's arrays, to touch which takes as long as to analyse its rows on a device, and so it is of no
  // type whose operations would read them. Of functions that are composed PETSc says that there are none.
  PetscCall(PetscObjectChangeTypeName((PetscObject)F, MATSOLVERSPMV));
  PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatFactorGetSolverType_C", &solver_type));
  PetscCall(PetscFunctionListDestroy(&((PetscObject)F)->qlist));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", solver_type));
  Replace<Reading, &_MatOps::getdiagonal, &_MatOps::getrowmax, &_MatOps::getrowmaxabs, &_MatOps::getrowmin, &_MatOps::getrowminabs,
          &_MatOps::equal, &_MatOps::getrowij, &_MatOps::restorerowij, &_MatOps::getcolumnij, &_MatOps::restorecolumnij,
          &_MatOps::coloringpatch, &_MatOps::getinertia, &_MatOps::issymmetric, &_MatOps::ishermitian, &_MatOps::isstructurallysymmetric,
          &_MatOps::getcolumnreductions, &_MatOps::findzerodiagonals, &_MatOps::findnonzerorows, &_MatOps::findoffblockdiagonalentries,
          &_MatOps::invertblockdiagonal, &_MatOps::invertvariableblockdiagonal, &_MatOps::getdiagonalblock,
          &_MatOps::getseqnonzerostructure, &_MatOps::transposecoloringcreate, &_MatOps::fdcoloringcreate, &_MatOps::creategraph,
          &_MatOps::getvalueslocal, &_MatOps::solves, &_MatOps::copy>(*F->ops);
  Replace<Changing, &_MatOps::axpy, &_MatOps::conjugate, &_MatOps::diagonalset, &_MatOps::setrandom, &_MatOps::realpart,
          &_MatOps::imaginarypart, &_MatOps::setvaluesrow, &_MatOps::setvalues, &_MatOps::setvaluesblocked, &_MatOps::setvalueslocal,
          &_MatOps::setvaluesblockedlocal>(*F->ops);
  ReplaceRare(*F->ops);
  F->ops->setunfactored = MatSetUnfactored_Factors;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
