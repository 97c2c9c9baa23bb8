/*
   Matrix Market files as PETSc matrices.

   Read are files of all layouts (coordinate, array), fields (real, integer, pattern, complex where PETSc's scalars are complex)
   and symmetries (general, symmetric, skew-symmetric, hermitian), plain or compressed by gzip; docs/files.md of petscspmv has the details. Only
   the first process reads, and sends each process its rows. What is wrong with a file is said in a sentence with the number of the
   line, as a PETSc error.

   Format: R. F. Boisvert, R. Pozo, K. A. Remington: The Matrix Market exchange formats: initial design. NISTIR 5935, NIST, 1996
*/
#pragma once

#include <petscmat.h>

/*@C
   MatrixMarketTest - Whether a file is a text, and so one for MatrixMarketLoad(), which says what is wrong with it

   Collective

   Input Parameters:
+  comm - the processes that want to know; the first one looks into the file
-  file - name of the file, compressed by gzip or not

   Output Parameter:
.  yes - PETSC_FALSE also if the file cannot be read

   Note:
   It is an error (PETSC_ERR_FILE_OPEN) if the file is a pipe: what has been looked at would be lost to whoever reads it then.
@*/
PETSC_EXTERN PetscErrorCode MatrixMarketTest(MPI_Comm comm, const char file[], PetscBool *yes);

/*@C
   MatrixMarketLoad - Fills a matrix from a Matrix Market file

   Collective

   Input Parameters:
+  A    - the matrix, with its type set and nothing in it; takes over the file's sizes if it has none
-  file - name of the file, compressed by gzip or not

   Notes:
   Entries that occur twice are added. The mirror images of entries that a symmetric file leaves out are put in. It is an error
   (PETSC_ERR_FILE_OPEN, PETSC_ERR_FILE_UNEXPECTED) if the file cannot be read or is none of the kinds above.
@*/
PETSC_EXTERN PetscErrorCode MatrixMarketLoad(Mat A, const char file[]);
