#pragma once

/// \file shadow.hpp
/// The glue between PETSc and any format: any AIJ matrix of PETSc multiplies through a format and stays what it is for
/// all else.
///
/// A sequential AIJ matrix is *attached* to a method: a few of its operations are ours, and under a key on the PETSc
/// object lives its *shadow*: the options, PETSc's own functions, and the format, which is built at the first product
/// and refreshed when the values change (state.hpp). Its type is its *parent's*: seqaij, or seqaijcusparse with its
/// arrays on a device. The parent's values stay the master copy, wherever they are. A parallel matrix has attached
/// blocks, whose products PETSc's own parallel product calls.
///
/// A matrix gets there by -mat_spmv (every AIJ matrix of a program, as it is created), by MatSpMVSetMethod(), or by one
/// of our types. On the host these have names of their own, seqaijccoo for instance; on a device the type is the
/// parent's.
///
///   registry.cpp  the methods we know, and names of types   attach.cpp       attach and detach, in place
///   hooks.cpp     every AIJ matrix that PETSc creates       convert.cpp      MatConvert in all directions
///   parent.cpp    AIJ's own functions                       options.cpp      the option database, -help
///   state.cpp     what a matrix keeps                       unused.cpp       options that nobody has read
///   sync.cpp      build, refresh, or nothing to do          view.cpp         -mat_view ::ascii_info
///   place.cpp     host or device: where a product runs      events.cpp       what -log_view shows
///   seq.cpp       operations of sequential matrices         product.cpp      MatMatMult and its relatives
///   mpi.cpp       operations of parallel matrices           dense.cpp        sparse times dense, by the format
///   auto.cpp      AIJ's until they have paid for ccoo       left_to_aij.cpp  tiny matrices, AIJ's products
///   sor.cpp       MatSOR                                    tune.cpp         a search for the best options
///   factor.cpp    ILU(k) and ICC(k)                         solve.cpp        solves with these

#include <array>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "glue/compat.hpp"
#include "glue/options.hpp"
#include "glue/parent.hpp"
#include "glue/state.hpp"

namespace petscspmv::shadow {

// ------------------------------------------------------------------------------------------------ kinds (registry.cpp)

/// A format with the three names of its matrix type: "aijspec", "seqaijspec", "mpiaijspec". The last two begin with
/// seqaij and mpiaij because PETSc tests that prefix in more than a hundred places. "seqccoo" and "mpiccoo", which one
/// would expect beside "ccoo", are understood, too, but matrices say "seqaijccoo" and "mpiaijccoo".
struct MatKind {
  FormatType<PetscScalar, PetscInt> format;
  OptionValues                      options; ///< that it begins with
  std::string                       root, seq, mpi;
  std::string                       short_seq, short_mpi; ///< what is understood, too; the same as seq and mpi where root begins with aij
  const MatKind                    *fast;                 ///< of auto: the kind that products pay for; else null

  explicit MatKind(const FormatType<PetscScalar, PetscInt> &f, const MatKind *goes_on_as = nullptr);
};

/// Tells PETSc the names of `kind`, and how to create a matrix of it. Harmless if PETSc knows them already.
PetscErrorCode RegisterKind(const MatKind &kind, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));

/// The kind that has `type_name` as one of its names; null if none has, or if `type_name` is null.
const MatKind *FindKind(const char type_name[]);

/// All that have been registered.
std::span<const MatKind *const> KnownKinds();

/// The first of them that transposes: plain CSR, which does beside the others what they have no kernels for.
const MatKind &PlainKind();

/// MatCreate_XXX of a sequential or parallel kind.
PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi);

/// Makes the method that `type()` is a matrix type. PETSc's functions take nothing but a matrix, so that each method has
/// some of its own, as many as there are types of `type`.
///
/// Its kind, as whatever else belongs to the process, is never destroyed: programs destroy matrices and finalise PETSc
/// in destructors of static objects, which may run after ours would.
template <class Type> PetscErrorCode RegisterFormat(const Type &type, const MatKind *goes_on_as = nullptr)
{
  static_assert(std::is_empty_v<Type>, "a lambda of its own for each method");
  static const auto &kind = *new MatKind(type(), goes_on_as);

  PetscFunctionBegin;
  PetscCall(RegisterKind(
    kind, [](Mat A) { return MatCreate_Shadow(A, kind, false); }, [](Mat A) { return MatCreate_Shadow(A, kind, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ------------------------------------------------------------------------------------------------ attached matrices

/// The shadow of A; null if A is not attached.
PetscErrorCode ShadowFind(Mat A, Shadow **shadow);

/// The shadow of A, which must be attached. MatHeaderMerge can leave a matrix of a type of ours without one: then it is
/// made.
PetscErrorCode ShadowGet(Mat A, Shadow **shadow);

// ------------------------------------------------------------------------------------------------ attach.cpp

/// Lets an AIJ matrix, assembled or not, multiply by `kind`, in place. Its type stays what it is.
PetscErrorCode ShadowAttach(Mat A, const MatKind &kind);

/// The same for an AIJ matrix of whatever subtype, which gets the type of that kind.
PetscErrorCode ShadowAttachType(Mat A, const MatKind &kind);

/// Gives an attached matrix its parent's functions back, in place; one of a type of ours becomes plain AIJ.
PetscErrorCode ShadowDetach(Mat A);

/// PETSc sets operations of a matrix anew in places; ours go on top of them again, and those are the parent's from now
/// on.
PetscErrorCode ShadowReattach(Mat A, Shadow *shadow);

/// The shadows of a matrix and of its blocks while it is plain AIJ for a moment.
struct SuspendedShadow {
  const MatKind *kind;
  PetscContainer own, blocks[2];
};

/// Makes A, of a type of ours, plain AIJ until ShadowResume(), which puts back the very shadows: nothing is built anew.
PetscErrorCode ShadowSuspend(Mat A, SuspendedShadow *suspended);
PetscErrorCode ShadowResume(Mat A, SuspendedShadow *suspended);

/// The two local blocks of a parallel AIJ matrix.
PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2]);

/// Attaches the local blocks of a parallel matrix that is attached itself to the same kind, with the same options.
PetscErrorCode AttachBlocks(Mat A);

/// What has formats: a sequential matrix itself, or the two blocks of a parallel one. What is missing is null.
PetscErrorCode GetParts(Mat A, Mat (&parts)[2]);

/// Calls visit(matrix) for A, or for the local blocks of a parallel one. `visit` returns a PetscErrorCode.
template <class Visit> PetscErrorCode ForEachPart(Mat A, Visit &&visit)
{
  Mat parts[2];

  PetscFunctionBegin;
  PetscCall(GetParts(A, parts));
  for (Mat part : parts)
    if (part) PetscCall(visit(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ------------------------------------------------------------------------------------------------ hooks.cpp

/// From now on, PETSc's AIJ matrices are attached as they are created, if -mat_spmv names a method. After each
/// PetscInitialize().
PetscErrorCode InstallHooks();

/// "aijspec, aijlight, ..., auto or none"
std::string MethodNames();

/// The method of this name, null for "none". Another name is an error.
PetscErrorCode FindMethod(const char name[], const MatKind **kind);

/// The method that -mat_spmv names for A, with A's prefix or without; null for none. A name that is none is an error.
PetscErrorCode MethodFromOptions(Mat A, const MatKind **kind, bool *given);

/// Attaches A to the method that -mat_spmv names, or detaches it if that is none; nothing where the option is not
/// given.
PetscErrorCode AttachByOptions(Mat A);

/// PETSc's own matrix of this type, which no option makes another one, nor attaches.
PetscErrorCode CreateParent(MatType type, Mat *A);

// ------------------------------------------------------------------------------------------------ place.cpp

/// Where a product of A with x and y runs: where A and both vectors are, or else on the host. Not `ours` where our
/// format has no kernels there.
PetscErrorCode ProductSpace(Mat A, const Shadow &shadow, Vec x, Vec y, MemorySpace *space, bool *ours);

/// A vector of length n on the device: PETSc's device types, one of which `parent` is, assume that all vectors are there.
PetscErrorCode CreateForParent(MatType parent, PetscInt n, Vec *v);

/// Whether a vector is of a type that lives on a device, and not bound to the CPU.
PetscErrorCode IsOnDevice(Vec v, bool *on_device);

/// to = from, for vectors of any two types, and v = 0, without the events that VecCopy() and VecSet() log: all ranks of a
/// parallel vector wait for each other in these with -log_sync, and each rank decides by itself whose functions multiply.
PetscErrorCode CopyOnThisRank(Vec from, Vec to);
PetscErrorCode ZeroOnThisRank(Vec v);

/// Where A's parent has its arrays, and so where the format is wanted if nothing is known but the matrix: on the host
/// if A is bound to the CPU.
PetscErrorCode DefaultSpace(Mat A, MemorySpace *space);

/// Whether an aijcusparse matrix has its newest values on the host alone, so that PETSc copies them for who wants them
/// on the device.
PetscErrorCode IsOnHostAlone(Mat A, bool *is);

/// Where the values are on the host alone, the diagonal is taken there: PETSc would bring the whole matrix to the device
/// for it, as for its Jacobi preconditioner.
PetscErrorCode MatGetDiagonal_SeqShadow(Mat A, Vec diagonal);

/// The type that a matrix of `kind` gets: a name of ours on the host, the parent's on a device. `mpi`: parallel.
PetscErrorCode TypeForKind(Mat A, const MatKind &kind, bool mpi, std::string *type);

// ------------------------------------------------------------------------------------------------ sync.cpp

/// Brings a format of a sequential matrix in step with its AIJ arrays: builds, refreshes, or does nothing. Where that
/// fails, products are the parent's until the matrix or its options change: `failed`, which -info tells.
PetscErrorCode ShadowSync(Mat A, Form form, Shadow *shadow, bool *failed);

/// The same without raising an error: what went wrong, as sentences for the user, or nothing.
PetscErrorCode ShadowTrySync(Mat A, Form form, Shadow *shadow, PetscErrorCode *code, std::string *failure);

/// The values of a sequential matrix on the host, where PETSc brings them if the newest ones are on a device.
PetscErrorCode ValuesOnHost(Mat A, const PetscScalar **val);

/// Formats queue their device work where PETSc queues its own.
PetscErrorCode UseCurrentStream();

/// A as it was met, and its states.
PetscErrorCode GetStates(Mat A, SyncKey *key);

/// The arrays of a sequential matrix as the format in `space` is to be shown them, and, if asked for, the state that they
/// are in.
PetscErrorCode ShadowView(Mat A, MemorySpace space, Shadow *shadow, View *view, SyncKey *key = nullptr);

/// The same before a format is built: looks for nodes, too.
PetscErrorCode ShadowShow(Mat A, MemorySpace space, Shadow *shadow, View *view);

/// Takes over a format that was built from what ShadowShow() has shown.
PetscErrorCode ShadowAdopt(Mat A, MemorySpace space, Shadow *shadow, std::unique_ptr<Format> format);

/// Runs `work`, which may throw, and turns an exception into an error code and a sentence.
template <class Work> void Attempt(Work &&work, PetscErrorCode *code, std::string *failure)
{
  try {
    work();
  } catch (const MemoryError &e) {
    *code    = PETSC_ERR_MEM;
    *failure = e.what();
  } catch (const std::bad_alloc &) {
    *code    = PETSC_ERR_MEM;
    *failure = "there is not enough memory";
  } catch (const FormatError &e) {
    *code    = PETSC_ERR_ARG_OUTOFRANGE;
    *failure = e.what();
  } catch (const std::exception &e) {
    *code    = PETSC_ERR_LIB;
    *failure = e.what();
  }
}

// ------------------------------------------------------------------------------------------------ auto.cpp

/// The type that goes on as `fast`: that type under another name, with auto's options. What is built is `fast` itself
/// (Shadow::type_at()).
FormatType<PetscScalar, PetscInt> AutoType(std::string_view name, const MatKind &fast);

/// When a product of a matrix of auto began that is timed, and who does it.
struct Timing {
  bool        on    = false;
  select::Way way   = select::Way::aij;
  double      begin = 0;
};

/// Before a plain product of a matrix of auto: says whether it is AIJ's, and else builds what it is by if need be.
/// Never an error: what cannot be built is passed over.
PetscErrorCode ChooseWay(Mat A, MemorySpace space, Shadow *shadow, bool *by_aij, Timing *timing);

/// After that product.
void NoteTime(const Timing &timing, Shadow *shadow);

/// Whether A is of auto and AIJ still multiplies there.
PetscErrorCode IsLeftToAij(Mat A, MemorySpace space, Shadow *shadow, bool *is);

/// For reports, of a matrix of auto.
Facts WayFacts(const Shadow &shadow);

// ------------------------------------------------------------------------------------------------ tune.cpp

/// Searches the best options for A, which is sequential and assembled, and takes them over. A search that cannot be
/// made is no error. `products`: what it may take, in products with the present options; 0 for no search.
PetscErrorCode ShadowTune(Mat A, PetscInt products);

/// The same before the first product, if an option asks for it.
PetscErrorCode TuneIfAsked(Mat A, Shadow *shadow, MemorySpace space);

// ------------------------------------------------------------------------------------------------ left_to_aij.cpp

/// Whether the first products of auto are left to AIJ, and all of tiny matrices. Tests of what formats do from the first
/// product on say no.
inline bool head_starts = true;

/// Makes AIJ's own functions the products of a sequential matrix that has at most -mat_spmv_tiny entries (but for
/// transposed ones, which ours leave to them), and ours those of any other. By its size alone, whatever has been built
/// of it: the same matrix gives the same bits. Sweeps are ours where they may be. A is assembled, or just being so: what
/// asks for the size sets up a matrix that is not.
PetscErrorCode JudgeSize(Mat A, Shadow *shadow);

/// A transposed product on a device needs an index of its own, which costs up to ten products to build: the first ones
/// are the parent's. Counts one with so many vectors.
bool WaitsForIndex(Shadow *shadow, MemorySpace space, Operation op, PetscInt vectors);

/// All are, for there is no room for one.
void GiveUpIndex(Shadow *shadow);

/// y = op(A) x + beta y by the parent of a sequential matrix, beta being 0 or 1; `space` is that of the product
/// (ProductSpace()): where it is not the parent's, with copies of x and y.
PetscErrorCode MultiplyAsParent(Mat A, Shadow *shadow, MemorySpace space, Operation op, Vec x, PetscScalar beta, Vec y);

// ------------------------------------------------------------------------------------------------ seq.cpp, mpi.cpp

/// An operation that we put in the place of the parent's.
struct Override {
  enum When : unsigned char {
    always,
    unless_tiny, ///< a tiny matrix leaves it to its parent
    if_named,    ///< only in types with names of ours
    if_swept,    ///< only where sweeps may be ours
  };

  MatOperation operation;
  When         when;
  VoidFn       function;
};
std::span<const Override>        SeqOverrides();
std::span<const Override>        MPIOverrides();
inline std::span<const Override> Overrides(bool mpi)
{
  return mpi ? MPIOverrides() : SeqOverrides();
}

// ------------------------------------------------------------------------------------------------ sor.cpp

/// Whether the options let our sweeps do MatSOR() for a matrix whose home is there, or have not been read: MatSOR() may be
/// the first that does it.
bool MaySweep(const Shadow &shadow, MemorySpace home);

/// Whether they do wherever they can, also where PETSc's are predicted to be faster.
bool SweepsAlways(const Shadow &shadow);

/// Whether they go through coloured blocks of rows.
bool SweepsByBlocks(const Shadow &shadow);

/// Sweeps point by point, as PETSc does for a matrix without inodes, in the memory of the matrix and the vectors. Leaves to
/// PETSc what our sweeps cannot do.
PetscErrorCode MatSOR_SeqShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x);

/// The sweeps of a sequential matrix, if there were some.
PetscErrorCode ViewSweeps(const Shadow &shadow, PetscViewer viewer);

// ------------------------------------------------------------------------------------------------ factor.cpp

/// From now on, incomplete factors of attached matrices are ours where sweeps may be.
/// After each PetscInitialize(), as InstallHooks().
PetscErrorCode HookFactors();

/// Makes our factors a package of PETSc's, by this name, which must last.
PetscErrorCode RegisterFactorPackage(MatSolverType name);

// ------------------------------------------------------------------------------------------------ the other files

PetscErrorCode MatConvert_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);     ///< from a type of ours (MATOP_CONVERT)
PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B); ///< to a type of ours (MATOP_CONVERT_FROM)
PetscErrorCode MatBindToCPU_Shadow(Mat A, PetscBool bind);
PetscErrorCode MatDuplicate_Shadow(Mat A, MatDuplicateOption how, Mat *B);
PetscErrorCode MatDestroy_Shadow(Mat A, bool mpi); ///< `mpi` is given: MatHeaderMerge destroys matrices whose type name is gone
PetscErrorCode MatAssemblyEnd_Shadow(Mat A, MatAssemblyType mode);
PetscErrorCode MatView_Shadow(Mat A, PetscViewer viewer);
PetscErrorCode MatSetFromOptions_Shadow(Mat A, OptionItems items);

/// Lets the numeric phase of C = A B or A^T B run through A's format if A is attached and B is dense, both on the host
/// or both on a device, and of C = A B^T on the host; AIJ's functions for it are set. Of a parallel matrix, PETSc
/// multiplies the diagonal block by such a product A B, and the other one on AIJ's arrays.
PetscErrorCode ProductUsesFormat(Mat C);

/// Lets PETSc ask us about products that A is a factor of, or no longer.
PetscErrorCode ComposeProducts(Mat A, bool named, bool ask_us);

extern PetscLogEvent Event_Build, Event_Refresh, Event_Product, Event_Tune, Event_Sweeps;
PetscErrorCode       RegisterEvents();

} // namespace petscspmv::shadow
