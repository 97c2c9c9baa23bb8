#include "glue/tune.hpp"

#include <cstdio>

#include "glue/attach.hpp"
#include "glue/events.hpp"
#include "glue/options.hpp"
#include "glue/sync.hpp"
#include "select/candidates.hpp"
#include "select/clock.hpp"
#include "select/search.hpp"

namespace petscspmv::shadow {

namespace {

/// Builds of a sequential matrix, which multiply vectors of their own.
class HostBench final : public select::Workbench {
public:
  /// May throw std::bad_alloc.
  HostBench(const FormatType<PetscScalar, PetscInt> &type, const View &view, const Execution &execution)
    : type_(type), view_(view), execution_(execution), x_((std::size_t)view.cols, PetscScalar(1)), y_((std::size_t)view.rows)
  {
  }

  double      now() override { return select::steady_clock(); }
  std::string build(int slot, const OptionValues &options) override
  {
    std::string failure;
    Try(&failure, [&] { slots_[slot] = type_.build(view_, options, execution_); });
    return failure;
  }
  void multiply(int slot) override { slots_[slot]->multiply(Operation::none, PetscScalar(1), x_.data(), PetscScalar(0), y_.data()); }
  void drop(int slot) override { slots_[slot].reset(); }

  std::unique_ptr<Format> take(int slot) { return std::move(slots_[slot]); }

private:
  const FormatType<PetscScalar, PetscInt> &type_;
  const View                              &view_;
  Execution                                execution_;
  std::vector<PetscScalar>                 x_, y_;
  std::unique_ptr<Format>                  slots_[2];
};

/// "strips=never, 1.2 ms a product after 1.5 ms; found in 310 ms by 14 trials (the budget ended)"
std::string Report(const select::Result &r)
{
  char text[160];
  if (r.slot < 0) return "nothing, as the matrix could not be built";
  std::snprintf(text, sizeof text, ", %.3g ms a product after %.3g ms; found in %.3g ms by %d trials (%s)", 1e3 * r.product,
                1e3 * r.at_first, 1e3 * r.seconds, r.trials, r.all ? "all were tried" : "the budget ended");
  return select::text_of(r.chosen) + text;
}

PetscErrorCode Search(const Entry &e, PetscInt products)
{
  Shadow *const              s    = e.own;
  const auto                &type = s->kind->format;
  std::unique_ptr<HostBench> bench;
  std::string                failure;
  View                       view;
  int                        threads;

  PetscFunctionBegin;
  PetscCall(ShadowShow(e, MemorySpace::host, &view));
  PetscCall(ShadowThreads(*s, MemorySpace::host, &threads));
  Try(&failure, [&] { bench = std::make_unique<HostBench>(type, view, Execution{MemorySpace::host, threads, s->kernels()}); });
  if (!failure.empty()) PetscFunctionReturn(PETSC_SUCCESS); // no memory for vectors
  PetscCall(PetscLogEventBegin(Event_Tune, e.A, 0, 0, 0));
  const select::Result result = select::search(s->options, (double)products, *bench);
  PetscCall(PetscLogEventEnd(Event_Tune, e.A, 0, 0, 0));
  s->tuning.report = Report(result);
  s->configure(result.chosen, s->common);
  if (result.slot >= 0) PetscCall(ShadowAdopt(e, MemorySpace::host, bench->take(result.slot)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShadowTune(const Entry &e, PetscInt products)
{
  const auto &[A, s, space] = e;

  PetscFunctionBegin;
  if (products == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (space == MemorySpace::device) s->tuning.report = "nothing, as products run on a device";
  else if (s->kind->fast) s->tuning.report = "nothing, as auto has no options to search; name the method that it has chosen";
  else PetscCall(Search(e, products));
  PetscCall(MatGetNonzeroState(A, &s->tuning.pattern));
  PetscCall(PetscInfo(A, "%s: tuned: %s\n", s->kind->root.c_str(), s->tuning.report.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneIfAsked(const Entry &e, MemorySpace space)
{
  PetscObjectState pattern;

  PetscFunctionBegin;
  if (space == MemorySpace::device) PetscFunctionReturn(PETSC_SUCCESS);
  if (e.own->tune_products == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNonzeroState(e.A, &pattern));
  if (pattern != e.own->tuning.pattern) PetscCall(ShadowTune(e, e.own->tune_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
