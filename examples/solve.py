#!/usr/bin/env python3
"""Solves a system with petsc4py and a matrix of type aijspec, on any number of processes.

To run (nothing is built):
    python3 solve.py -options_file ../build/release/petsc_plugin.conf
    mpiexec -n 2 python3 solve.py -dll_append <path>/libpetscspmv.so -ksp_type cg

petsc4py takes PETSc's options, so petscspmv is loaded as into any other program. It has to be built for the same PETSc that
petsc4py uses; it says so if it was not. It prints something like

    type        seqaijspec on 1 process
    solver      bcgs with ilu
    iterations  21
    residual    2.9e-09 = |b - A x| / |b|
    and back    seqaij
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc


def laplacian(n):
    """The five-point Laplacian on n x n points, as a matrix of type aijspec."""
    A = PETSc.Mat().create()
    A.setSizes(n * n)
    A.setType("aijspec")
    A.setFromOptions()
    A.setPreallocationNNZ((5, 4))
    first, last = A.getOwnershipRange()
    for row in range(first, last):
        i, j = divmod(row, n)
        neighbours = [(i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j)]
        inside = [k * n + l for k, l in neighbours if 0 <= k < n and 0 <= l < n]
        A.setValues(row, [row] + inside, [4] + [-1] * len(inside))
    A.assemble()
    return A


def true_residual(A, x, b):
    """|b - A x| / |b| with the product of an AIJ copy."""
    r = b.duplicate()
    A.convert("aij", out=PETSc.Mat()).mult(x, r)
    return (b - r).norm() / b.norm()


def main():
    A = laplacian(PETSc.Options().getInt("n", 50))
    x, b = A.createVecs()
    b.set(1)
    ksp = PETSc.KSP().create()
    ksp.setType("bcgs")
    ksp.setTolerances(rtol=1e-8)
    ksp.setOperators(A)
    ksp.setFromOptions()
    ksp.solve(b, x)

    size = A.comm.size
    PETSc.Sys.Print(f"type        {A.getType()} on {size} process{'es' if size > 1 else ''}")
    PETSc.Sys.Print(f"solver      {ksp.getType()} with {ksp.getPC().getType()}")
    PETSc.Sys.Print(f"iterations  {ksp.getIterationNumber()}")
    PETSc.Sys.Print(f"residual    {true_residual(A, x, b):.1e} = |b - A x| / |b|")
    A.convert("aij")
    PETSc.Sys.Print(f"and back    {A.getType()}")


main()
