"""petsc4py as programs use it: two ways of createAIJ that ignore -mat_type or make it crash, KSP with GAMG, SNES with its
own matrices.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy as np
from petsc4py import PETSc

Print = PETSc.Sys.Print


def fill(A, n):
    """The five-point Laplacian with an uneven diagonal."""
    for row in range(*A.getOwnershipRange()):
        i, j = divmod(row, n)
        for k, l in ((i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j)):
            if 0 <= k < n and 0 <= l < n:
                A[row, k * n + l] = -1
        A[row, row] = 4 + (row % 7) / 10
    A.assemble()


def solve(A, pc):
    x, b = A.createVecs()
    first, last = b.getOwnershipRange()
    b.array = np.sin(np.arange(first, last))
    ksp = PETSc.KSP().create()
    ksp.setType("cg")
    ksp.getPC().setType(pc)
    ksp.setTolerances(rtol=1e-11)
    ksp.setOperators(A)
    ksp.setFromOptions()
    ksp.solve(b, x)
    return x


n = 64
A = PETSc.Mat().createAIJ(n * n, nnz=5)  # preallocates at once, and asks for no options
fill(A, n)
x = solve(A, "gamg")
Print("result  gamg    %.14e %.14e" % (x.norm(), x.sum()))

B = PETSc.Mat().createAIJ(n * n, nnz=5)
B.setFromOptions()
fill(B, n)
x = solve(B, "jacobi")
Print("result  jacobi  %.14e %.14e" % (x.norm(), x.sum()))
y = x.duplicate()
B.multTranspose(x, y)
Print("result  transposed product  %.14e %.14e" % (y.norm(), y.sum()))
P = A.ptap(B)
P.mult(x, y)
Print("result  P^T A P  %.14e %.14e" % (y.norm(), y.sum()))


def bratu(snes, X, F, n=n):
    """-u'' = exp(u) on a line, by differences."""
    da = snes.getDM()
    local = da.getLocalVec()
    da.globalToLocal(X, local)
    (first, last), size = da.getRanges()[0], da.getSizes()[0]
    u, f = da.getVecArray(local), da.getVecArray(F)
    h = 1 / (size + 1)
    for i in range(first, last):
        left = u[i - 1] if i > 0 else 0
        right = u[i + 1] if i < size - 1 else 0
        f[i] = (2 * u[i] - left - right) / h - h * np.exp(u[i])
    da.restoreLocalVec(local)


da = PETSc.DMDA().create([500], stencil_width=1)
snes = PETSc.SNES().create()
snes.setDM(da)
F = da.createGlobalVec()
snes.setFunction(bratu, F)
snes.setUseFD(True)
snes.setTolerances(rtol=1e-10)
snes.getKSP().setType("gmres")
snes.getKSP().getPC().setType("bjacobi")
snes.getKSP().setTolerances(rtol=1e-10, max_it=2000)
snes.setFromOptions()
u = da.createGlobalVec()
snes.solve(None, u)
Print("result  bratu   %.14e %.14e" % (u.norm(), u.max()[1]))
