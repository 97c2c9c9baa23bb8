"""FiPy: stationary and transient diffusion with convection on a grid of 60 x 60, by its solvers of PETSc's.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import sys

import fipy

mesh = fipy.Grid2D(nx=60, ny=60, dx=1 / 60, dy=1 / 60)
u = fipy.CellVariable(mesh=mesh, value=0.0)
u.constrain(1.0, mesh.facesLeft)
u.constrain(0.0, mesh.facesRight)
solver = fipy.LinearGMRESSolver(tolerance=1e-11, iterations=2000)
print("solvers of", type(solver).__module__)
if "petsc" not in type(solver).__module__:
    sys.exit("FiPy has not taken its solvers of PETSc's")


def tell(what):
    values = u.globalValue
    if fipy.parallelComm.procID == 0:
        print("result  %s  %.14e %.14e %.14e" % (what, abs(values).sum(), values.max(), values[len(values) // 2]))


(fipy.DiffusionTerm(coeff=1 + mesh.x) + fipy.ExponentialConvectionTerm(coeff=(3.0, 1.0))).solve(var=u, solver=solver)
tell("stationary")
equation = fipy.TransientTerm() == fipy.DiffusionTerm(coeff=0.1) - fipy.ImplicitSourceTerm(u)
for _ in range(3):
    equation.solve(var=u, dt=0.01, solver=solver)
tell("transient")
