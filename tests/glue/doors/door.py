"""The types from petsc4py: setType, convert there and back, products, and the options of the command line."""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402  petsc4py.init comes first

prefix = "seq" if PETSc.COMM_WORLD.size == 1 else "mpi"


def tridiagonal(mat_type):
    """The second difference on ten points, of the given type."""
    A = PETSc.Mat().create()
    A.setSizes([10, 10])
    A.setType(mat_type)
    A.setUp()
    for row in range(*A.getOwnershipRange()):
        for col, value in ((row - 1, -1), (row, 2), (row + 1, -1)):
            if 0 <= col < 10:
                A[row, col] = value
    A.assemble()
    return A


def product(A):
    """A times (1, 1, ..., 1): zero but for both ends."""
    x, y = A.createVecs()
    x.set(1)
    A.mult(x, y)
    return y.norm(PETSc.NormType.NORM_1)


A = tridiagonal("aijspec")
assert A.getType() == prefix + "aijspec", A.getType()
assert product(A) == 2, product(A)
B = A.convert("aij", PETSc.Mat())
assert B.getType() == prefix + "aij", B.getType()
B.convert("aijspec")
assert B.getType() == prefix + "aijspec", B.getType()
B.scale(2)
assert product(B) == 4, product(B)
C = PETSc.Mat().create()
C.setSizes([10, 10])
C.setFromOptions()
PETSc.Sys.Print("petsc4py", A.getType(), B.getType(), C.getType())
