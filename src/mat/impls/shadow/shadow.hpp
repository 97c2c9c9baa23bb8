#pragma once

/// \file shadow.hpp
/// The glue between PETSc and any format: a matrix type that is an AIJ matrix and multiplies through a format.
///
/// A matrix of ours is a MATSEQAIJ or MATMPIAIJ in everything but a few operations. Beside it, under a key on the PETSc
/// object, lives its *shadow*: the options, and (sequential matrices only) the format, which is built at the first product
/// and refreshed when the values change. The AIJ arrays stay the master copy, so that every preconditioner, viewer and
/// factorisation works on them as ever.
///
///   registry.cpp  the kinds of matrix we know, and their names      attach.cpp   AIJ <-> ours, in place
///   parent.cpp    AIJ's own operations, to call them and restore    convert.cpp  MatConvert in all directions
///   sync.cpp      format <-> AIJ: build, refresh, or nothing to do  options.cpp  the option database, -help
///   seq.cpp       operations of the sequential types                view.cpp     -mat_view ::ascii_info
///   mpi.cpp       operations of the parallel types                  product.cpp  MatMatMult and its relatives
///   halo.cpp      ghost values of device vectors                    place.cpp    host or device: where a product runs
///   tune.cpp      a search for the best options                   left_to_aij.cpp  tiny matrices, first products
///   dense.cpp     ours times a dense matrix, by the format          unused.cpp   options that nobody has read
///   events.cpp    what -log_view shows                              ways.cpp     formats that change their way as products add up

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <petscsf.h>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "impls/shadow/compat.hpp"

namespace petscspmv::shadow {

using Format = AnyFormat<PetscScalar, PetscInt>;
using View   = CsrView<PetscScalar, PetscInt>;

// ------------------------------------------------------------------------------------------------ kinds (registry.cpp)

/// A format with the three names of its matrix type: "aijspec", "seqaijspec", "mpiaijspec".
/// The last two begin with seqaij and mpiaij because PETSc tests that prefix in more than a hundred places. "seqccoo" and "mpiccoo", which
/// one would expect beside "ccoo", are understood, too, but matrices say "seqaijccoo" and "mpiaijccoo".
struct MatKind {
  FormatType<PetscScalar, PetscInt> format;
  std::string                       root, seq, mpi;
  std::string                       short_seq, short_mpi; ///< what is understood, too; the same as seq and mpi where root begins with aij

  explicit MatKind(const FormatType<PetscScalar, PetscInt> &f);
};

/// Tells PETSc the names of `kind`, and how to create a matrix of it. Harmless if PETSc knows them already.
PetscErrorCode RegisterKind(const MatKind &kind, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));

/// The kind that has `type_name` as one of its names; null if none has, or if `type_name` is null.
const MatKind *FindKind(const char type_name[]);

/// All that have been registered.
std::span<const MatKind *const> KnownKinds();

/// MatCreate_XXX of a sequential or parallel kind.
PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi);

/// Makes the format `F` a matrix type.
///
/// Its kind, as whatever else belongs to the process, is never destroyed: programs destroy matrices and finalise PETSc in destructors of static
/// objects, which may run after ours would.
template <SpmvFormat F> PetscErrorCode RegisterFormat()
{
  static const auto &kind = *new MatKind(format_type<F>());

  PetscFunctionBegin;
  PetscCall(RegisterKind(
    kind, [](Mat A) { return MatCreate_Shadow(A, kind, false); }, [](Mat A) { return MatCreate_Shadow(A, kind, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ------------------------------------------------------------------------------------------------ the shadow of a matrix

/// What must be the same for a format to be that of the matrix as it is now.
struct SyncKey {
  /// The header as it was met: MatHeaderMerge and MatHeaderReplace move shadows, ids and even older states to another header.
  Mat              owner   = nullptr;
  PetscObjectId    id      = 0;
  PetscObjectState pattern = -1; ///< nonzero state
  PetscInt         rows    = 0;
  PetscInt         cols    = 0;
  const PetscInt  *row_ptr = nullptr;
  const PetscInt  *col     = nullptr;
  PetscObjectState values  = -1; ///< object state
  const void      *val     = nullptr;

  bool same_pattern(const SyncKey &o) const
  {
    return owner == o.owner && id == o.id && pattern == o.pattern && rows == o.rows && cols == o.cols && row_ptr == o.row_ptr &&
           col == o.col;
  }
  bool same_values(const SyncKey &o) const { return values == o.values && val == o.val; }
};

/// A format in one memory, and the state of the matrix that it is in step with.
struct Instance {
  std::unique_ptr<Format> format; ///< null: not built yet, or for a parallel matrix (its blocks have formats)
  SyncKey                 key;
  std::vector<PetscInt>   node_ptr; ///< the view's, see CsrView

  PetscLogDouble nonzeros() const { return key.row_ptr ? (PetscLogDouble)key.row_ptr[key.rows] : 0; }
};

/// How ghost values of a device vector come to a rank: straight into an array on the device (halo.cpp).
struct Halo {
  PetscSF       sf    = nullptr;
  Vec           ghost = nullptr; ///< one entry for each column of the off-diagonal block
  PetscObjectId block = 0;       ///< the off-diagonal block that they belong to

  Halo()                        = default;
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;
  ~Halo();
};

/// AIJ's own products of a sequential matrix whose format leaves it some, in seconds.
struct AijProducts {
  bool   timed = false; ///< where the clock takes no noticeable part of them
  double least = 0;     ///< one that is not transposed, at least; 0: there was none yet
  double spent = 0;     ///< all
};

/// When a matrix whose format has ways thinks about them again. A block of a parallel matrix does not: its matrix does, on all ranks.
struct WaysSchedule {
  PetscInt         products = 0; ///< since the format was built
  PetscInt         next     = 0; ///< the product before which to think
  int              way      = 0; ///< that all ranks have agreed on, or this one has chosen alone
  PetscObjectState pattern  = -1;
  bool             asked    = false; ///< whether a search has found a way for this matrix before
  double           question = -1;    ///< seconds that asking will take here; negative: not known yet
  AijProducts      aij;
  PetscInt         rest       = 0; ///< products until one thinks again that are AIJ's own, as these are faster than the format's first way
  PetscInt         changed    = 0; ///< the product before which the way has changed last
  bool             transposed = false; ///< some products were

  /// Begins anew; what is known of AIJ's products stays, unless they were of another pattern.
  void restart()
  {
    WaysSchedule next;
    if (pattern < 0) next.aij = aij, next.transposed = transposed;
    *this = next;
  }
};

/// A search for the best options. A block of a parallel matrix has none: its matrix has one, on all ranks or on each. But it knows what to go as.
struct Tuning {
  PetscObjectState pattern = -1; ///< of the matrix that was tuned
  std::string      report;       ///< what came of it; empty: nothing yet
  std::string      choice;       ///< of a format that has ways, as it is recalled; a parallel matrix has given it to its blocks
  int              way = 0;      ///< the way that is; of a parallel matrix, too
};

/// Products of one matrix by several threads of the program at a time. One after the other, they see to it that there is a format and that it is in step;
/// then they multiply side by side. Whoever is about to change a format waits for those that use it.
///
/// With a mutex and one counter, a thread that is alone would pay for four atomic operations in place of two: of a product that takes 160 ns, some 5.
class Products {
  class Turn {
  public:
    void lock()
    {
      for (int tries = 0; taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire); ++tries)
        if (tries < 64) std::this_thread::yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(50)); // a format is being built
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> taken_{false};
  };

public:
  /// A product in progress.
  class Use {
  public:
    /// The caller has the turn.
    explicit Use(Products &products) : products_(products) { ++products_.begun_; }
    ~Use() { products_.over_.fetch_add(1, std::memory_order_release); }
    Use(const Use &)            = delete;
    Use &operator=(const Use &) = delete;

  private:
    Products &products_;
  };

  std::unique_lock<Turn> take_turn() { return std::unique_lock(turn_); }

  /// Until no product is in progress. The caller has the turn, or there is but one thread.
  void wait() const
  {
    while (over_.load(std::memory_order_acquire) != begun_) std::this_thread::yield();
  }

private:
  Turn                  turn_;
  unsigned              begun_ = 0; ///< of whoever has the turn
  std::atomic<unsigned> over_{0};
};

/// What a matrix of ours has beside its AIJ data.
struct Shadow {
  const MatKind *kind;
  OptionValues   options;                  ///< -mat_<type>_<key>
  OptionValues   common;                   ///< -mat_spmv_<key>
  bool           options_read     = false; ///< from the option database, or inherited from the matrix around a block
  bool           vec_type_is_ours = false; ///< MatCreateVecs gives device vectors because we said so, not the program

  Products     products;
  Instance     host, device;
  Halo         halo; ///< of a parallel matrix whose vectors are on the device
  WaysSchedule ways;
  Tuning       tuning;
  bool         is_block      = false; ///< of a parallel matrix
  bool         tiny          = false; ///< products are AIJ's own functions, for that is how small the matrix is
  PetscInt     tune_products = 0;     ///< -mat_spmv_tune
  PetscInt     early         = -1;    ///< products that are AIJ's own before a format with a head start is built; negative: not known yet
  PetscInt     nonempty_rows = 0;
  PetscInt     builds        = 0;
  PetscInt     refreshes     = 0;

  explicit Shadow(const MatKind &kind);

  Instance &at(MemorySpace space) { return space == MemorySpace::device ? device : host; }

  /// Takes over options; a format that was built with others is dropped, to be built again at the next product.
  void configure(const OptionValues &new_options, const OptionValues &new_common);
};

/// The shadow of A, which must be of a type of ours. It is made when somebody asks for it: a matrix that PETSc creates only to ask how to
/// convert to its type needs none. MatHeaderMerge can leave a matrix without one, too.
PetscErrorCode ShadowGet(Mat A, Shadow **shadow);

// ------------------------------------------------------------------------------------------------ attach.cpp

/// True for a type of ours, sequential or parallel.
bool IsShadowType(Mat A);

/// Makes an AIJ matrix of whatever subtype, assembled or not, one of `kind`, in place.
PetscErrorCode ShadowAttach(Mat A, const MatKind &kind);

/// Makes a matrix of ours plain AIJ again, in place.
PetscErrorCode ShadowDetach(Mat A);

/// The shadows of a matrix and of its blocks while it is plain AIJ for a moment.
struct SuspendedShadow {
  const MatKind *kind;
  PetscContainer own, blocks[2];
  PetscBool      bound; ///< to the CPU
};

/// Makes A plain AIJ until ShadowResume(), which puts back the very shadows: nothing is built anew.
PetscErrorCode ShadowSuspend(Mat A, SuspendedShadow *suspended);
PetscErrorCode ShadowResume(Mat A, SuspendedShadow *suspended);

/// The two local blocks of a parallel AIJ matrix.
PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2]);

/// Makes the local blocks of a parallel matrix of ours sequential matrices of the same kind and options.
PetscErrorCode AttachBlocks(Mat A);

// ------------------------------------------------------------------------------------------------ place.cpp

/// Where a product of A with x and y runs: on the device if both vectors are there and A is not bound to the CPU.
PetscErrorCode ProductSpace(Mat A, Vec x, Vec y, MemorySpace *space);

/// Where the format will be wanted if nothing is known but the matrix: where its vectors are by default.
PetscErrorCode DefaultSpace(Mat A, MemorySpace *space);

/// Makes MatCreateVecs, and so the work vectors of a KSP, give device vectors where products run on a device.
PetscErrorCode SetDefaultVecType(Mat A);

// ------------------------------------------------------------------------------------------------ sync.cpp

/// Brings the format of a sequential matrix in `space` in step with its AIJ arrays: builds, refreshes, or does nothing.
PetscErrorCode ShadowSync(Mat A, MemorySpace space, Shadow **shadow);
PetscErrorCode ShadowSync(Mat A, MemorySpace space, Shadow *shadow); ///< of which the shadow is known

/// The same without raising an error: what went wrong, as sentences for the user, or nothing.
PetscErrorCode ShadowTrySync(Mat A, MemorySpace space, Shadow *shadow, PetscErrorCode *code, std::string *failure);

/// Formats queue their device work where PETSc queues its own.
PetscErrorCode UseCurrentStream();

/// The arrays of a sequential matrix as the format in `space` was shown them.
PetscErrorCode ShadowView(Mat A, MemorySpace space, Shadow *shadow, View *view);

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

// ------------------------------------------------------------------------------------------------ ways.cpp

/// Before a product of A in `space`, with formats in step: lets a format that has ways go on another one, if it is time to think of that:
/// on all ranks the same one, unless each chooses alone. Never an error: where a way cannot be gone, products go on as before. Collective.
PetscErrorCode ConsiderWays(Mat A, Shadow *shadow, MemorySpace space);

// ------------------------------------------------------------------------------------------------ tune.cpp

/// Whether this rank chooses for its part of A alone (-mat_spmv_tune_ranks own, or A is sequential), and not all ranks the same.
bool ChoosesAlone(Mat A, const Shadow &shadow);

/// Searches the best options for A, which is assembled, on all its ranks, and takes them over. A search that cannot be made is no error.
/// `products`: what it may take, in products with the present options. Collective.
PetscErrorCode ShadowTune(Mat A, PetscInt products);

/// The same before the first product, if an option asks for it. Collective.
PetscErrorCode TuneIfAsked(Mat A, Shadow *shadow, MemorySpace space);

/// Seconds that asking for what a search has found before is expected to take on this rank, for `entries` here; infinity where there is
/// nothing to ask or nobody wants to. `asks`: it is this rank that reads the cache.
double QuestionSeconds(const Shadow &shadow, MemorySpace space, bool asks, double entries);

/// The way that a search has found for A's pattern before, as formats recall it; empty if none has. `seconds`: what asking took. Collective on
/// the ranks that choose together.
PetscErrorCode AskForWay(Mat A, std::string *choice, double *seconds);

/// Goes the way that a search has found, if there is one, with a format that has just been built.
PetscErrorCode GoFoundWay(Mat A, Shadow *shadow, MemorySpace space, const View &view);

// ------------------------------------------------------------------------------------------------ seq.cpp

/// y = op(A) x + beta y for a sequential matrix, and for a block of a parallel one with the local parts of parallel vectors.
PetscErrorCode ShadowMultiply(Mat A, Operation op, Vec x, PetscScalar beta, Vec y);

// ------------------------------------------------------------------------------------------------ left_to_aij.cpp

/// Whether the first products are left to AIJ where a format wants that, and all of tiny matrices. Tests of what formats do from the first
/// product on say no.
inline bool head_starts = true;

/// Makes AIJ's own functions the products of a sequential matrix that has at most -mat_spmv_tiny entries, and ours those of any other. By its size
/// alone, whatever has been built of it: the same matrix gives the same bits. A is assembled, or just being so: what asks for the size sets up
/// a matrix that is not.
PetscErrorCode JudgeSize(Mat A, Shadow *shadow);

/// Whether the next product of A is AIJ's own: A is tiny, or its format leaves the first products to AIJ, or later ones that AIJ does faster.
/// A block, whose `early` is 1 as long as its matrix's next product is, says what its matrix says. Counts the product. Collective.
PetscErrorCode IsLeftToAij(Mat A, MemorySpace space, Shadow *shadow, bool *is);

/// y = op(A) x + beta y by AIJ for a sequential matrix or a block, beta being 0 or 1; not `done` if AIJ has no function for that: it has none for
/// Hermitian products. Takes the time if a format may want to know it.
PetscErrorCode MultiplyAsAij(Mat A, Shadow *shadow, Operation op, Vec x, PetscScalar beta, Vec y, bool *done);

/// AIJ's, and then JudgeSize().
PetscErrorCode MatAssemblyEnd_SeqShadow(Mat A, MatAssemblyType mode);

// ------------------------------------------------------------------------------------------------ halo.cpp

/// y = op(A) x + beta y for a parallel matrix and vectors on the device.
PetscErrorCode ShadowMultiplyHalo(Mat A, Operation op, Vec x, PetscScalar beta, Vec y);

// ------------------------------------------------------------------------------------------------ parent.cpp

/// An operation that we put in the place of AIJ's.
struct Override {
  MatOperation operation;
  VoidFn       function;
};
std::span<const Override> SeqOverrides(); ///< seq.cpp
std::span<const Override> MPIOverrides(); ///< mpi.cpp

/// Looks up AIJ's own operations, once a process for sequential and once for parallel matrices. `untouched`, which may be null: a matrix that
/// has just got its type, whose operations are AIJ's if it is plain AIJ.
PetscErrorCode ParentCapture(Mat untouched, bool mpi);

/// AIJ's own function for an operation that we override, once they have been captured; null if AIJ has none.
VoidFn ParentFunction(bool mpi, MatOperation operation);

/// Ours in its place; null for an operation that we do not override.
VoidFn OwnFunction(bool mpi, MatOperation operation);

/// AIJ's for all operations that we override, in their order.
std::span<const VoidFn> ParentFunctions(bool mpi);

/// AIJ's own MatRetrieveValues, which changes values and tells nobody.
PetscErrorCode (*ParentRetrieveValues())(Mat);

template <class Fn> Fn Parent(bool mpi, MatOperation operation)
{
  return reinterpret_cast<Fn>(ParentFunction(mpi, operation));
}

// ------------------------------------------------------------------------------------------------ the other files

PetscErrorCode MatConvert_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);     ///< from a type of ours (MATOP_CONVERT)
PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B); ///< to a type of ours (MATOP_CONVERT_FROM)
PetscErrorCode MatBindToCPU_Shadow(Mat A, PetscBool bind);
PetscErrorCode MatDuplicate_Shadow(Mat A, MatDuplicateOption how, Mat *B);
PetscErrorCode MatDestroy_Shadow(Mat A, bool mpi); ///< `mpi` is given: MatHeaderMerge destroys matrices whose type name is gone
PetscErrorCode MatView_Shadow(Mat A, PetscViewer viewer);
PetscErrorCode MatSetFromOptions_Shadow(Mat A, OptionItems items);
PetscErrorCode MatProductSetFromOptions_Shadow(Mat C); ///< composed under kProductKey

/// Lets the numeric phase of C = A B run through A's format if A is ours and B is dense, both on the host; AIJ's functions for it are set. Of a
/// parallel matrix, PETSc multiplies the diagonal block by such a product, and the other one on AIJ's arrays.
PetscErrorCode ProductUsesFormat(Mat C);

/// Where PETSc looks for products that no pair of type names has.
inline constexpr char kProductKey[] = "MatProductSetFromOptions_anytype_C";

/// The values of -mat_spmv_vec_type.
enum class VecTypeWish { automatic, standard };

OptionValues   CommonOptions();                                          ///< the defaults of -mat_spmv_<key>
PetscErrorCode ReadOptionsOnce(Mat A);                                   ///< for a matrix whose program never calls MatSetFromOptions
PetscErrorCode ShadowSetOption(Mat A, const char key[], PetscInt value); ///< `key` as in -mat_<type>_<key> or -mat_spmv_<key>
PetscErrorCode ShadowGetOption(Mat A, const char key[], PetscInt *value);
PetscErrorCode ShadowThreads(const Shadow &shadow, MemorySpace space, int *threads); ///< starts the runtime if need be

extern PetscLogEvent Event_Build, Event_Refresh, Event_Product, Event_Tune;
PetscErrorCode       RegisterEvents();

/// PetscFinalize() will say which options of ours were given in vain, and what they are for. PETSc itself only names them, and
/// before 3.20 only in a build with checks or with -options_left.
PetscErrorCode TellUnusedOptionsAtTheEnd();

/// Whether A's type is, or is derived from, a parallel AIJ matrix.
bool IsMPI(Mat A);

} // namespace petscspmv::shadow
