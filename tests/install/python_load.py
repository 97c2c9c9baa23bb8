"""The Python package, as it lies in the checkout, with the library of a build: PYTHONPATH and PETSCSPMV_LIBRARY say where.

python_load.py <version> <library that finds its PETSc not to be initialised>
"""
import sys

import numpy as np
from petsc4py import PETSc

import petscspmv


def fails(kind, words, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert words in str(error), f"'{words}' was to be in: {error}"
    else:
        raise AssertionError(f"{function.__name__}{arguments} was to fail")


def matrix(n=500):
    """The second difference on n points, by rows."""
    rows = np.arange(n + 1, dtype=PETSc.IntType)
    A = PETSc.Mat().createAIJ(size=(n, n), nnz=3, comm=PETSc.COMM_SELF)
    for row in rows[:-1]:
        cols = [c for c in (row - 1, row, row + 1) if 0 <= c < n]
        A.setValues(row, cols, [2 if c == row else -1 for c in cols])
    A.assemble()
    return A


def solved(A):
    """Iterations of CG for a right-hand side of ones, and the largest error of the solution x_i = (i + 1) (n - i) / 2."""
    n = A.size[0]
    x, b = A.createVecs()
    b.set(1)
    ksp = PETSc.KSP().create(PETSc.COMM_SELF)
    ksp.setType("cg")
    ksp.getPC().setType("none")
    ksp.setTolerances(rtol=1e-12, max_it=5 * n)
    ksp.setOperators(A)
    ksp.solve(b, x)
    i = np.arange(n)
    exact = (i + 1) * (n - i) / 2
    return ksp.getIterationNumber(), abs(x.array - exact).max() / exact.max()


before = matrix()
iterations, error = solved(before)
assert error < 1e-9, error

petscspmv.load("ccoo")
assert petscspmv.version() == sys.argv[1], petscspmv.version()
A = matrix()
assert petscspmv.method(A) == "ccoo" and A.getType() == "seqaij", (petscspmv.method(A), A.getType())
ours, error = solved(A)
assert abs(ours - iterations) <= 2 and error < 1e-9, (ours, iterations, error)

assert petscspmv.method(before) == "none"
petscspmv.set_method(before, "aijspec")
assert petscspmv.method(before) == "aijspec" and solved(before)[1] < 1e-9
petscspmv.set_method(before, "none")
assert petscspmv.method(before) == "none"

petscspmv.load()
assert petscspmv.method(matrix()) == "ccoo"  # the option is left as it is
petscspmv.load("none")
assert petscspmv.method(matrix()) == "none"
A.convert("aijlight")
assert A.getType() == "seqaijlight", A.getType()

fails(PETSc.Error, "There is no method 'fast'", petscspmv.load, "fast")
fails(OSError, "no_such_file", petscspmv.load, path="./no_such_file.so")
fails(ImportError, "was built for another PETSc than the one that petsc4py runs", petscspmv.load, path=sys.argv[2])
assert petscspmv.method(A) == "aijlight"  # with the library that was there before
print("loaded", petscspmv.version())
