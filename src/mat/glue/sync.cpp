#include "glue/sync.hpp"

#include <algorithm>
#include <future>
#include <numeric>
#include <utility>

#include "core/large_pages.hpp"
#include "core/runtime.hpp"
#include "glue/auto.hpp"
#include "glue/events.hpp"
#include "glue/options.hpp"
#include "glue/route.hpp"
#include "select/clock.hpp"

namespace petscspmv::shadow {

namespace {

/// Shows the arrays on the device, where PETSc brings them, or the values on the host if this matrix has no arrays
/// elsewhere.
PetscErrorCode ShowDeviceArrays(Mat A, View *view)
{
  DeviceArrays on_device;

  PetscFunctionBegin;
  PetscCall(ArraysOnDevice(A, &on_device));
  view->device_row_ptr   = on_device.row_ptr;
  view->device_col       = on_device.col;
  view->val              = on_device.val;
  view->newest_on_device = IsNewestOnDevice(A);
  if (!view->val) PetscCall(ValuesOnHost(A, &view->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Shows the newest values to a format that has a copy on the device, where they are: nothing is brought anywhere.
PetscErrorCode ShowValues(const Entry &e, View *view)
{
  PetscFunctionBegin;
  if (IsOnHostAlone(e)) PetscCall(ValuesOnHost(e.A, &view->val));
  else PetscCall(ShowDeviceArrays(e.A, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The arrays of AIJ: the pattern, which is always on the host, and the values of a product on the host, or those on
/// the device if the format borrows them. Without them, they are shown when it is known where they are wanted.
PetscErrorCode GetArrays(const Entry &e, MemorySpace space, bool borrows, View *view)
{
  Mat const    A = e.A;
  PetscScalar *array;

  PetscFunctionBegin;
  if (e.home == MemorySpace::host && space == MemorySpace::host) {
    PetscMemType where;
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &view->row_ptr, &view->col, &array, &where));
    view->val = array;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PatternOnHost(A, view));
  if (space == MemorySpace::host) PetscCall(ValuesOnHost(A, &view->val));
  else if (borrows) PetscCall(ShowDeviceArrays(A, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GetStates(Mat A, SyncKey *key)
{
  PetscFunctionBegin;
  key->owner = A;
  PetscCall(PetscObjectGetId((PetscObject)A, &key->id));
  PetscCall(PetscObjectStateGet((PetscObject)A, &key->values));
  PetscCall(MatGetNonzeroState(A, &key->pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

PetscErrorCode GetKey(const Entry &e, Form form, SyncKey *key, View *view)
{
  const bool borrows = e.own->type_at(form).borrows;

  PetscFunctionBegin;
  PetscCall(GetStates(e.A, key));
  PetscCall(GetArrays(e, form.space, borrows, view));
  PetscCall(MatGetLocalSize(e.A, &view->rows, &view->cols));
  key->take_pattern(*view);
  if (form.space == MemorySpace::host || borrows) key->val = view->val;
  if (borrows) key->device_col = view->device_col;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the row pointer on the device may be one of the rows that are not empty alone, as PETSc has it there if three
/// fifths of all are: it does not tell.
bool MayBeCompressed(PetscInt nonempty_rows, const View &view)
{
  return 2 * nonempty_rows <= view.rows;
}

/// The same where nobody has counted them.
bool MayBeCompressed(const View &view)
{
  constexpr PetscInt some     = 4096; // rows between two looks at whether it is known
  PetscInt           nonempty = 0;
  for (PetscInt r = 0; r < view.rows && MayBeCompressed(nonempty, view);)
    for (const PetscInt end = std::min(r + some, view.rows); r < end; ++r) nonempty += view.row_ptr[r + 1] > view.row_ptr[r];
  return MayBeCompressed(nonempty, view);
}

/// Forgets that row pointer then. `nonempty_rows`: of a matrix with this pattern; 0 if that is not known.
void KeepWholeRowPointer(PetscInt nonempty_rows, View *view)
{
  if (MayBeCompressed(nonempty_rows, *view)) view->device_row_ptr = nullptr;
}

/// PETSc's nodes as the view wants them: its array holds their sizes up to 3.22, and since 3.23 what we want ourselves,
/// which begins with 0, as no list of sizes does.
std::vector<PetscInt> NodePointer(PetscInt nodes, const PetscInt *sizes)
{
  std::vector<PetscInt> node_ptr;
  if (!nodes || !sizes) return node_ptr;
  node_ptr.assign((std::size_t)nodes + 1, 0);
  if (sizes[0] == 0) std::copy(sizes, sizes + nodes + 1, node_ptr.begin());
  else std::partial_sum(sizes, sizes + nodes, node_ptr.begin() + 1);
  return node_ptr;
}

void SetNodes(const std::vector<PetscInt> &node_ptr, View *view)
{
  view->nodes    = node_ptr.empty() ? 0 : (PetscInt)node_ptr.size() - 1;
  view->node_ptr = node_ptr.empty() ? nullptr : node_ptr.data();
}

/// What the log of flops asks for. Beside the building of a format, where that takes long: 4 M rows take 1.8 ms, as
/// 7-point 160^3 takes 10 on a device.
std::future<PetscInt> CountNonemptyRows(const View &view)
{
  constexpr PetscInt    many    = 1 << 17;
  const std::launch     policy  = view.rows < many ? std::launch::deferred : std::launch::async | std::launch::deferred;
  const PetscInt *const row_ptr = view.row_ptr;
  return std::async(policy, [row_ptr, rows = view.rows] {
    PetscInt count = 0;
    for (PetscInt r = 0; r < rows; ++r) count += row_ptr[r + 1] > row_ptr[r];
    return count;
  });
}

/// With -info, how much a format that keeps copies will take.
PetscErrorCode TellNeed(Mat A, const Shadow &s, const View &view, std::string *failure)
{
  const auto &type = s.type_at(MemorySpace::host);
  PetscBool   told;
  std::size_t bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscInfoEnabled(MAT_CLASSID, &told));
  if (!told || type.borrows) PetscFunctionReturn(PETSC_SUCCESS);
  Try(failure, [&] { bytes = type.predicted_bytes(view, s.options_of(type)); });
  if (failure->empty()) PetscCall(PetscInfo(A, "%s: will take %.0f bytes\n", s.kind->root.c_str(), (double)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Completes `view`.
PetscErrorCode ShowNodes(Mat A, Instance &instance, View *view, std::string *failure)
{
  PetscInt nodes = 0, limit, *sizes = nullptr;

  PetscFunctionBegin;
  PetscCall(MatInodeGetInodeSizes(A, &nodes, &sizes, &limit));
  Try(failure, [&] {
    instance.node_ptr = NodePointer(nodes, sizes);
    SetNodes(instance.node_ptr, view);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether building it is told: plain CSR beside the format that a user has asked for borrows AIJ's arrays.
bool IsCounted(const Shadow &s, Form form)
{
  return !form.is_beside() || &s.type_at(form) == &s.kind->format;
}

/// After a format has been built, here or elsewhere.
PetscErrorCode CountBuild(const Entry &e, Form form, const SyncKey &key)
{
  Shadow *const s        = e.own;
  Instance     &instance = s->at(form);

  PetscFunctionBegin;
  instance.key = key;
  PetscCall(CheckSize(e));
  if (form.space == MemorySpace::device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)instance.format->footprint().owned()));
  if (!IsCounted(*s, form)) PetscFunctionReturn(PETSC_SUCCESS);
  s->builds++;
  PetscCall(PetscInfo(e.A, "%s: built for the %" PetscInt_FMT ". time\n", s->kind->root.c_str(), s->builds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using ArrayOnHost = std::unique_ptr<PetscScalar[]>;

/// The values of a matrix on the host, where a format is planned. Where they are on a device alone, `brought` has them:
/// PETSc would bring them by one thread.
PetscErrorCode ValuesToPlanBy(const Entry &e, int threads, View *view, ArrayOnHost *brought, std::string *failure)
{
  const auto   n = (std::size_t)view->nonzeros();
  DeviceArrays on_device;

  PetscFunctionBegin;
  if (!IsNewestOnDevice(e.A) || e.home == MemorySpace::host) {
    PetscCall(ValuesOnHost(e.A, &view->val));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ArraysOnDevice(e.A, &on_device));
  Try(failure, [&] {
    *brought = std::make_unique_for_overwrite<PetscScalar[]>(n);
    want_large_pages(brought->get(), n);
    copy_from_device(brought->get(), on_device.val, n * sizeof(PetscScalar), threads);
  });
  if (*brought) PetscCall(PetscLogGpuToCpu((PetscLogDouble)n * sizeof(PetscScalar)));
  view->val = brought->get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Build(const Entry &e, Form form, View &view, const SyncKey &key, std::string *failure)
{
  Mat const       A        = e.A;
  Shadow *const   s        = e.own;
  Instance       &instance = s->at(form);
  const Instance &products = s->at(form.space);
  ArrayOnHost     brought;
  int             threads;

  PetscFunctionBegin;
  s->products.wait();
  const bool unnoticed = instance.format && !instance.key.owner; // by PETSc, whose nodes may be those of the old pattern
  instance.format.reset();
  const bool counted = products.format && products.key.same_pattern(key); // for that one
  KeepWholeRowPointer(counted ? s->nonempty_rows : 0, &view);
  // Kokkos starts on the device that is current, and so PETSc has to choose one first: it gives each rank its own.
  if (kCudaPetsc && runtime::has_device()) PetscCall(UseCurrentStream());
  PetscCall(ShadowThreads(*s, form.space, &threads));
  if (!view.val) PetscCall(ValuesToPlanBy(e, threads, &view, &brought, failure));
  if (IsCounted(*s, form)) PetscCall(PetscLogEventBegin(Event_Build, A, 0, 0, 0));
  const Finally end([&] { return IsCounted(*s, form) ? PetscLogEventEnd(Event_Build, A, 0, 0, 0) : PETSC_SUCCESS; });
  instance.node_ptr.clear();
  if (form.space == MemorySpace::host && !unnoticed) PetscCall(ShowNodes(A, instance, &view, failure)); // nobody looks at them on a device
  if (failure->empty() && form.space == MemorySpace::host && !form.is_beside()) PetscCall(TellNeed(A, *s, view, failure));
  if (failure->empty())
    Try(failure, [&] {
      std::future<PetscInt> nonempty_rows;
      if (!counted) nonempty_rows = CountNonemptyRows(view);
      const auto   &type    = s->type_at(form);
      const bool    many    = form.purpose == Purpose::several && form.space == MemorySpace::device;
      const Kernels kernels = many ? Kernels::kokkos : s->kernels();
      instance.format       = type.build(view, s->options_of(type), Execution{form.space, threads, kernels});
      if (!counted) s->nonempty_rows = nonempty_rows.get();
    });
  if (instance.format) PetscCall(CountBuild(e, form, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// `same`: the pattern is the one that the format was built from, as the key says. Else nothing is left of the format.
PetscErrorCode Refresh(const Entry &e, Form form, View &view, const SyncKey &key, bool *same, std::string *failure)
{
  const auto &[A, s, home] = e;
  Instance    &instance    = s->at(form);
  const double begin       = select::now();

  PetscFunctionBegin;
  s->products.wait();
  if (!view.val) PetscCall(ShowValues(e, &view));
  KeepWholeRowPointer(s->nonempty_rows, &view);
  SetNodes(instance.node_ptr, &view);
  if (IsCounted(*s, form)) PetscCall(PetscLogEventBegin(Event_Refresh, A, 0, 0, 0));
  Try(failure, [&] { *same = instance.format->refresh(view); });
  if (IsCounted(*s, form)) PetscCall(PetscLogEventEnd(Event_Refresh, A, 0, 0, 0));
  if (!failure->empty()) {
    instance = {}; // half refreshed is worth nothing
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!*same) {
    PetscCall(PetscInfo(A, "%s: the pattern has changed, though its nonzero state is the same\n", s->kind->root.c_str()));
    s->forget_pattern();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  instance.key = key;
  if (s->automatic.rental && !form.is_beside()) s->automatic.rental->refreshed(select::now() - begin);
  if (form.space == MemorySpace::device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)instance.nonzeros() * sizeof(PetscScalar)));
  if (!IsCounted(*s, form)) PetscFunctionReturn(PETSC_SUCCESS);
  s->refreshes++;
  PetscCall(PetscInfo(A, "%s: values refreshed for the %" PetscInt_FMT ". time\n", s->kind->root.c_str(), s->refreshes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PatternOnHost(Mat A, View *view)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &view->rows, &view->cols));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &view->rows, &view->row_ptr, &view->col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeePattern(const Entry &e)
{
  PetscObjectState state;
  View             view;
  int              threads;

  PetscFunctionBegin;
  if (e.home == MemorySpace::host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PatternOnHost(e.A, &view));
  PetscCall(ShadowThreads(*e.own, e.home, &threads));
  PetscCall(MatGetNonzeroState(e.A, &state));
  auto now = std::make_unique<KnownPattern<PetscScalar, PetscInt>>(view, threads);
  if (e.own->assembled && e.own->assembled_state == state && !(*e.own->assembled == *now)) PetscCall(BringPatternAnew(e));
  e.own->assembled = std::move(now);
  PetscCall(MatGetNonzeroState(e.A, &e.own->assembled_state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ValuesOnHost(Mat A, const PetscScalar **val)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayRead(A, val));
  const PetscScalar *restored = *val; // PETSc forgets the address, not the array
  PetscCall(MatSeqAIJRestoreArrayRead(A, &restored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindCopy(const Entry &e, SyncKey *key, View *view, bool *in_step)
{
  const CopyInstance &own = e.own->on_device;

  PetscFunctionBegin;
  PetscCall(GetStates(e.A, key));
  PetscCall(PatternOnHost(e.A, view));
  key->take_pattern(*view);
  PetscCall(ValuesOnHost(e.A, &view->val));
  key->val = view->val;
  *in_step = own.arrays && own.key.same_pattern(*key) && own.key.same_values(*key);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether products leave the device without the arrays of AIJ, so that whoever wants these there does not want
/// PETSc's.
static PetscErrorCode ArraysAreSent(const Entry &e, bool *are)
{
  bool left;

  PetscFunctionBegin;
  *are = false;
  if (!e.own || !IsOnHostAlone(e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsLeftToAij(e, MemorySpace::device, &left));
  *are = !left && !e.own->tiny && !e.own->type_at(MemorySpace::device).borrows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sends the arrays, unless they are there. If there is no room for ours, PETSc is asked for its own.
static PetscErrorCode SyncCopy(const Entry &e, View *view, bool *there)
{
  CopyInstance &own = e.own->on_device;
  SyncKey       key;
  std::string   failure;
  int           threads;

  PetscFunctionBegin;
  PetscCall(ShadowThreads(*e.own, e.home, &threads));
  PetscCall(FindCopy(e, &key, view, there));
  if (!*there) {
    Try(&failure, [&] {
      if (own.arrays && own.key.same_pattern(key)) own.arrays->refresh(view->val);
      else {
        own        = {};
        own.arrays = make_device_copy(*view, threads);
      }
    });
    if (!failure.empty()) {
      own = {};
      PetscCall(PetscInfo(e.A, "PETSc brings the arrays to the device: %s\n", failure.c_str()));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    own.key = key;
    *there  = true;
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)own.arrays->bytes()));
  }
  *view = own.arrays->shown(*view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewAtHome(const Entry &e, View *view, std::string *why_not)
{
  DeviceArrays on_device;
  bool         are_sent, there = false;

  PetscFunctionBegin;
  PetscCall(PatternOnHost(e.A, view));
  if (e.home == MemorySpace::host) {
    PetscCall(ValuesOnHost(e.A, &view->val));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UseCurrentStream());
  PetscCall(ArraysAreSent(e, &are_sent));
  if (are_sent) PetscCall(SyncCopy(e, view, &there));
  if (there) PetscFunctionReturn(PETSC_SUCCESS);
  const bool compressed = MayBeCompressed(*view); // of PETSc's arrays: ours have all rows
  if (e.own && compressed) PetscCall(SyncCopy(e, view, &there));
  else if (e.own) e.own->on_device = {};
  if (there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ArraysOnDevice(e.A, &on_device));
  view->device_row_ptr = compressed ? nullptr : on_device.row_ptr;
  view->device_col     = on_device.col;
  view->val            = on_device.val;
  if (!view->val) *why_not = "its arrays are not on the device";
  else if (!view->device_row_ptr) *why_not = "most of its rows are empty";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UseCurrentStream()
{
  void *stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(&stream));
  PetscCallCXX(runtime::use_stream(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowTrySync(const Entry &e, Form form, std::string *failure)
{
  SyncKey key;
  View    view;

  PetscFunctionBegin;
  if (form.space == MemorySpace::device) PetscCall(UseCurrentStream());
  PetscCall(GetKey(e, form, &key, &view));
  Instance &instance = e.own->at(form);
  bool      same     = instance.key.same_pattern(key);
  if (same && instance.format && !instance.key.same_values(key)) {
    PetscCall(Refresh(e, form, view, key, &same, failure));
    if (!same) {
      view = {};
      PetscCall(BringPatternAnew(e));
      PetscCall(GetKey(e, form, &key, &view));
    }
  }
  if (same && instance.format) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Build(e, form, view, key, failure));
  instance.failed = !instance.format;
  if (instance.failed) instance.key = key; // not to be tried again with each product
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowView(const Entry &e, MemorySpace space, View *view)
{
  Shadow *const s = e.own;
  SyncKey       key;

  PetscFunctionBegin;
  PetscCall(GetKey(e, space, &key, view));
  if (!view->val) PetscCall(ShowValues(e, view));
  KeepWholeRowPointer(s->at(space).format ? s->nonempty_rows : 0, view);
  SetNodes(s->at(space).node_ptr, view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the format has failed already for A as it is.
static PetscErrorCode HasFailed(const Entry &e, Form form, bool *has)
{
  const Instance &instance = std::as_const(*e.own).at(form);
  SyncKey         key;
  View            view;

  PetscFunctionBegin;
  *has = instance.failed;
  if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetKey(e, form, &key, &view));
  *has = instance.key.same_pattern(key) && instance.key.same_values(key);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowSync(const Entry &e, Form form, bool *failed)
{
  std::string failure;

  PetscFunctionBegin;
  PetscCall(HasFailed(e, form, failed));
  if (*failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowTrySync(e, form, &failure));
  *failed = !e.own->at(form).format;
  if (!failure.empty())
    PetscCall(PetscInfo(e.A, "%s could not be built, and products are PETSc's own: %s\n", e.own->kind->root.c_str(), failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
