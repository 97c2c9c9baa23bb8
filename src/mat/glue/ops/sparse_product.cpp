#include "glue/ops/sparse_product.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <petsc/private/matimpl.h> // what a product has

#include "glue/common_options.hpp"
#include "glue/door/parent.hpp"
#include "glue/finally.hpp"
#include "glue/made.hpp"
#include "glue/options.hpp"
#include "glue/sync.hpp"
#include "impls/products/product.hpp"

namespace petscspmv::shadow {

namespace {

/// What a product keeps for new values.
using Kept = SparseProduct<PetscScalar, PetscInt>;

struct KindOfProduct {
  MatProductType type;
  ProductKind    kind;
};
constexpr std::array kKinds{KindOfProduct{MATPRODUCT_AB, ProductKind::ab}, KindOfProduct{MATPRODUCT_AtB, ProductKind::atb},
                            KindOfProduct{MATPRODUCT_ABt, ProductKind::abt}, KindOfProduct{MATPRODUCT_PtAP, ProductKind::ptap},
                            KindOfProduct{MATPRODUCT_RARt, ProductKind::rart}};

/// Where the product is made.
MemorySpace SpaceOf(Mat C)
{
  return ParentType(C->product->A) == MATSEQAIJ ? MemorySpace::host : MemorySpace::device;
}

/// The number of C's kind, or that of kinds if we cannot make it.
std::size_t NumberOfKind(Mat C)
{
  const auto is = [C](const KindOfProduct &k) { return k.type == C->product->type; };
  return (std::size_t)(std::find_if(kKinds.begin(), kKinds.end(), is) - kKinds.begin());
}

/// PETSc's own symbolic function for products of C's kind, where C is made.
using Symbolic = PetscErrorCode (*)(Mat);
Symbolic &OwnSymbolic(Mat C)
{
  static std::array<Symbolic, kKinds.size()> own[2]{};
  return own[SpaceOf(C) == MemorySpace::device][NumberOfKind(C)];
}

/// A^T A is A A where PETSc takes A for symmetric, as in PETSc's own products.
ProductKind KindOf(Mat C)
{
  const Mat_Product &p    = *C->product;
  const ProductKind  kind = kKinds[NumberOfKind(C)].kind;
  return kind == ProductKind::atb && p.A == p.B && p.A->symmetric == PETSC_BOOL3_TRUE ? ProductKind::ab : kind;
}

/// Both factors where the product is made.
PetscErrorCode ViewFactors(Mat C, View *a, View *b, std::string *failure)
{
  const std::pair<Mat, View *> factors[] = {{C->product->A, a}, {C->product->B, b}};

  PetscFunctionBegin;
  for (const auto &[factor, view] : factors) {
    Entry e;
    PetscCall(Find(factor, &e));
    PetscCall(ViewAtHome(e, view, failure));
    if (e.home != SpaceOf(C)) *failure = "a factor is not where the product is made";
    view->newest_on_device = SpaceOf(C) == MemorySpace::device; // where SeePattern() sees that the pattern is, too
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Threads of the first factor that has a number of them.
PetscErrorCode ThreadsFor(Mat C, int *threads)
{
  PetscFunctionBegin;
  *threads = 1;
  for (Mat factor : {C->product->A, C->product->B}) {
    Entry e;
    Made *made;
    PetscCall(Find(factor, &e));
    PetscCall(FindOwned((PetscObject)factor, kMadeKey, &made));
    if (e.own) PetscCall(ShadowThreads(*e.own, SpaceOf(C), threads));
    else if (made) *threads = made->threads;
    if (e.own || made) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the structure of a product.
PetscErrorCode Analyse(Mat C, std::unique_ptr<Kept> *kept, std::string *failure)
{
  const Mat              A = C->product->A, B = C->product->B;
  View                   a, b;
  FactorBlocks<PetscInt> blocks;
  int                    threads;

  PetscFunctionBegin;
  PetscCall(ViewFactors(C, &a, &b, failure));
  if (!failure->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetBlockSizes(A, &blocks.a_rows, &blocks.a_cols));
  PetscCall(MatGetBlockSizes(B, &blocks.b_rows, &blocks.b_cols));
  PetscCall(ThreadsFor(C, &threads));
  Try(failure, [&] { *kept = make_product(KindOf(C), a, b, blocks, Execution{SpaceOf(C), threads}); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether C still has the pattern of the product of its factors.
PetscErrorCode CheckPattern(Mat C, std::span<const PetscInt> row_ptr, const PetscInt *col)
{
  View c;

  PetscFunctionBegin;
  PetscCall(PatternOnHost(C, &c));
  PetscCheck(std::equal(row_ptr.begin(), row_ptr.end(), c.row_ptr, c.row_ptr + c.rows + 1) &&
               std::equal(col, col + row_ptr.back(), c.col, c.col + c.nonzeros()),
             PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The factors have another nonzero pattern than those that the product was made of; use MAT_INITIAL_MATRIX");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With MAT_REUSE_MATRIX, there may be other factors than those of the symbolic phase, but C stays.
PetscErrorCode MeetOtherFactors(Mat C)
{
  std::unique_ptr<Kept> kept;
  std::string           failure;

  PetscFunctionBegin;
  PetscCall(Analyse(C, &kept, &failure));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_MEM, "The product cannot be made of other matrices: %s", failure.c_str());
  const auto            row_ptr = kept->row_ptr();
  std::vector<PetscInt> col;
  PetscCallCXX(col.resize((std::size_t)row_ptr.back()); kept->columns(col.data()));
  PetscCall(CheckPattern(C, row_ptr, col.data()));
  kept->forget_pattern();
  delete static_cast<Kept *>(std::exchange(C->product->data, kept.release()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C's values, to which `a` and `b` are multiplied where they are. False if they are not of the patterns that are kept.
PetscErrorCode Multiply(Mat C, const View &a, const View &b, bool *written)
{
  auto        &kept = *static_cast<Kept *>(C->product->data);
  PetscScalar *values;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (SpaceOf(C) == MemorySpace::device) {
    DeviceArrays arrays;
    PetscCall(ArraysOnDevice(C, &arrays)); // brings the pattern there for the first time
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(C, &values));
    const Finally restore([&] { return MatSeqAIJCUSPARSERestoreArrayWrite(C, &values); });
    PetscCall(PetscLogGpuTimeBegin());
    *written     = kept.values(a, b, values);
    C->assembled = PETSC_TRUE;
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(*written ? kept.flops() : 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatSeqAIJGetArrayWrite(C, &values));
  const Finally restore([&] { return MatSeqAIJRestoreArrayWrite(C, &values); });
  *written = kept.values(a, b, values);
  PetscCall(PetscLogFlops(*written ? kept.flops() : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SayThatPetscMakesIt(Mat C, const std::string &failure)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(C, "The product is made by PETSc: %s\n", failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C's values from another product of the same factors: PETSc's, for its symbolic phase does not find them as we want
/// them, either.
PetscErrorCode TakePetscsValues(Mat C)
{
  Mat           made = nullptr;
  View          of_petsc;
  PetscScalar  *values;
  const Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(MatProductCreate(C->product->A, C->product->B, nullptr, &made));
  PetscCall(MatProductSetType(made, C->product->type));
  PetscCall(MatProductSetFromOptions(made));
  PetscCall(MatProductSymbolic(made));
  PetscCall(MatProductNumeric(made));
  PetscCall(PatternOnHost(made, &of_petsc));
  PetscCall(ValuesOnHost(made, &of_petsc.val));
  PetscCall(CheckPattern(C, {of_petsc.row_ptr, (std::size_t)of_petsc.rows + 1}, of_petsc.col));
  C->assembled = PETSC_TRUE;
  PetscCall(MatSeqAIJGetArrayWrite(C, &values));
  std::copy_n(of_petsc.val, of_petsc.nonzeros(), values);
  PetscCall(MatSeqAIJRestoreArrayWrite(C, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductNumeric_Sparse(Mat C)
{
  View        a, b;
  std::string failure;
  bool        written = false;

  PetscFunctionBegin;
  PetscCall(ViewFactors(C, &a, &b, &failure));
  if (!failure.empty()) { // as of a factor that is bound to the CPU since the symbolic phase
    PetscCall(SayThatPetscMakesIt(C, failure));
    PetscCall(TakePetscsValues(C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Multiply(C, a, b, &written));
  if (!written) {
    PetscCall(MeetOtherFactors(C));
    PetscCall(Multiply(C, a, b, &written));
  }
  PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A factor changes while it is multiplied");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives C its type, sizes and pattern.
PetscErrorCode Complete(Mat C, const Kept &kept)
{
  const Mat         A = C->product->A, B = C->product->B;
  const ProductKind kind      = KindOf(C);
  const bool        is_triple = kind == ProductKind::ptap || kind == ProductKind::rart;
  const bool        by_cols   = kind != ProductKind::abt && kind != ProductKind::rart; // of B, C has its columns
  PetscInt          b_size[2], a_block[2], b_block[2];

  PetscFunctionBegin;
  const auto row_ptr = kept.row_ptr();
  const auto rows    = (PetscInt)row_ptr.size() - 1;
  PetscCall(MatGetLocalSize(B, &b_size[0], &b_size[1]));
  PetscCall(MatGetBlockSizes(A, &a_block[0], &a_block[1]));
  PetscCall(MatGetBlockSizes(B, &b_block[0], &b_block[1]));
  PetscCall(MatSetSizes(C, rows, b_size[by_cols], rows, b_size[by_cols]));
  PetscCall(MatSetBlockSizes(C, is_triple ? b_block[by_cols] : a_block[kind == ProductKind::atb], b_block[by_cols]));
  PetscCall(MatSetType(C, ((PetscObject)A)->type_name));
  PetscCall(GivePattern(C, row_ptr, [&](PetscInt *to) { kept.columns(to); }));
  if (SpaceOf(C) == MemorySpace::host) PetscCall(MatZeroEntries(C));
  else C->assembled = PETSC_FALSE; // until it has values: GuardProducts() knows a factor by it that has none
  PetscCall(MatSetOption(C, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE)); // as in PETSc's own products
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSymbolic_Sparse(Mat C)
{
  std::unique_ptr<Kept> kept;
  std::string           failure;

  PetscFunctionBegin;
  PetscCall(Analyse(C, &kept, &failure));
  if (!failure.empty()) {
    PetscCall(SayThatPetscMakesIt(C, failure));
    PetscCall((*OwnSymbolic(C))(C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Complete(C, *kept));
  kept->forget_pattern();
  C->product->data = kept.release();
#if PETSC_VERSION_LT(3, 24, 0)
  C->product->destroy = kDelete<Kept>;
#else
  C->product->destroy = kDeleteAt<Kept>;
#endif
  C->ops->productnumeric = MatProductNumeric_Sparse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether one of PETSc's algorithms is asked for.
PetscErrorCode NamesAlgorithm(Mat C, bool *names)
{
  const MatProductAlgorithm algorithm = C->product->alg;

  PetscFunctionBegin;
  PetscCall(HasAnyOption((PetscObject)C, ((PetscObject)C)->prefix,
                         {"-matptap_via", "-matrart_via", "-matmatmult_via", "-mattransposematmult_via", "-matmattransmult_via",
                          "-mat_product_algorithm", "-matptap_backend_cpu", "-matrart_backend_cpu", "-matmatmult_backend_cpu",
                          "-mattransposematmult_backend_cpu", "-mat_product_algorithm_backend_cpu"},
                         names));
  *names = *names || (algorithm && std::string(algorithm) != MATPRODUCTALGORITHMDEFAULT);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether C is such a product, and ours to make.
PetscErrorCode IsOurs(Mat C, bool *ours)
{
  bool names;
  int  threads;

  PetscFunctionBegin;
  *ours = false;
  PetscCall(NamesAlgorithm(C, &names));
  if (NumberOfKind(C) == kKinds.size() || names || C->structure_only) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat factor : {C->product->A, C->product->B}) {
    Entry             e;
    PetscObject       made_here;
    const std::string type = ParentType(factor);
    PetscCall(EnterIfAttached(factor, &e));
    PetscCall(PetscObjectQuery((PetscObject)factor, kMadeKey, &made_here));
    if (e.home != SpaceOf(C) || type != ParentType(C->product->A) || (type != MATSEQAIJ && type != MATSEQAIJCUSPARSE)) {
      *ours = false;
      break;
    }
    *ours = *ours || (e.own ? e.own->common[kProductsOption] == ProductsWanted::ours : made_here != nullptr);
  }
  if (*ours && C->product->type == MATPRODUCT_RARt && SpaceOf(C) == MemorySpace::host) {
    PetscCall(ThreadsFor(C, &threads));
    *ours = threads > 1; // one takes up to 1.6 times as long as PETSc's two products
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SetSparseProduct(Mat C, PetscErrorCode (*set)(Mat))
{
  bool ours;

  PetscFunctionBegin;
  PetscCall(IsOurs(C, &ours));
  PetscCall((*set)(C));
  if (!ours || !C->ops->productsymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  OwnSymbolic(C)          = C->ops->productsymbolic;
  C->ops->productsymbolic = MatProductSymbolic_Sparse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
