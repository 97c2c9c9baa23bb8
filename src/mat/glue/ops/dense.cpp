#include "glue/ops/product.hpp"

#include "core/runtime.hpp"
#include "glue/events.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"
#include "select/several.hpp"

namespace petscspmv::shadow {

namespace {

using ProductFunction = PetscErrorCode (*)(Mat);

/// What PETSc does for a product of AIJ and dense in a memory. They are the same for all such products, so that a
/// product finds them here when it needs them.
struct ParentProduct {
  ProductFunction symbolic = nullptr, numeric = nullptr;
} parent_product[2][MATPRODUCT_ABt + 1];

PetscErrorCode ParentOf(Mat C, MemorySpace space, ParentProduct **parent)
{
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  *parent = &parent_product[space == MemorySpace::device][type];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The products that formats do, one of A with several vectors each.
bool IsOfSeveralVectors(MatProductType type)
{
  return type == MATPRODUCT_AB || type == MATPRODUCT_AtB || type == MATPRODUCT_ABt;
}

/// Whether B is of the type, and of no subtype, that has its entries there.
PetscErrorCode IsDenseIn(Mat B, MemorySpace space, bool *is)
{
  PetscBool same, bound = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, space == MemorySpace::device ? MATSEQDENSECUDA : MATSEQDENSE, &same));
  if (same && space == MemorySpace::device) PetscCall(MatBoundToCPU(B, &bound));
  *is = same && !bound;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// True if C is a product of A that formats do: A is ours and sequential, and B is where it is. PETSc does those of a
/// tiny matrix, and A B^T on a device.
PetscErrorCode IsForFormat(Mat C, const Entry &e, bool *is)
{
  Mat            B;
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, NULL, &B, NULL));
  *is = IsOfSeveralVectors(type) && e.own && !e.own->mpi && !e.own->tiny;
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsDenseIn(B, e.home, is));
  if (e.home == MemorySpace::device) *is = *is && type != MATPRODUCT_ABt && kDenseOnDevice && HasKernels(*e.own, e.home);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A dense matrix as the vectors of a product: those of A B^T are its rows.
class Vectors {
public:
  Vectors(const PetscScalar *b, PetscInt ld, PetscInt rows, PetscInt cols, bool transposed) : x_(b), ld_(ld), n_(transposed ? rows : cols)
  {
    if (!transposed) return;
    copy_.resize((std::size_t)rows * (std::size_t)cols);
    for (PetscInt r = 0; r < rows; ++r)
      for (PetscInt c = 0; c < cols; ++c)
        copy_[(std::size_t)r * (std::size_t)cols + (std::size_t)c] = b[r + (std::size_t)c * (std::size_t)ld];
    x_  = copy_.data();
    ld_ = cols;
  }
  const PetscScalar *data() const { return x_; }
  PetscInt           ld() const { return ld_; }
  int                size() const { return (int)n_; }

private:
  std::vector<PetscScalar> copy_;
  const PetscScalar       *x_;
  PetscInt                 ld_, n_;
};

/// C = op(A) B or A B^T by a format that is in step. PETSc's symbolic phase has made C, or the program has: both bring
/// leading dimensions of their own. On the host either may be of a type for a device: PETSc copies then. `failure`:
/// what went wrong, and C is as it was.
PetscErrorCode MultiplyDense(const Entry &e, Form form, Operation op, Mat B, Mat C, std::string *failure)
{
  const PetscScalar *b;
  PetscScalar       *c;
  PetscInt           rows, cols, columns, ldb, ldc;
  PetscMemType       where_b = PETSC_MEMTYPE_HOST, where_c = PETSC_MEMTYPE_HOST;
  MatProductType     type;
  const bool         on_device = form.space == MemorySpace::device;

  PetscFunctionBegin;
  Format &format = *e.own->at(form).format;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatGetLocalSize(B, &rows, &cols));
  PetscCall(MatGetLocalSize(C, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(C, &ldc));
  const PetscInt       saved = type == MATPRODUCT_ABt ? e.own->nonempty_rows : 0; // as AIJ counts
  const PetscLogDouble flops = (PetscLogDouble)columns * (2.0 * e.own->at(form).nonzeros() - (PetscLogDouble)saved);
  PetscCall(PetscLogEventBegin(Event_Product, e.A, B, C, 0));
  const Finally end([&] { return PetscLogEventEnd(Event_Product, e.A, B, C, 0); });
  PetscCall(on_device ? MatDenseGetArrayReadAndMemType(B, &b, &where_b) : MatDenseGetArrayRead(B, &b));
  const Finally restore_b([&] { return (on_device ? MatDenseRestoreArrayReadAndMemType : MatDenseRestoreArrayRead)(B, &b); });
  PetscCall(on_device ? MatDenseGetArrayWriteAndMemType(C, &c, &where_c) : MatDenseGetArrayWrite(C, &c));
  const Finally restore_c([&] { return (on_device ? MatDenseRestoreArrayWriteAndMemType : MatDenseRestoreArrayWrite)(C, &c); });
  if (on_device) PetscCall(PetscLogGpuTimeBegin());
  if (PetscMemTypeDevice(where_b) == on_device && PetscMemTypeDevice(where_c) == on_device)
    Try(failure, [&] {
      const Vectors x(b, ldb, rows, cols, type == MATPRODUCT_ABt);
      format.multiply_many(op, PetscScalar(1), x.data(), x.ld(), PetscScalar(0), c, ldc, x.size());
    });
  if (on_device && op != Operation::none && !failure->empty()) GiveUpIndex(e.own);
  if (PetscMemTypeDevice(where_b) != on_device || PetscMemTypeDevice(where_c) != on_device)
    *failure = "the dense matrices are not in the memory of the matrix";
  if (on_device) PetscCall(PetscLogGpuTimeEnd());
  if (failure->empty()) PetscCall(on_device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C by the format, unless that cannot be built, or has no room for several vectors or an index: `failed`, and the
/// parent goes on.
PetscErrorCode MultiplyByFormat(const Entry &e, Mat B, Mat C, bool *failed)
{
  Route          route;
  std::string    failure;
  MatProductType type;
  PetscInt       columns;

  PetscFunctionBegin;
  auto turn = e.own->products.take_turn();
  PetscCall(MatProductGetType(C, &type));
  const Operation op = type == MATPRODUCT_AtB ? Operation::transpose : Operation::none;
  PetscCall(MatGetLocalSize(C, NULL, &columns));
  PetscCall(FindRouteOfSeveral(e, op, columns, &route));
  if ((*failed = route.by_parent())) PetscFunctionReturn(PETSC_SUCCESS);
  const auto use = e.own->products.use();
  if (e.home == MemorySpace::host) turn.unlock(); // on a device, products are but queued, and have scratch memory in common
  PetscCall(MultiplyDense(e, route.form, op, B, C, &failure));
  if (failure.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(e.A, "A product with several vectors is PETSc's own: %s\n", failure.c_str()));
  *failed = true;
  if (e.home == MemorySpace::host) PetscFunctionReturn(PETSC_SUCCESS); // others may be multiplying by the format
  if (route.form.purpose != Purpose::several) PetscFunctionReturn(PETSC_SUCCESS);
  e.own->at(route.form).format.reset(); // not to be tried again before the matrix changes
  e.own->at(route.form).failed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MemorySpace space> PetscErrorCode MatProductNumeric_Dense(Mat C)
{
  Mat            A, B;
  Entry          e;
  ParentProduct *parent = nullptr;
  bool           is, failed = true;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(Find(A, &e));
  PetscCall(IsForFormat(C, e, &is)); // the operands may have moved since, or be others
  if (is && e.home == space) {
    PetscCall(Enter(A, &e));
    PetscCall(MultiplyByFormat(e, B, C, &failed));
  }
  PetscCall(ParentOf(C, space, &parent));
  if (failed) PetscCall((*parent->numeric)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MemorySpace space> PetscErrorCode MatProductSymbolic_Dense(Mat C)
{
  PetscBool      copied = PETSC_FALSE; ///< C is the program's, on the host, and the parent's numeric phase brings the result there
  ParentProduct *parent = nullptr;
  VoidFn         numeric;

  PetscFunctionBegin;
  if (space == MemorySpace::device) PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQDENSE, &copied));
  PetscCall(ParentOf(C, space, &parent));
  PetscCall((*parent->symbolic)(C));
  if (copied) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOperation(C, MATOP_PRODUCTNUMERIC, &numeric));
  parent->numeric = (ProductFunction)numeric;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (VoidFn)MatProductNumeric_Dense<space>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ProductUsesFormat(Mat C)
{
  Mat            A;
  MatProductType type;
  ParentProduct *parent = nullptr;
  Entry          e;
  VoidFn         symbolic;
  bool           is;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, NULL, NULL));
  if (!IsOfSeveralVectors(type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EnterIfAttached(A, &e));                            // options say where A multiplies
  if (!e.own || e.own->mpi) PetscFunctionReturn(PETSC_SUCCESS); // its diagonal block comes here by itself
  PetscCall(IsForFormat(C, e, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOperation(C, MATOP_PRODUCTSYMBOLIC, &symbolic));
  if (!symbolic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ParentOf(C, e.home, &parent));
  parent->symbolic = (ProductFunction)symbolic;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC,
                            e.home == MemorySpace::device ? (VoidFn)MatProductSymbolic_Dense<MemorySpace::device>
                                                          : (VoidFn)MatProductSymbolic_Dense<MemorySpace::host>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
