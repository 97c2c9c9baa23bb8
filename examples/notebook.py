#!/usr/bin/env python3
"""petscspmv in a notebook, where PETSc runs already: cells that may be copied one by one. On one process.

To run as a program (nothing is built):
    python3 notebook.py <path>/libpetscspmv.so

It takes petsc4py, NumPy and SciPy, and prints something like

    method      ccoo, and the type is seqaij
    product     differs by 5.6e-17 from SciPy's
    new values  differ by 1.1e-16
    solution    cg with jacobi, 164 iterations, residual 8.9e-09
    before      none, and then ccoo
"""
# %% PETSc is initialised by its import: options can no longer load the library.
import ctypes
import sys

import numpy as np
import scipy.sparse as sp
from petsc4py import PETSc

plugin = sys.argv[1]  # what `make print-plugin` prints

n = 60
line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
S = sp.csr_matrix(sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line))  # the five-point Laplacian


def petsc_matrix(S):
    """A PETSc matrix with the values of a SciPy matrix in CSR form."""
    index = PETSc.IntType
    return PETSc.Mat().createAIJ(size=S.shape, csr=(S.indptr.astype(index), S.indices.astype(index), S.data.astype(PETSc.ScalarType)))


earlier = petsc_matrix(S)  # a matrix that is there before the library

# %% The one line that loads it. Where the Python package is installed: import petscspmv; petscspmv.load()
assert ctypes.CDLL(plugin).PetscSpMVInitializePackage() == 0

# %% How AIJ matrices multiply that are made from now on. "auto" chooses by itself; petscspmv.load("ccoo") says the same.
PETSc.Options()["mat_spmv"] = "ccoo"

# %% A matrix from SciPy's arrays, and a product with NumPy's.
A = petsc_matrix(S)
x, y = A.createVecs()
x.array = np.linspace(1, 2, S.shape[1])
A.mult(x, y)


def difference(A, S):
    """The largest difference from SciPy's product, relative to the largest that its sums may be."""
    A.mult(x, y)
    return abs(y.array - S @ x.array).max() / (abs(S) @ abs(x.array)).max()


def method(A):
    """The method by which a matrix multiplies; petscspmv.method(A) says the same."""
    name = ctypes.c_char_p()
    assert ctypes.CDLL(plugin).MatSpMVGetMethod(ctypes.c_void_p(A.handle), ctypes.byref(name)) == 0
    return name.value.decode()


print(f"method      {method(A)}, and the type is {A.getType()}")
print(f"product     differs by {difference(A, S):.1e} from SciPy's")

# %% New values in the same places: they are taken over by the next product.
S.data *= np.linspace(1, 3, S.nnz)
A.setValuesCSR(S.indptr.astype(PETSc.IntType), S.indices.astype(PETSc.IntType), S.data.astype(PETSc.ScalarType))
A.assemble()
print(f"new values  differ by {difference(A, S):.1e}")

# %% A solution. KSP and PC know nothing of it.
S = sp.csr_matrix(sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line))
A = petsc_matrix(S)
b = A.createVecLeft()
b.array = S @ x.array
solution = b.duplicate()
ksp = PETSc.KSP().create()
ksp.setType("cg")
ksp.getPC().setType("jacobi")
ksp.setTolerances(rtol=1e-8)
ksp.setOperators(A)
ksp.solve(b, solution)
residual = np.linalg.norm(b.array - S @ solution.array) / np.linalg.norm(b.array)
print(f"solution    {ksp.getType()} with {ksp.getPC().getType()}, {ksp.getIterationNumber()} iterations, residual {residual:.1e}")

# %% A matrix that was there before is told by itself; petscspmv.set_method(earlier, "ccoo") says the same.
first = method(earlier)
assert ctypes.CDLL(plugin).MatSpMVSetMethod(ctypes.c_void_p(earlier.handle), b"ccoo") == 0
assert difference(earlier, S) < 1e-14
print(f"before      {first}, and then {method(earlier)}")
