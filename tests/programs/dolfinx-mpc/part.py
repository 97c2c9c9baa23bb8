"""dolfinx-mpc: Poisson's equation with a periodic condition, a constraint of several points, by CG.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import dolfinx_mpc
import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 32, 32)
V = getattr(fem, "functionspace", fem.FunctionSpace)(domain, ("Lagrange", 1))  # from dolfinx 0.7 on the former
facets = mesh.locate_entities_boundary(domain, 1, lambda x: np.isclose(x[1], 0) | np.isclose(x[1], 1))
bc = fem.dirichletbc(PETSc.ScalarType(0), fem.locate_dofs_topological(V, 1, facets), V)

right = mesh.locate_entities_boundary(domain, 1, lambda x: np.isclose(x[0], 1))
tags = mesh.meshtags(domain, 1, right, np.full(len(right), 2, dtype=np.int32))


def on_the_left(x):
    return np.stack((1 - x[0], x[1], x[2]))


mpc = dolfinx_mpc.MultiPointConstraint(V)
mpc.create_periodic_constraint_topological(V, tags, 2, on_the_left, [bc])
mpc.finalize()

u, v, x = ufl.TrialFunction(V), ufl.TestFunction(V), ufl.SpatialCoordinate(domain)
a = ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
L = ufl.inner(x[0] * ufl.sin(5 * np.pi * x[1]) + 1, v) * ufl.dx
problem = dolfinx_mpc.LinearProblem(a, L, mpc, bcs=[bc], petsc_options={"ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": 1e-11})
uh = problem.solve()


def total(form):
    return domain.comm.allreduce(fem.assemble_scalar(fem.form(form)), op=MPI.SUM).real


PETSc.Sys.Print("result  periodic  %.13e %.13e" % (total(uh**2 * ufl.dx), total(ufl.inner(ufl.grad(uh), ufl.grad(uh)) * ufl.dx)))
