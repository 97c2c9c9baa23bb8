"""slepc4py: eigenvalues of a Laplacian by Krylov-Schur and by LOBPCG, singular values, an exponential of a matrix.

Numbers that are to be the same with any product are in lines that begin with "result".
"""
import sys

import slepc4py

slepc4py.init(sys.argv)
from petsc4py import PETSc
from slepc4py import SLEPc

Print = PETSc.Sys.Print
n = 40
A = PETSc.Mat().create()
A.setSizes([n * n, n * n])
A.setFromOptions()
A.setUp()
for row in range(*A.getOwnershipRange()):
    i, j = divmod(row, n)
    for k, l in ((i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j)):
        if 0 <= k < n and 0 <= l < n:
            A[row, k * n + l] = -1
    A[row, row] = 4 + row / (n * n)
A.assemble()

eps = SLEPc.EPS().create()
eps.setOperators(A)
eps.setProblemType(SLEPc.EPS.ProblemType.HEP)
eps.setDimensions(4)
eps.setTolerances(1e-11, 2000)
eps.setFromOptions()
eps.solve()
Print("result  largest eigenvalues   ", *("%.13e" % eps.getEigenvalue(i).real for i in range(4)))

eps = SLEPc.EPS().create()
eps.setOperators(A)
eps.setProblemType(SLEPc.EPS.ProblemType.HEP)
eps.setType(SLEPc.EPS.Type.LOBPCG)
eps.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
eps.setDimensions(2)
eps.setTolerances(1e-9, 2000)
eps.solve()
Print("result  smallest eigenvalues  ", *("%.13e" % eps.getEigenvalue(i).real for i in range(2)))

svd = SLEPc.SVD().create()
svd.setOperator(A)
svd.setDimensions(3)
svd.setTolerances(1e-11, 2000)
svd.solve()
Print("result  singular values       ", *("%.13e" % svd.getValue(i) for i in range(3)))

mfn = SLEPc.MFN().create()
mfn.setOperator(A)
mfn.getFN().setType(SLEPc.FN.Type.EXP)
mfn.getFN().setScale(-0.1)
mfn.setTolerances(1e-11)
b, x = A.createVecs()
b.set(1)
mfn.solve(b, x)
Print("result  exponential           ", "%.13e %.13e" % (x.norm(), x.sum()))
