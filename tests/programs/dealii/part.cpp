// deal.II: Poisson's equation with quadratic elements on a refined mesh with hanging nodes, by its wrappers of PETSc's
// matrices and solvers.
// Numbers that are to be the same with any product are in lines that begin with "result".

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/petsc_precondition.h>
#include <deal.II/lac/petsc_solver.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/numerics/vector_tools.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace dealii;

namespace {

/// The quarter next to the origin is finer.
void refine(parallel::distributed::Triangulation<2> &mesh)
{
  mesh.refine_global(4);
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned() && cell->center().norm() < 0.5) cell->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
}

void assemble(const DoFHandler<2> &dofs, const AffineConstraints<double> &constraints, PETScWrappers::MPI::SparseMatrix &A,
              PETScWrappers::MPI::Vector &b)
{
  const QGauss<2>    quadrature(3);
  FEValues<2>        values(dofs.get_fe(), quadrature, update_values | update_gradients | update_quadrature_points | update_JxW_values);
  const unsigned int n = dofs.get_fe().n_dofs_per_cell();
  FullMatrix<double> cell_matrix(n, n);
  Vector<double>     cell_vector(n);
  std::vector<types::global_dof_index> indices(n);
  for (const auto &cell : dofs.active_cell_iterators()) {
    if (!cell->is_locally_owned()) continue;
    values.reinit(cell);
    cell_matrix = 0;
    cell_vector = 0;
    for (unsigned int q = 0; q < quadrature.size(); ++q) {
      const auto x = values.quadrature_point(q);
      for (unsigned int i = 0; i < n; ++i) {
        for (unsigned int j = 0; j < n; ++j)
          cell_matrix(i, j) += (1 + x[0]) * values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
        cell_vector(i) += std::sin(5 * x[0] * x[1]) * values.shape_value(i, q) * values.JxW(q);
      }
    }
    cell->get_dof_indices(indices);
    constraints.distribute_local_to_global(cell_matrix, cell_vector, indices, A, b);
  }
  A.compress(VectorOperation::add);
  b.compress(VectorOperation::add);
}

void tell(const char what[], const PETScWrappers::MPI::Vector &x)
{
  const double norms[] = {x.l2_norm(), x.l1_norm(), x.linfty_norm()};
  if (Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    std::printf("result  %s  %.13e %.13e %.13e\n", what, norms[0], norms[1], norms[2]);
}

} // namespace

int main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize  mpi(argc, argv, 1);
  parallel::distributed::Triangulation<2> mesh(MPI_COMM_WORLD);
  GridGenerator::hyper_cube(mesh);
  refine(mesh);
  const FE_Q<2> element(2);
  DoFHandler<2> dofs(mesh);
  dofs.distribute_dofs(element);
  const IndexSet            owned    = dofs.locally_owned_dofs();
  const IndexSet            relevant = DoFTools::extract_locally_relevant_dofs(dofs);
  AffineConstraints<double> constraints(relevant);
  DoFTools::make_hanging_node_constraints(dofs, constraints);
  VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<2>(), constraints);
  constraints.close();

  DynamicSparsityPattern pattern(relevant);
  DoFTools::make_sparsity_pattern(dofs, pattern, constraints, false);
  SparsityTools::distribute_sparsity_pattern(pattern, owned, MPI_COMM_WORLD, relevant);
  PETScWrappers::MPI::SparseMatrix A;
  A.reinit(owned, owned, pattern, MPI_COMM_WORLD);
  PETScWrappers::MPI::Vector b(owned, MPI_COMM_WORLD), x(owned, MPI_COMM_WORLD);
  assemble(dofs, constraints, A, b);

  SolverControl           control(5000, 1e-12 * b.l2_norm());
  PETScWrappers::SolverCG cg(control, MPI_COMM_WORLD);
  cg.solve(A, x, b, PETScWrappers::PreconditionJacobi(A));
  tell("CG", x);
  x = 0;
  PETScWrappers::SolverBicgstab bicgstab(control, MPI_COMM_WORLD);
  bicgstab.solve(A, x, b, PETScWrappers::PreconditionBlockJacobi(A));
  tell("BiCGSTAB", x);
  A.vmult(b, x);
  tell("product", b);
}
