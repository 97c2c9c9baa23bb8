#include "petsc/solver.hpp"

#include <cmath>

#include <petscksp.h>

#include "petsc/check.hpp"
#include "petsc/device.hpp"
#include "petsc/mpi_ranks.hpp"

namespace petscspmv::bench {

namespace {

/// The matrix's own rows times a vector, sums in long double.
std::vector<long double> product(const LocalMatrix &a, std::span<const double> x)
{
  std::vector<long double> y(std::size_t(a.rows->rows));
  for (Index r = 0; r < a.rows->rows; ++r) {
    long double sum = 0;
    for (Index k = a.rows->row_ptr[r]; k < a.rows->row_ptr[r + 1]; ++k) sum += (long double)a.rows->val[k] * x[std::size_t(a.rows->col[k])];
    y[std::size_t(r)] = sum;
  }
  return y;
}

/// All entries of a vector of PETSc, on every rank.
std::vector<double> gathered(Vec v)
{
  VecScatter scatter;
  Vec        all;
  PetscInt   n;
  check_petsc(VecScatterCreateToAll(v, &scatter, &all));
  check_petsc(VecScatterBegin(scatter, v, all, INSERT_VALUES, SCATTER_FORWARD));
  check_petsc(VecScatterEnd(scatter, v, all, INSERT_VALUES, SCATTER_FORWARD));
  const PetscScalar *values;
  check_petsc(VecGetLocalSize(all, &n));
  check_petsc(VecGetArrayRead(all, &values));
  std::vector<double> result(values, values + n);
  check_petsc(VecRestoreArrayRead(all, &values));
  check_petsc(VecScatterDestroy(&scatter));
  check_petsc(VecDestroy(&all));
  return result;
}

/// |b - A x| / |b| over all ranks.
double relative_residual(const LocalMatrix &a, const std::vector<long double> &b, Vec x, MPI_Comm comm)
{
  const auto ax     = product(a, gathered(x));
  double     sum[2] = {0, 0}, all[2];
  for (std::size_t r = 0; r < b.size(); ++r) {
    sum[0] += double((b[r] - ax[r]) * (b[r] - ax[r]));
    sum[1] += double(b[r] * b[r]);
  }
  MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, comm);
  return all[1] > 0 ? std::sqrt(all[0] / all[1]) : std::sqrt(all[0]);
}

/// Has PETSc's options changed as long as it lives: solvers inside a preconditioner read theirs at its set-up.
class InForce {
public:
  explicit InForce(SolverOptions options) : options_(options)
  {
    for (const auto &[name, value] : options_) check_petsc(PetscOptionsSetValue(nullptr, name, value));
  }
  ~InForce()
  {
    for (const auto &[name, value] : options_) (void)PetscOptionsClearValue(nullptr, name);
  }
  InForce(const InForce &)            = delete;
  InForce &operator=(const InForce &) = delete;

private:
  SolverOptions options_;
};

/// What the preconditioner is made of: a copy of A whose options begin with -p_, if these ask for its precision, else
/// A. The caller's.
Mat matrix_of_preconditioner(Mat A)
{
  constexpr char prefix[] = "p_";
  PetscBool      copies;
  Mat            P = A;
  check_petsc(PetscOptionsHasName(nullptr, prefix, "-mat_spmv_precision", &copies));
  if (copies) {
    check_petsc(MatDuplicate(A, MAT_COPY_VALUES, &P));
    check_petsc(MatSetOptionsPrefix(P, prefix));
    check_petsc(MatSetFromOptions(P));
  } else check_petsc(PetscObjectReference((PetscObject)A));
  return P;
}

/// As a step of time does it. Twice the values, and for the matrix of the preconditioner, too.
void change_values(KSP ksp)
{
  Mat A, P;
  check_petsc(KSPGetOperators(ksp, &A, &P));
  check_petsc(MatScale(A, 2));
  if (P != A) check_petsc(MatScale(P, 2));
}

void describe(KSP ksp, SolveSample &s)
{
  KSPType            ksp_type;
  PCType             pc_type;
  PC                 pc;
  PetscInt           iterations;
  PetscReal          tolerance;
  KSPConvergedReason reason;
  const char        *words = nullptr;
  check_petsc(KSPGetType(ksp, &ksp_type));
  check_petsc(KSPGetPC(ksp, &pc));
  check_petsc(PCGetType(pc, &pc_type));
  check_petsc(KSPGetIterationNumber(ksp, &iterations));
  check_petsc(KSPGetTolerances(ksp, &tolerance, nullptr, nullptr, nullptr));
  check_petsc(KSPGetConvergedReason(ksp, &reason));
  check_petsc(KSPGetConvergedReasonString(ksp, &words));
  s.ksp        = ksp_type;
  s.pc         = pc_type;
  s.iterations = int(iterations);
  s.tolerance  = tolerance;
  s.converged  = reason > 0;
  s.counted    = reason == KSP_CONVERGED_ITS;
  s.reason     = words;
}

} // namespace

SolveSample solve_once(Clock &clock, Ranks &ranks, Mat A, const LocalMatrix &matrix, Place place, SolverOptions options)
{
  const InForce  own(options);
  const MPI_Comm comm = comm_of(ranks);
  KSP            ksp;
  Vec            x, b;
  SolveSample    s;

  std::vector<double> e(std::size_t(matrix.rows->cols));
  for (std::size_t j = 0; j < e.size(); ++j) e[j] = vector_entry(std::int64_t(j));
  const auto exact_b = product(matrix, e);
  check_petsc(MatCreateVecs(A, &x, &b));
  PetscScalar *values;
  check_petsc(VecGetArrayWrite(b, &values));
  for (std::size_t r = 0; r < exact_b.size(); ++r) values[r] = double(exact_b[r]);
  check_petsc(VecRestoreArrayWrite(b, &values));
  if (place == Place::device) to_device(b); // a user's right-hand side is there already

  s.build = timed(clock, ranks, [&] {
    check_petsc(MatMult(A, b, x));
    if (place == Place::device) wait_for_device(x);
  });
  Mat P;
  s.setup = timed(clock, ranks, [&] { P = matrix_of_preconditioner(A); });
  check_petsc(KSPCreate(comm, &ksp));
  check_petsc(KSPSetOperators(ksp, A, P));
  check_petsc(MatDestroy(&P));
  check_petsc(KSPSetFromOptions(ksp));
  const auto solve = [&] {
    return timed(clock, ranks, [&] {
      check_petsc(KSPSolve(ksp, b, x));
      if (place == Place::device) wait_for_device(x);
    });
  };
  s.setup += timed(clock, ranks, [&] { check_petsc(KSPSetUp(ksp)); });
  s.solve = solve();
  describe(ksp, s);
  s.residual = relative_residual(matrix, exact_b, x, comm);

  const double again = solve();
  PetscInt     iterations;
  check_petsc(KSPGetIterationNumber(ksp, &iterations));
  if (iterations > 0) s.iteration = again / double(iterations);
  change_values(ksp);
  s.step = timed(clock, ranks, [&] { check_petsc(KSPSetUp(ksp)); }) + solve();
  check_petsc(KSPDestroy(&ksp));
  check_petsc(VecDestroy(&x));
  check_petsc(VecDestroy(&b));
  return s;
}

} // namespace petscspmv::bench
