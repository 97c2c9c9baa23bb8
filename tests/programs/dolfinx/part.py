"""dolfinx: Poisson's equation with quadratic elements by CG with GAMG, and elasticity in blocks.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem.petsc import LinearProblem
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 32, 32)


def space(element):
    """From dolfinx 0.7 on fem.FunctionSpace is for others than users."""
    return getattr(fem, "functionspace", fem.FunctionSpace)(domain, element)


def boundary(V):
    facets = mesh.locate_entities_boundary(domain, 1, lambda x: np.isclose(x[0], 0) | np.isclose(x[0], 1))
    return fem.locate_dofs_topological(V, 1, facets)


def total(form):
    return domain.comm.allreduce(fem.assemble_scalar(fem.form(form)), op=MPI.SUM).real


def tell(what, problem, size):
    uh = problem.solve()
    assert problem.solver.getConvergedReason() > 0, problem.solver.getConvergedReason()
    PETSc.Sys.Print("result  %s  %.13e %.13e" % (what, total(ufl.inner(uh, uh) * ufl.dx), total(size(uh) * ufl.dx)))


solver = {"ksp_type": "cg", "ksp_rtol": 1e-11}
V = space(("Lagrange", 2))
u, v, x = ufl.TrialFunction(V), ufl.TestFunction(V), ufl.SpatialCoordinate(domain)
a = (1 + x[0]) * ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
L = ufl.inner(ufl.sin(5 * x[0] * x[1]), v) * ufl.dx
bc = fem.dirichletbc(PETSc.ScalarType(0), boundary(V), V)
tell("Poisson", LinearProblem(a, L, [bc], petsc_options={**solver, "pc_type": "gamg"}), lambda uh: ufl.inner(ufl.grad(uh), ufl.grad(uh)))

W = space(("Lagrange", 1, (2,))) if hasattr(fem, "functionspace") else fem.VectorFunctionSpace(domain, ("Lagrange", 1))
u, v = ufl.TrialFunction(W), ufl.TestFunction(W)
a = (ufl.inner(ufl.sym(ufl.grad(u)), ufl.sym(ufl.grad(v))) + ufl.inner(ufl.div(u), ufl.div(v))) * ufl.dx
L = ufl.inner(ufl.as_vector((0, -1)), v) * ufl.dx
bc = fem.dirichletbc(np.zeros(2, dtype=PETSc.ScalarType), boundary(W), W)
tell("elasticity", LinearProblem(a, L, [bc], petsc_options={**solver, "pc_type": "jacobi"}), lambda uh: ufl.inner(ufl.div(uh), ufl.div(uh)))
