#pragma once

/// \file shadow.hpp
/// The glue between PETSc and any format: any AIJ matrix of PETSc multiplies through a format and stays what it is for
/// all else.
///
/// A sequential AIJ matrix is *attached* to a method: a few of its operations are ours, and under a key on the PETSc
/// object lives its *shadow*: the options, PETSc's own functions, and the format, which is built at the first product
/// and refreshed when the values change. Its type is its *parent's*: seqaij, or seqaijcusparse with its
/// arrays on a device. The parent's values stay the master copy, wherever they are. A parallel matrix has attached
/// blocks, whose products PETSc's own parallel product calls.
///
/// A matrix gets there by -mat_spmv (every AIJ matrix of a program, as it is created), by MatSpMVSetMethod(), or by one
/// of our types. On the host these have names of their own, seqaijccoo for instance; on a device the type is the
/// parent's.
///
/// Operations of ours come in by the door, where all that is to be known of a matrix is settled once (enter.hpp).
///
///   registry.cpp  the methods we know, and names of types   enter.cpp     the door
///   hooks.cpp     every AIJ matrix that PETSc creates       attach.cpp    attach and detach, in place
///   parent.cpp    AIJ's own functions, products by them     options.cpp   the option database, -help
///   shadow.cpp    what a matrix keeps                       unused.cpp    options that nobody has read
///   route.cpp     who multiplies, and where                 sync.cpp      build, refresh, or nothing to do
///   auto.cpp      AIJ's until they have paid for ccoo       events.cpp    what -log_view shows
///   place.cpp     host or device: vectors and types         exchange.cpp  ghost values from device to device
///   ordering.cpp  rows by coloured blocks
///   ops/ops.cpp   which operations are ours: the rows of all files of ops, of which each is an operation of PETSc's.
///                 Beside these, product.cpp and dense.cpp are MatMatMult and its relatives, factor.cpp, solve.cpp and
///                 filled.cpp ILU(k) and ICC(k)

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/device_copy.hpp"
#include "core/format.hpp"
#include "core/known_pattern.hpp"
#include "glue/common_options.hpp"
#include "glue/compat.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "select/rental.hpp"

namespace petscspmv::shadow {

using Format = petscspmv::Format<PetscScalar, PetscInt>;
using View   = CsrView<PetscScalar, PetscInt>;

struct MatKind;

/// What must be the same for a format to be that of the matrix as it is now.
struct SyncKey {
  /// The header as it was met: MatHeaderMerge and MatHeaderReplace move shadows, ids and even older states to another
  /// header.
  Mat              owner   = nullptr;
  PetscObjectId    id      = 0;
  PetscObjectState pattern = -1; ///< nonzero state
  PetscInt         rows    = 0;
  PetscInt         cols    = 0;
  const PetscInt  *row_ptr = nullptr;
  const PetscInt  *col     = nullptr;
  PetscObjectState values  = -1; ///< object state
  /// Where values are on the host, and where a format that borrows has the arrays on a device from. Others do not care
  /// where they are there.
  const void *val = nullptr, *device_col = nullptr;

  void take_pattern(const View &view)
  {
    rows    = view.rows;
    cols    = view.cols;
    row_ptr = view.row_ptr;
    col     = view.col;
  }
  bool same_pattern(const SyncKey &o) const
  {
    return owner == o.owner && id == o.id && pattern == o.pattern && rows == o.rows && cols == o.cols && row_ptr == o.row_ptr &&
           col == o.col;
  }
  bool same_values(const SyncKey &o) const { return values == o.values && val == o.val && device_col == o.device_col; }
};

/// A format in one memory, and the state of the matrix that it is in step with.
struct Instance {
  std::unique_ptr<Format> format; ///< null: not built yet, or for a parallel matrix (its blocks have formats)
  SyncKey                 key;
  bool                    failed = false; ///< it could not be built for this key
  std::vector<PetscInt>   node_ptr;       ///< the view's, see CsrView

  PetscLogDouble nonzeros() const { return key.row_ptr ? (PetscLogDouble)key.row_ptr[key.rows] : 0; }
};

using Analysed = KeptAnalysis<PetscScalar, PetscInt>;

/// The arrays of a matrix on a device where PETSc has none there, or no row pointer of all rows, and the state of the
/// matrix that they are in step with.
struct CopyInstance {
  std::unique_ptr<DeviceCopy<PetscScalar, PetscInt>> arrays; ///< null: none
  SyncKey                                            key;
};

/// The sweeps of a matrix (MatSOR), and the state of the matrix that they are in step with.
struct SweepsInstance {
  std::unique_ptr<Sweeps<PetscScalar, PetscInt>> sweeps;
  SyncKey                                        key;
  std::string                                    failure;                     ///< why there are none for this pattern
  std::string                                    order;                       ///< of the rows; empty: their own
  SweepsWanted                                   wanted = SweepsWanted::none; ///< -mat_spmv_sweeps, when they were made
  MemorySpace                                    space  = MemorySpace::host;
};

/// What a format is for.
enum class Purpose {
  products,
  several,    ///< several vectors at once, where the kernels for one vector are not the best for that
  transposed, ///< transposed products of a type that has none itself
};

/// Which format of a matrix: the one in a memory, or one beside that.
struct Form {
  MemorySpace space;
  Purpose     purpose;

  Form(MemorySpace s, Purpose p = Purpose::products) : space(s), purpose(p) { }
  bool is_beside() const { return purpose != Purpose::products; }
};

/// Values of options, of its own only where they are not those that its type begins with: nearly all matrices have
/// these.
class OwnOptions {
public:
  explicit OwnOptions(const OptionValues &start) : start_(&start) { }

                            operator const OptionValues &() const { return own_ ? *own_ : *start_; }
  template <class Key> auto operator[](const Key &key) const { return static_cast<const OptionValues &>(*this)[key]; }
  OwnOptions               &operator=(const OptionValues &values)
  {
    own_ = values == *start_ ? nullptr : std::make_unique<OptionValues>(values);
    return *this;
  }
  std::size_t bytes_taken() const { return own_ ? sizeof(*own_) + own_->bytes_taken() : 0; }

private:
  const OptionValues           *start_; ///< for as long as the process
  std::unique_ptr<OptionValues> own_;
};

/// By whom a matrix of auto multiplies.
struct Automatic {
  std::unique_ptr<select::Rental> rental;                      ///< null before the first product
  MemorySpace                     space   = MemorySpace::host; ///< in which it decides; in the other one plain CSR multiplies
  PetscObjectState                pattern = -1, values = -1;
};

/// Products of one matrix by several threads of the program at a time. One after the other, they see to it that there
/// is a format and that it is in step; then they multiply side by side. A thread that changes a format waits for those
/// that use it.
class Products {
public:
  std::unique_lock<std::mutex> take_turn() { return std::unique_lock(turn_); }

  /// A product is in progress until what this returns is gone. The caller has the turn.
  [[nodiscard]] auto use()
  {
    ++in_progress_;
    return Finally([this] { return --in_progress_; });
  }

  /// Until no product is in progress. The caller has the turn, or there is but one thread.
  void wait() const
  {
    while (in_progress_ > 0) std::this_thread::yield();
  }

private:
  std::mutex       turn_;
  std::atomic<int> in_progress_{0};
};

/// The parent's own functions, in the order of the rows (ops.hpp); null where it has none.
using ParentFunctions = std::vector<VoidFn>;

/// What an attached matrix has beside its AIJ data.
struct Shadow {
  const MatKind    *kind;
  const bool        named; ///< the type has a name of ours; else it is the parent's
  const bool        mpi;   ///< of a parallel matrix
  ParentFunctions   parent;
  OwnOptions        options;             ///< -mat_<type>_<key>
  OwnOptions        common;              ///< -mat_spmv_<key>
  std::atomic<bool> options_read{false}; ///< from the option database, or inherited
  std::string       outer_prefix;        ///< of a block: the prefix of its matrix, for PETSc's preconditioners give blocks others

  /// On a device, the pattern at the end of the last assembly, on the host, and its nonzero state.
  std::unique_ptr<KnownPattern<PetscScalar, PetscInt>> assembled;
  PetscObjectState                                     assembled_state = -1;

  Products                        products;
  Automatic                       automatic;
  std::unique_ptr<SweepsInstance> sweeps;                ///< none until there is a sweep that may be ours
  Analysed                        analysed;              ///< the pattern, for sweeps and factors; none until there are some
  CopyInstance                    on_device;             ///< for set-ups and products of matrices
  bool                            tiny          = false; ///< products are AIJ's own functions, for that is how small the matrix is
  PetscInt                        transposes    = 0;     ///< transposed products on a device so far
  PetscInt                        nonempty_rows = 0;
  PetscInt                        builds        = 0;
  PetscInt                        refreshes     = 0;

  Shadow(const MatKind &k, bool has_name, bool is_mpi);

  /// That of a form, which is there from the first time that it is asked for so; or, as it is, an empty one.
  Instance       &at(Form form) { return instances_[place(form)] ? *instances_[place(form)] : add(form); }
  const Instance &at(Form form) const { return instances_[place(form)] ? *instances_[place(form)] : none(); }

  /// Those in which there are formats, on the host first.
  std::vector<Form> forms() const;

  /// Bytes of all that the matrix has beside its AIJ data, but for formats.
  std::size_t bytes_taken() const;

  /// Of all its formats; the shadow and sweeps are among the objects.
  Footprint footprint() const;

  /// The type of a format of this matrix.
  const FormatType<PetscScalar, PetscInt> &type_at(Form form) const;

  /// The options that it is built with: those of the matrix, if it is the type that the user has named.
  OptionValues options_of(const FormatType<PetscScalar, PetscInt> &type) const;

  /// The format that multiplies with one vector there, or with several.
  Form for_single(Operation op, MemorySpace space) const;
  Form for_several(Operation op, MemorySpace space) const;

  /// Takes over options; a format that was built with others is dropped, to be built again at the next product.
  void configure(const OptionValues &new_options, const OptionValues &new_common);

  /// Takes over those of another matrix, as it has read them.
  void inherit(const Shadow &other);

  /// Of no format it is known that it has the pattern of the matrix: it may be another one.
  void forget_pattern();

  /// The same of values, and of sweeps, too.
  void forget_values();

  /// What the option `kernels` says.
  Kernels kernels() const { return common[kKernelsOption]; }

private:
  static constexpr std::size_t purposes = 3;

  Instance              &add(Form form);
  static const Instance &none();

  static std::size_t place(Form form)
  {
    return (form.space == MemorySpace::device ? purposes : 0) + static_cast<std::size_t>(form.purpose);
  }

  std::array<std::unique_ptr<Instance>, 2 * purposes> instances_; ///< nothing where none was asked for
};

} // namespace petscspmv::shadow
