"""Legacy DOLFIN: Poisson's equation by CG with algebraic multigrid, a nonlinear one by Newton's method.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import dolfin as d

d.set_log_level(40)
mesh = d.UnitSquareMesh(24, 24)
V = d.FunctionSpace(mesh, "CG", 2)
u, v = d.TrialFunction(V), d.TestFunction(V)
f = d.Expression("sin(5*x[0]*x[1])", degree=3)
bc = d.DirichletBC(V, d.Constant(0), "on_boundary && (near(x[0], 0) || near(x[0], 1))")


def tell(what, uh):
    sizes = d.assemble(uh * uh * d.dx), d.assemble(d.inner(d.grad(uh), d.grad(uh)) * d.dx)
    if d.MPI.rank(mesh.mpi_comm()) == 0:
        print("result  %s  %.13e %.13e" % (what, *sizes))


uh = d.Function(V)
problem = d.LinearVariationalProblem(d.inner(d.grad(u), d.grad(v)) * d.dx, f * v * d.dx, uh, bc)
solver = d.LinearVariationalSolver(problem)
solver.parameters["symmetric"] = True
solver.parameters["linear_solver"] = "cg"
solver.parameters["preconditioner"] = "petsc_amg"
solver.parameters["krylov_solver"]["relative_tolerance"] = 1e-11
solver.solve()
tell("Poisson", uh)

F = (1 + uh**2) * d.inner(d.grad(uh), d.grad(v)) * d.dx - f * v * d.dx
problem = d.NonlinearVariationalProblem(F, uh, bc, d.derivative(F, uh))
solver = d.NonlinearVariationalSolver(problem)
newton = solver.parameters["newton_solver"]
newton["linear_solver"], newton["preconditioner"], newton["relative_tolerance"] = "gmres", "jacobi", 1e-10
newton["krylov_solver"]["relative_tolerance"], newton["krylov_solver"]["maximum_iterations"] = 1e-10, 5000
solver.solve()
tell("nonlinear", uh)
