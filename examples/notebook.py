#!/usr/bin/env python3
"""petscspmv in a notebook, where PETSc runs already: cells that may be copied one by one. On one process.

To run as a program (nothing is built):
    python3 notebook.py <path>/libpetscspmv.so [<picture>.png]

It takes petsc4py, NumPy and SciPy, for the picture of convergence and times Matplotlib, too, and prints something like

    method      ccoo, and the type is seqaij
    product     differs by 5.6e-17 from SciPy's
    new values  differ by 1.1e-16
    solution    cg with jacobi, 164 iterations, residual 8.9e-09
    before      none, and then ccoo
    times       none 550 iterations in 0.59 s, ccoo 550 iterations in 0.35 s
    picture     <picture>.png
"""
# %% PETSc is initialised by its import: options can no longer load the library.
import ctypes
import sys
import time

import numpy as np
import scipy.sparse as sp
from petsc4py import PETSc

plugin = sys.argv[1]  # what `make print-plugin` prints
picture = sys.argv[2] if len(sys.argv) > 2 else None  # a file to draw into

n = 60


def laplacian(n):
    """The five-point Laplacian on n x n points."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return sp.csr_matrix(sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line))


def petsc_matrix(S):
    """A PETSc matrix with the values of a SciPy matrix in CSR form."""
    index = PETSc.IntType
    return PETSc.Mat().createAIJ(size=S.shape, csr=(S.indptr.astype(index), S.indices.astype(index), S.data.astype(PETSc.ScalarType)))


S = laplacian(n)
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
def solve(A, b, history=None):
    """Solves by CG, and returns the KSP and x. Each iteration adds its time and residual to the list history."""
    x = b.duplicate()
    ksp = PETSc.KSP().create()
    ksp.setType("cg")
    ksp.getPC().setType("jacobi")
    ksp.setTolerances(rtol=1e-8)
    ksp.setOperators(A)
    ksp.setUp()
    if history is not None:
        begin = time.perf_counter()
        ksp.setMonitor(lambda ksp, iteration, residual: history.append((time.perf_counter() - begin, residual)))
    ksp.solve(b, x)
    return ksp, x


S = laplacian(n)
A = petsc_matrix(S)
b = A.createVecLeft()
b.array = S @ x.array
ksp, solution = solve(A, b)
residual = np.linalg.norm(b.array - S @ solution.array) / np.linalg.norm(b.array)
print(f"solution    {ksp.getType()} with {ksp.getPC().getType()}, {ksp.getIterationNumber()} iterations, residual {residual:.1e}")

# %% A matrix that was there before is told by itself; petscspmv.set_method(earlier, "ccoo") says the same.
first = method(earlier)
assert ctypes.CDLL(plugin).MatSpMVSetMethod(ctypes.c_void_p(earlier.handle), b"ccoo") == 0
assert difference(earlier, S) < 1e-14
print(f"before      {first}, and then {method(earlier)}")

# %% Convergence and times before and after, on a larger grid; the conversion into the format counts.
S = laplacian(300)
histories = {}
for name in ["none", "ccoo"]:  # none: PETSc's own products
    PETSc.Options()["mat_spmv"] = name
    A = petsc_matrix(S)
    b = A.createVecLeft()
    b.set(1)
    solve(A, b, histories.setdefault(name, []))
print("times      ", ", ".join(f"{name} {len(history) - 1} iterations in {history[-1][0]:.2f} s" for name, history in histories.items()))

# %% The same as a picture, if there is Matplotlib. In a notebook it is shown without savefig().
if picture:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, sharey=True, figsize=(9, 3.5), layout="constrained")
    for (name, history), dashes in zip(histories.items(), ["-", "--"]):
        times, residuals = zip(*history)
        panels[0].semilogy(residuals, dashes, label=f"-mat_spmv {name}")
        panels[1].semilogy(times, residuals, dashes, label=f"-mat_spmv {name}")
    panels[0].set(xlabel="iteration", ylabel="preconditioned residual")
    panels[1].set(xlabel="seconds")
    panels[1].legend()
    figure.savefig(picture)
    print(f"picture     {picture}")
