#include <sstream>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "peers/petsc_product.hpp"
#include "petsc/solver.hpp"

namespace petscspmv::bench {

namespace {

/// The preconditioned residual that KSP looks at may differ from the true one; beyond this factor it is no solution.
constexpr double kSlack = 1e3;

struct Series {
  std::vector<double> convert, setup, solve, iteration, total, step;
  SolveSample         last;
};

/// A fresh matrix, its conversion together with the first product, which builds, the solver's setup, the solution, an
/// iteration once more, and a step with new values.
void solve_sample(Session &session, PreparedMatrix &matrix, std::size_t k, Entrant &e, Series &series)
{
  e.product.reset();
  const Competitor &c    = session.competitors()[k];
  e.product              = session.make_product(matrix, c);
  const auto *with_petsc = dynamic_cast<const PetscProduct *>(e.product.get());
  if (!with_petsc) {
    e.status = Status::skipped;
    e.reason = "it is no matrix of PETSc";
    return;
  }
  Clock &clock = session.clock();
  e.ranks->barrier();
  const double begin = clock.now();
  e.product->build();
  double convert = e.ranks->max(clock.now() - begin);
  series.last    = solve_once(clock, *e.ranks, with_petsc->mat(), *e.matrix, session.options().wishes.place, c.peer->solver_options());
  const SolveSample &s = series.last;
  convert += s.build;
  series.convert.push_back(convert);
  series.setup.push_back(s.setup);
  series.solve.push_back(s.solve);
  series.iteration.push_back(s.iteration);
  series.total.push_back(convert + s.setup + s.solve);
  series.step.push_back(s.step);
  std::ostringstream text;
  if (!s.converged) {
    e.status = Status::failed;
    text << "the solver gave up after " << s.iterations << " iterations (" << s.reason << "); choose others after --, such as -ksp_type cg";
  } else if (!s.counted && !(s.residual <= kSlack * s.tolerance)) {
    e.status = Status::wrong;
    text << "the solution has a relative residual of " << s.residual << ", but the tolerance is " << s.tolerance;
  }
  e.reason = text.str();
}

Solve to_solve(const Series &s)
{
  return {s.last.ksp,
          s.last.pc,
          s.last.iterations,
          s.last.residual,
          s.last.tolerance,
          quantiles_of(s.convert),
          quantiles_of(s.setup),
          quantiles_of(s.solve),
          quantiles_of(s.iteration),
          quantiles_of(s.total),
          quantiles_of(s.step)};
}

} // namespace

int run_solve(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  Session session(world, clock, invocation);
  return session.run({Regime::warm}, [&](PreparedMatrix &matrix, const std::vector<Regime> &, const Session::Take &take) {
    if (matrix.name.statistics.size.rows != matrix.name.statistics.size.cols)
      throw InputError("'" + matrix.name.name + "' is not square; there is no system to solve.");
    std::vector<Entrant> entrants = session.entrants(matrix);
    std::vector<Series>  series(entrants.size());
    if (!session.take_turns(1, entrants, [&](std::size_t k) { solve_sample(session, matrix, k, entrants[k], series[k]); })) return;
    std::vector<Record> records;
    for (std::size_t k = 0; k < entrants.size(); ++k) {
      Record r = session.blank(matrix.name, session.competitors()[k], Regime::warm);
      session.fill(r, entrants[k]);
      if (!series[k].total.empty()) r.solve = to_solve(series[k]);
      records.push_back(std::move(r));
    }
    take(records);
  });
}

} // namespace petscspmv::bench
