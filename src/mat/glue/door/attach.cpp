#include "glue/door/attach.hpp"

#include "glue/exchange.hpp"
#include "glue/ops/ops.hpp"
#include "glue/ops/product.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"
#include "glue/place.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// Makes any AIJ subtype plain AIJ: another of ours, or one of PETSc's, which brings its own function for that.
PetscErrorCode MakePlain(Mat A, bool mpi)
{
  const char *type = ((PetscObject)A)->type_name;
  const char *base = mpi ? MATMPIAIJ : MATSEQAIJ;
  PetscBool   plain;
  PetscErrorCode (*to_base)(Mat, MatType, MatReuse, Mat *) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, base, &plain));
  if (plain) PetscFunctionReturn(PETSC_SUCCESS);
  if (IsShadowType(A)) {
    PetscCall(ShadowDetach(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectQueryFunction((PetscObject)A, (std::string("MatConvert_") + type + "_" + base + "_C").c_str(), &to_base));
  if (to_base) PetscCall((*to_base)(A, base, MAT_INPLACE_MATRIX, &A));
  else {
    PetscBool assembled;
    PetscCall(MatAssembled(A, &assembled));
    PetscCheck(assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "A matrix of type %s that is not assembled cannot become another subtype of %s; set the type before, or assemble first",
               type, base);
    PetscCall(MatConvert(A, base, MAT_INPLACE_MATRIX, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes plain AIJ a type of PETSc's on a device, assembled or not.
PetscErrorCode MakeDeviceType(Mat A, const std::string &type)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *) = nullptr;
  const std::string name                                   = "MatConvert_" + ParentType(A) + "_" + type + "_C";

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name.c_str(), &convert));
  PetscCheck(convert, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "This PETSc cannot convert a matrix of type %s to %s",
             ((PetscObject)A)->type_name, type.c_str());
  PetscCall((*convert)(A, type.c_str(), MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RestoreParent(Mat A, const ParentFunctions &parent, bool named, bool mpi, const KeptValues &kept)
{
  const auto rows = AllRows(mpi);
  VoidFn     now;

  PetscFunctionBegin;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].op == MATOP_SET_FROM_OPTIONS) continue; // ours in every AIJ matrix (hooks.cpp)
    PetscCall(MatGetOperation(A, rows[i].op, &now));
    if (now == rows[i].ours) PetscCall(MatSetOperation(A, rows[i].op, parent[i]));
  }
  if (named) PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, NULL));
  PetscCall(ComposeProducts(A, named, false));
  if (!mpi) PetscCall(ComposeKeptValues(A, kept));
  PetscCall(PetscObjectCompose((PetscObject)A, kShadowKey, NULL)); // last, for `parent` may be the shadow's
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposeShadow(Entry *e, const MatKind &kind, bool named)
{
  const KnownParent *known;

  PetscFunctionBegin;
  auto shadow = std::make_unique<Shadow>(kind, named, IsMPI(e->A));
  if (e->own) shadow->parent = e->own->parent;
  else {
    PetscCall(FindParent(ParentType(e->A), &known));
    shadow->parent = known->functions;
  }
  e->own = shadow.get();
  PetscCall(ComposeOwned((PetscObject)e->A, kShadowKey, shadow.release()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowReattach(const Entry &e)
{
  PetscFunctionBegin;
  PetscCall(MeetParent(e));
  PetscCall(ChooseOperations(e));
  PetscCall(ComposeProducts(e.A, e.own->named, true));
  if (!e.own->mpi) PetscCall(ComposeKeptValues(e.A, kOurKeptValues));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2])
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetParts(Mat A, Mat (&parts)[2])
{
  PetscFunctionBegin;
  parts[0] = A;
  parts[1] = nullptr;
  if (IsMPI(A)) PetscCall(GetBlocks(A, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AttachWithName(Mat A, const MatKind &kind, const std::string &type);

PetscErrorCode AttachPart(const Entry &e, Mat part)
{
  const char *prefix = ((PetscObject)e.A)->prefix;
  Entry       of_part;
  PetscBool   can = PETSC_TRUE;

  PetscFunctionBegin;
  if (!e.own->named) PetscCall(IsParentType(part, &can)); // of mpiaijperm, say, they are not
  if (!can) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.own->named ? AttachWithName(part, *e.own->kind, IsMPI(part) ? e.own->kind->mpi : e.own->kind->seq)
                         : ShadowAttach(part, *e.own->kind));
  PetscCall(EnterUnread(part, &of_part));
  of_part.own->inherit(*e.own);
  of_part.own->outer_prefix = prefix ? prefix : "";
  PetscCall(of_part.own->mpi ? AttachBlocks(of_part) : CheckSize(of_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AttachBlocks(const Entry &e)
{
  PetscFunctionBegin;
  PetscCall(ForEachPart(e.A, [&e](Mat block) { return AttachPart(e, block); }));
  PetscCall(ChooseExchange(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Blocks that are under assembly must be left alone; at its end they are attached, too.
static PetscErrorCode MeetAssembled(const Entry &e)
{
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(e.A, &assembled));
  if (e.own->mpi && assembled) PetscCall(AttachBlocks(e));
  else if (assembled && !e.own->assembled) PetscCall(SeePattern(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowAttach(Mat A, const MatKind &kind)
{
  Entry     e;
  PetscBool aij;

  PetscFunctionBegin;
  if (IsShadowType(A)) {
    PetscCall(ShadowAttachType(A, kind));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(IsParentType(A, &aij));
  PetscCheck(aij, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s cannot multiply by %s; convert it to aij, aijcusparse or aijkokkos first, with MatConvert()",
             ((PetscObject)A)->type_name, kind.root.c_str());
  PetscCall(Find(A, &e));
  if (!e.own || e.own->kind != &kind) PetscCall(ComposeShadow(&e, kind, false));
  PetscCall(ShadowReattach(e));
  PetscCall(MeetAssembled(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowAttachType(Mat A, const MatKind &kind)
{
  const bool  mpi = IsMPI(A);
  std::string type;
  PetscBool   same, aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCheck(aij, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s cannot become %s in place; convert it with MatConvert()", ((PetscObject)A)->type_name, kind.root.c_str());
  PetscCall(RememberType(kind));
  PetscCall(TypeForKind(A, kind, mpi, &type));
  if (FindKind(type.c_str())) {
    PetscCall(AttachWithName(A, kind, type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)A, type.c_str(), &same)); // the parent's, on a device
  if (!same) {
    PetscCall(MakePlain(A, mpi));
    PetscCall(MakeDeviceType(A, type));
  }
  PetscCall(ShadowAttach(A, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On the host, where the type has a name of ours.
static PetscErrorCode AttachWithName(Mat A, const MatKind &kind, const std::string &type)
{
  Entry     e;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, type.c_str(), &same));
  if (!same) PetscCall(MakePlain(A, IsMPI(A)));
  PetscCall(Find(A, &e));
  if (!e.own || !same) {
    PetscCall(ComposeShadow(&e, kind, true));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, type.c_str()));
    PetscCall(ShadowReattach(e));
  }
  PetscCall(MeetAssembled(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowDetach(Mat A)
{
  const bool         mpi = IsMPI(A);
  Entry              e;
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  const bool named = e.own->named;
  PetscCall(FindParent(ParentType(A), &known));
  PetscCall(RestoreParent(A, e.own->parent, named, mpi, known->kept_values));
  if (named) PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForEachPart(A, [](Mat block) {
    Entry of_block;
    PetscFunctionBegin;
    PetscCall(Find(block, &of_block));
    if (of_block.own) PetscCall(ShadowDetach(block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi)
{
  std::string type;

  PetscFunctionBegin;
  PetscCall(TypeForKind(A, kind, mpi, &type));
  if (!FindKind(type.c_str())) PetscCall(MatSetType(A, type.c_str())); // on a device
  else PetscCall(MatSetType(A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(ShadowAttachType(A, kind));
  // MatConvert asks a new matrix of the wanted type for this. Not in ShadowAttach(): with -mat_seqaij_type a new matrix
  // of type seqaij is ours, too, and then MatConvert to seqaij must find what it finds without us.
  PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, (VoidFn)MatConvertFrom_Shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
