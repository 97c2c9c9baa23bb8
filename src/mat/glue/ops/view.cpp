#include <utility>

#include "core/runtime.hpp"
#include "glue/door/attach.hpp"
#include "glue/exchange.hpp"
#include "glue/ops/ops.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// "-mat_ccoo_tile auto -mat_spmv_threads 0", and internal ones that somebody has set, by their keys: "rows 64".
std::string OptionsText(const Shadow &s)
{
  std::string text;
  const auto  append = [&text](const std::string &prefix, const OptionValues &values) {
    for (const OptionSpec &spec : values.table()) {
      if (spec.internal && values[spec.key] == spec.default_value) continue;
      const std::string before = IsForAllTypes(spec) ? "-mat_spmv_" : spec.internal ? "" : prefix;
      text += (text.empty() ? "" : " ") + before + std::string(spec.key) + " " + values.text(spec);
    }
  };
  append("-mat_" + s.kind->root + "_", s.options);
  append("-mat_spmv_", s.common);
  return text;
}

PetscErrorCode ViewHead(const Shadow &s, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "petscspmv %s: %s\n", s.kind->root.c_str(), std::string(s.kind->format.method).c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  version " PETSCSPMV_VERSION "\n"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  options in force: %s\n", OptionsText(s).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What is kept on top of AIJ, whatever products read of it.
PetscErrorCode ViewKept(PetscLogDouble bytes, PetscLogDouble of_shadows, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes kept on top of AIJ: %.0f, of these in the shadow: %.0f\n", bytes, of_shadows));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes of scratch, for all matrices of this process: %zu\n", runtime::scratch_bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewPerNonzero(PetscLogDouble bytes, PetscLogDouble bytes_owned, PetscLogDouble nonzeros, PetscViewer viewer)
{
  const double per = nonzeros > 0 ? 1 / nonzeros : 0;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes per nonzero: %.3g, of these on top of AIJ: %.3g\n", bytes * per, bytes_owned * per));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewCounts(PetscLogDouble builds, PetscLogDouble refreshes, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  built %.0f times, values refreshed %.0f times\n", builds, refreshes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *Beside(Purpose purpose)
{
  switch (purpose) {
  case Purpose::several:
    return ", with several vectors at once";
  case Purpose::transposed:
    return ", with the transpose";
  case Purpose::products:
    return "";
  }
  return "";
}

const char *Owner(const Footprint::Array &array)
{
  return array.borrowed ? " (AIJ's own)" : array.scratch ? " (of scratch)" : "";
}

PetscErrorCode ViewInstance(const Instance &instance, Form form, PetscViewer viewer)
{
  const Footprint footprint = instance.format->footprint();

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  runs on the %s%s: %s\n", form.space == MemorySpace::device ? "device" : "host",
                                   Beside(form.purpose), runtime::description().c_str()));
  for (const auto &[name, value] : instance.format->facts())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", name.c_str(), value.c_str()));
  for (const Footprint::Array &a : footprint.arrays)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes of %s: %zu%s\n", a.name.c_str(), a.bytes, Owner(a)));
  if (footprint.objects > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes of objects: %zu\n", footprint.objects));
  if (footprint.scratch > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes of scratch that a product borrows at most: %zu\n", footprint.scratch));
  PetscCall(ViewPerNonzero((PetscLogDouble)footprint.total(), (PetscLogDouble)footprint.owned(), instance.nonzeros(), viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Who multiplies, with a format in step if it is we: the next product would build it anyway. `failure`: why it cannot
/// be built.
PetscErrorCode FindRouteAndBuild(const Entry &e, Route *route, std::string *failure)
{
  PetscFunctionBegin;
  PetscCall(FindRouteSoFar(e, route));
  if (route->by_parent()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowTrySync(e, route->form, failure));
  if (!std::as_const(*e.own).at(route->form).format) route->reason = Reason::failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The format of a sequential matrix, array by array, where it runs by default.
PetscErrorCode ViewFormat(const Entry &e, PetscViewer viewer)
{
  Shadow *const s = e.own;
  Route         route;
  std::string   failure;
  PetscBool     assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(e.A, &assembled));
  if (!assembled) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  not built yet: the matrix is not assembled\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindRouteAndBuild(e, &route, &failure));
  if (route.by_parent()) PetscCall(PetscViewerASCIIPrintf(viewer, "  products are AIJ's own: %s\n", Text(route.reason, *s).c_str()));
  if (!failure.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  not built: %s\n", failure.c_str()));
  for (const auto &[name, value] : WayFacts(*s)) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", name.c_str(), value.c_str()));
  for (const Form form : s->forms()) PetscCall(ViewInstance(s->at(form), form, viewer));
  for (const auto rows : kOperations)
    if (const auto view = rows().view) PetscCall((*view)(e, viewer));
  PetscCall(ViewKept((PetscLogDouble)s->footprint().kept(), (PetscLogDouble)s->bytes_taken(), viewer));
  PetscCall(ViewCounts((PetscLogDouble)s->builds, (PetscLogDouble)s->refreshes, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the ranks' blocks take together.
struct Totals {
  PetscLogDouble bytes = 0, bytes_owned = 0, nonzeros = 0, kept = 0, of_shadows = 0, builds = 0, refreshes = 0, failures = 0;
};

PetscErrorCode AddBlock(Mat block, Totals *totals)
{
  Route       route;
  std::string failure;
  Entry       e;

  PetscFunctionBegin;
  PetscCall(Enter(block, &e));
  Shadow *const s = e.own;
  PetscCall(FindRouteAndBuild(e, &route, &failure));
  totals->kept += (PetscLogDouble)s->footprint().kept();
  totals->of_shadows += (PetscLogDouble)s->bytes_taken();
  if (route.by_parent() && route.reason != Reason::failed) PetscFunctionReturn(PETSC_SUCCESS);
  totals->builds += (PetscLogDouble)s->builds;
  totals->refreshes += (PetscLogDouble)s->refreshes;
  if (route.by_parent()) {
    totals->failures++;
    PetscCall(PetscInfo(block, "a block was not built: %s\n", failure.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Footprint footprint = s->at(route.form).format->footprint();
  totals->bytes += (PetscLogDouble)footprint.total();
  totals->bytes_owned += (PetscLogDouble)footprint.owned();
  totals->nonzeros += s->at(route.form).nonzeros();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewTotals(Mat A, PetscViewer viewer)
{
  constexpr int fields = sizeof(Totals) / sizeof(PetscLogDouble);
  Totals        local, all;

  PetscFunctionBegin;
  PetscCall(ForEachPart(A, [&local](Mat block) { return AddBlock(block, &local); }));
  PetscCallMPI(MPI_Allreduce(&local, &all, fields, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)A)));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  all blocks of all ranks: %.0f bytes, of these on top of AIJ: %.0f\n", all.bytes, all.bytes_owned));
  PetscCall(ViewPerNonzero(all.bytes, all.bytes_owned, all.nonzeros, viewer));
  PetscCall(ViewKept(all.kept, all.of_shadows, viewer));
  PetscCall(ViewCounts(all.builds, all.refreshes, viewer));
  if (all.failures > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  %.0f blocks could not be built; -info says why\n", all.failures));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The two blocks of the first rank, as an example of all.
PetscErrorCode ViewBlocks(Mat A, PetscViewer viewer)
{
  const char *names[] = {"diagonal block of rank 0", "off-diagonal block of rank 0"};
  Mat         blocks[2];
  Entry       e;
  PetscViewer first;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(GetBlocks(A, blocks));
  PetscCall(PetscViewerGetSubViewer(viewer, PETSC_COMM_SELF, &first));
  const Finally restore([&] { return PetscViewerRestoreSubViewer(viewer, PETSC_COMM_SELF, &first) || PetscViewerFlush(viewer); });
  for (int i = 0; rank == 0 && i < 2; ++i) {
    PetscCall(PetscViewerASCIIPrintf(first, "  %s\n", names[i]));
    PetscCall(Enter(blocks[i], &e));
    PetscCall(PetscViewerASCIIPushTab(first));
    const Finally pop([&] { return PetscViewerASCIIPopTab(first); });
    PetscCall(ViewFormat(e, first));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_Shadow(Mat A, PetscViewer viewer)
{
  PetscBool         ascii, assembled;
  PetscViewerFormat format;
  MatFactorType     factor;
  Entry             e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_VIEW, viewer));
  PetscCall(MatGetFactorType(A, &factor)); // with -mat_seqaij_type a factor is of our type, but its arrays are no CSR matrix
  if (factor != MAT_FACTOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!ascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Enter(A, &e));
  PetscCall(ViewHead(*e.own, viewer));
  PetscCall(MatAssembled(A, &assembled));
  if (!e.own->mpi) PetscCall(ViewFormat(e, viewer));
  else if (assembled) {
    PetscCall(AttachBlocks(e));
    PetscCall(ViewTotals(A, viewer));
    PetscCall(ViewExchange(A, viewer));
    if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(ViewBlocks(A, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Rows ViewRows()
{
  static const Row rows[] = {{MATOP_VIEW, (VoidFn)MatView_Shadow}};
  return {rows, rows};
}

} // namespace petscspmv::shadow
