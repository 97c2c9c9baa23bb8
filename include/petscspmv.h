/*
   petscspmv: matrix types for PETSc that are AIJ for every purpose and multiply through balanced and compressed kernels.

   A program needs this header only to name the types or to ask them questions. To use them, load the library at run time:
   -dll_append <path>/libpetscspmv.so -mat_spmv auto
*/
#pragma once

#include <petscmat.h>

/*MC
   PETSCSPMV_VERSION - The version of petscspmv that a program is compiled with, as "0.3.0"; PETSCSPMV_VERSION_MAJOR, PETSCSPMV_VERSION_MINOR
   and PETSCSPMV_VERSION_SUBMINOR are its numbers

   Level: beginner

.seealso: PetscSpMVGetVersion()
M*/
#define PETSCSPMV_VERSION "0.3.0"
#define PETSCSPMV_VERSION_MAJOR 0
#define PETSCSPMV_VERSION_MINOR 3
#define PETSCSPMV_VERSION_SUBMINOR 0

/*MC
   -mat_spmv - Lets the AIJ matrices of a program multiply by a method of petscspmv: aijspec, aijlight, ccoo, bccoo, auto, or none

   Every AIJ matrix is attached to the method as it is created, or in MatSetFromOptions() if the option has the prefix of the matrix:
   assembled matrices, levels of multigrid, results of products, submatrices, blocks of preconditioners. Its type stays what it is, and so
   does whatever PETSc does by the type. Products are ours, on the host and, for a matrix of type MATAIJCUSPARSE or MATAIJKOKKOS in a
   library that was built for CUDA, on a device; there, MatSOR() and the incomplete factors ILU and ICC are ours, too, where they are
   predicted to be faster. What cannot be built is PETSc's own; -info tells.

   Options Database Keys:
+  -<prefix>mat_spmv <method> - for the matrices of that prefix; none leaves them to PETSc
.  -mat_spmv_sweeps <form>    - who does MatSOR() and incomplete factors: none, auto, exact, blocks
.  -mat_spmv_tiny <entries>   - sequential matrices with at most as many entries on the host are left to PETSc
-  -mat_view ::ascii_info     - shows for each matrix what it multiplies by, or why it does not

   Level: beginner

.seealso: MatSpMVSetMethod(), MATAIJAUTO, MATCCOO, MATAIJSPEC, MATAIJLIGHT, MATBCCOO, MATSOLVERSPMV, MATORDERINGSPMVBLOCKS
M*/

/*MC
   MATAIJSPEC - "aijspec" - Sparse matrices in AIJ form whose products run by speculative segmented sum

   The same as MATSEQAIJSPEC on one process and as MATMPIAIJSPEC on several. A matrix of this type is an AIJ matrix: it is
   assembled, factored, viewed and preconditioned as one, and shares its arrays. Only products differ: equal tiles of nonzeros,
   the row of each sum predicted from its rank in the tile, and the tiles with empty rows repaired.

   Options Database Keys:
+  -mat_spmv aijspec           - lets every AIJ matrix of a program multiply so, whose type stays, see MatSpMVSetMethod()
.  -mat_type aijspec           - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijspec - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_aijspec_<key> <n>      - see -help for the keys
-  -mat_spmv_threads <n>       - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   W. Liu, B. Vinter: Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors. Parallel
   Computing 49 (2015) 179-193

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATAIJSPEC "aijspec"
#define MATSEQAIJSPEC "seqaijspec"
#define MATMPIAIJSPEC "mpiaijspec"

/*MC
   MATAIJLIGHT - "aijlight" - Sparse matrices in AIJ form whose rows are dealt to threads and lanes as these become free

   The same as MATSEQAIJLIGHT on one process and as MATMPIAIJLIGHT on several. A matrix of this type is an AIJ matrix: it is
   assembled, factored, viewed and preconditioned as one, and shares its arrays. Only products differ: rows are dealt in tickets,
   a thread that finishes takes the next ticket, and rows much longer than others are cut in pieces that are dealt likewise.

   Options Database Keys:
+  -mat_spmv aijlight           - lets every AIJ matrix of a program multiply so, whose type stays, see MatSpMVSetMethod()
.  -mat_type aijlight           - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijlight - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_aijlight_<key> <n>      - see -help for the keys
-  -mat_spmv_threads <n>        - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   Y. Liu, B. Schmidt: LightSpMV: faster CSR-based sparse matrix-vector multiplication on CUDA-enabled GPUs. ASAP 2015, 82-89

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATAIJLIGHT "aijlight"
#define MATSEQAIJLIGHT "seqaijlight"
#define MATMPIAIJLIGHT "mpiaijlight"

/*MC
   MATCCOO - "ccoo" - Sparse matrices in AIJ form that multiply through a compressed copy of themselves

   The same as MATSEQAIJCCOO on one process and as MATMPIAIJCCOO on several. A matrix of this type is an AIJ matrix: it is
   assembled, factored, viewed and preconditioned as one. Products read a copy in tiles, each written in the way that is predicted to be
   fastest for it: rows that look alike from the diagonal share a list of column offsets, others are sorted by length, very long ones
   are cut into chunks; values go through tables, as floats or as they are, bit for bit in any case. The copy is made before the first
   product and stays beside the AIJ matrix; -mat_view ::ascii_info says how large it is. On a device there are pieces of other kinds, for
   the same matrices.

   Options Database Keys:
+  -mat_spmv ccoo              - lets every AIJ matrix of a program multiply so, whose type stays, see MatSpMVSetMethod()
.  -mat_type ccoo              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijccoo - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_ccoo_<key> <n>         - see -help for the keys
-  -mat_spmv_threads <n>       - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   J. I. Aliaga, H. Anzt, E. S. Quintana-Orti, A. E. Tomas, Y. M. Tsai: Balanced and compressed coordinate layout for the sparse
   matrix-vector product on GPUs. Euro-Par 2020: Parallel Processing Workshops, 83-95

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATCCOO "ccoo"
#define MATSEQAIJCCOO "seqaijccoo"
#define MATMPIAIJCCOO "mpiaijccoo"

/*MC
   MATBCCOO - "bccoo" - Sparse matrices in AIJ form that multiply through a copy of themselves in small dense blocks

   The same as MATSEQAIJBCCOO on one process and as MATMPIAIJBCCOO on several. A matrix of this type is an AIJ matrix: it is
   assembled, factored, viewed and preconditioned as one. Products read a copy in blocks of equal shape, 1 x 1 to 8 x 8, that is chosen by
   looking at some of the rows, on a device among square blocks; places of a block that hold no entry are zeros, and
   -mat_view ::ascii_info says how many. For matrices with several unknowns a node; where there are no dense blocks, MATCCOO is faster. The
   copy is made before the first product.

   Options Database Keys:
+  -mat_spmv bccoo              - lets every AIJ matrix of a program multiply so, whose type stays, see MatSpMVSetMethod()
.  -mat_type bccoo              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijbccoo - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_bccoo_<key> <n>         - see -help for the keys
-  -mat_spmv_threads <n>        - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   Y. Zhang, S. Li, S. Yan, H. Zhou: A cross-platform SpMV framework on many-core architectures. ACM TACO 13(4), 2016, article 33

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATCCOO, MATAIJ, MATBAIJ
M*/
#define MATBCCOO "bccoo"
#define MATSEQAIJBCCOO "seqaijbccoo"
#define MATMPIAIJBCCOO "mpiaijbccoo"

/*MC
   MATAIJAUTO - "aijauto" - Sparse matrices in AIJ form that multiply as AIJ until products have paid for a faster form

   The same as MATSEQAIJAUTO on one process and as MATMPIAIJAUTO on several. A matrix of this type is an AIJ matrix: it is
   assembled, factored, viewed and preconditioned as one. The first products are AIJ's own, and are counted and timed. Once they have taken so
   long that converting would have paid, the matrix multiplies as MATCCOO; if that is not faster, it goes back, and MATAIJSPEC has its turn. A few
   products pay for nothing, and change nothing. New values keep the choice, a new pattern begins anew. The local blocks of a parallel matrix
   choose each for itself.

   Options Database Keys:
+  -mat_spmv auto                 - lets every AIJ matrix of a program multiply so, whose type stays, see MatSpMVSetMethod()
.  -mat_type aijauto              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijauto    - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_aijauto_when <paid,first> - whether products have to pay for MATCCOO, or the first of them has it already
.  -mat_view ::ascii_info         - shows what was chosen, when, and what products take
-  -mat_spmv_threads <n>          - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Note:
   The types add up the entries of a row in different orders, so that the last bits of a product change when the type does, and when that is
   depends on how long products have taken. With -mat_aijauto_when first the same matrix gives the same bits in each run.

   Reference:
   A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching. Algorithmica 3 (1988) 79-119

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJSPEC, MATAIJ
M*/
#define MATAIJAUTO "aijauto"
#define MATSEQAIJAUTO "seqaijauto"
#define MATMPIAIJAUTO "mpiaijauto"

/*MC
   MATSOLVERSPMV - "spmv", the incomplete factors of petscspmv, for -pc_factor_mat_solver_type

   Level: intermediate

   Notes:
   ILU and ICC of sequential matrices that multiply by a method of petscspmv (-mat_spmv), with any level of fill and in any order
   that is the same for rows and columns. On a device, such matrices take these factors without being asked, as -mat_spmv_sweeps
   says, where they are predicted to be faster than PETSc's; this name asks for them in any case, on the host, too. PETSc makes the
   factors where a pivot is zero or has to be shifted.

.seealso: MATORDERINGSPMVBLOCKS, PCFactorSetMatSolverType(), MATSOLVERPETSC
M*/
#define MATSOLVERSPMV "spmv"

/*MC
   MATORDERINGSPMVBLOCKS - "spmv_blocks", an order of rows in which incomplete factors are solved with in few steps: by coloured
   blocks of neighbouring rows, for -pc_factor_mat_ordering_type

   Level: intermediate

   Notes:
   Blocks of one colour do not read each other, and rows keep their order inside a block. Blocks of a grid that is numbered line by
   line are boxes, long in the direction of strong couplings; those of other matrices are runs of consecutive rows, or grow from
   row to row. Rows of a block of the matrix, see MatSetBlockSize(), stay together.

   On a device, ILU and ICC of a matrix that multiplies by a method of petscspmv take it, as other orders, without leaving the device.
   It is an order for PETSc's own factors, too. Diffusion takes a few more iterations in it than in the natural order; where the
   natural order is the method, as with a flow along it, it takes more. -mat_spmv_sweeps blocks takes it for MatSOR(), and for
   factors where a program asks for no order.

.seealso: MatGetOrdering(), PCFactorSetMatOrderingType(), MATORDERINGRCM
M*/
#define MATORDERINGSPMVBLOCKS "spmv_blocks"

/*@C
   PetscSpMVInitializePackage - Makes the matrix types of petscspmv known to PETSc

   Collective

   Level: beginner

   Notes:
   Needed in programs that are linked with the library; -dll_append does it by itself. May be called any number of times, also
   after a second PetscInitialize(). It is an error (PETSC_ERR_LIB) if the library was built for another PETSc version, other
   scalars or other integers than the PETSc it meets.

.seealso: MATAIJSPEC
@*/
PETSC_EXTERN PetscErrorCode PetscSpMVInitializePackage(void);

/*@C
   PetscSpMVGetVersion - Gets the version of the library that a program runs with

   Not Collective

   Output Parameter:
.  version - three numbers with points between them, as "0.3.0"; the text belongs to the library

   Level: beginner

   Note:
   -mat_view ::ascii_info tells it of each matrix, and -info when PETSc has loaded the library.

.seealso: PETSCSPMV_VERSION, PetscSpMVInitializePackage()
@*/
PETSC_EXTERN PetscErrorCode PetscSpMVGetVersion(const char *version[]);

/*@C
   MatCreateSpMV - Creates a sparse matrix of a type of petscspmv and preallocates it

   Collective

   Input Parameters:
+  comm  - the MPI communicator
.  type  - MATAIJSPEC, or another type of this library
.  m     - number of local rows, or PETSC_DECIDE
.  n     - number of local columns, or PETSC_DECIDE
.  M     - number of global rows, or PETSC_DETERMINE
.  N     - number of global columns, or PETSC_DETERMINE
.  d_nz  - nonzeros a row in the diagonal block, the same for all rows
.  d_nnz - nonzeros of each local row in the diagonal block, array of length m, or NULL to use d_nz
.  o_nz  - nonzeros a row in the off-diagonal block, the same for all rows
-  o_nnz - nonzeros of each local row in the off-diagonal block, array of length m, or NULL to use o_nz

   Output Parameter:
.  A - the matrix, ready for MatSetValues()

   Level: intermediate

.seealso: MATAIJSPEC, MatCreateAIJ(), MatConvert()
@*/
PETSC_EXTERN PetscErrorCode MatCreateSpMV(MPI_Comm comm, MatType type, PetscInt m, PetscInt n, PetscInt M, PetscInt N, PetscInt d_nz,
                                          const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[], Mat *A);

/*@C
   MatSpMVSetMethod - Lets an AIJ matrix multiply by a method of petscspmv, and stay what it is for all else

   Logically Collective

   Input Parameters:
+  A      - the matrix, of type MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE or a type of this library
-  method - "aijspec", "aijlight", "ccoo", "bccoo", "auto", or "none" for PETSc's own products

   Options Database Key:
.  -mat_spmv <method> - the same for every AIJ matrix of a program, as it is created and in MatSetFromOptions(), with its prefix or without

   Level: beginner

   Notes:
   The type, and with it everything that PETSc does by the type, stays. Duplicates go by the same method. Where a format cannot be built, or cannot
   run where the matrix lives, products are PETSc's own; -info tells.

   It is an error (PETSC_ERR_ARG_UNKNOWN_TYPE) if there is no such method, and (PETSC_ERR_ARG_WRONG) for a matrix of any other type.

.seealso: MatSpMVGetMethod(), MATAIJAUTO
@*/
PETSC_EXTERN PetscErrorCode MatSpMVSetMethod(Mat A, const char method[]);

/*@C
   MatSpMVGetMethod - Gets the name of the method by which a matrix multiplies

   Not Collective

   Input Parameter:
.  A - a matrix of any type

   Output Parameter:
.  method - the name of the method, "aijauto" for auto, or "none"; it belongs to the library

   Level: beginner

.seealso: MatSpMVSetMethod()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVGetMethod(Mat A, const char *method[]);

/*@C
   MatSpMVGetFootprint - Gets the bytes that a product reads besides the vectors, on this process

   Not Collective

   Input Parameter:
.  A - a matrix that multiplies by a method of petscspmv

   Output Parameters:
+  owned    - bytes of arrays that exist besides the AIJ matrix, or NULL
-  borrowed - bytes of arrays that are the AIJ matrix's own, or NULL

   Level: intermediate

   Notes:
   Both are 0 before the first product. For a parallel matrix, the two blocks of this process together.

.seealso: MatSpMVGetCounts(), MatGetInfo()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVGetFootprint(Mat A, PetscLogDouble *owned, PetscLogDouble *borrowed);

/*@C
   MatSpMVGetCounts - Gets how often the format was built and how often only its values were refreshed, on this process

   Not Collective

   Input Parameter:
.  A - a matrix that multiplies by a method of petscspmv

   Output Parameters:
+  builds    - the number of builds, or NULL
-  refreshes - the number of refreshes, or NULL

   Level: intermediate

   Note:
   For a parallel matrix, the two blocks of this process together.

.seealso: MatSpMVGetFootprint()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVGetCounts(Mat A, PetscInt *builds, PetscInt *refreshes);

/*@C
   MatSpMVSetOption - Sets an option of a matrix that multiplies by a method of petscspmv

   Logically Collective

   Input Parameters:
+  A     - the matrix
.  key   - what follows -mat_<type>_ or -mat_spmv_ in the name of the option, "threads" for instance
-  value - the value; for an option with named values, its number in the list that -help prints

   Level: intermediate

   Notes:
   The format is built again at the next product if the value is a new one. An unknown key or a value out of range is an error
   (PETSC_ERR_ARG_OUTOFRANGE), and the old value stays.

.seealso: MatSpMVGetOption(), MatSetFromOptions()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVSetOption(Mat A, const char key[], PetscInt value);

/*@C
   MatSpMVGetOption - Gets the value of an option of a matrix that multiplies by a method of petscspmv

   Not Collective

   Input Parameters:
+  A   - the matrix
-  key - as for MatSpMVSetOption()

   Output Parameter:
.  value - the value in force

   Level: intermediate

.seealso: MatSpMVSetOption()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVGetOption(Mat A, const char key[], PetscInt *value);

/*@C
   MatSpMVTune - Searches the best options for a matrix that multiplies by a method of petscspmv, and takes them over

   Collective

   Input Parameters:
+  A        - the matrix, assembled
-  products - what the search may take, in products with the options in force

   Options Database Keys:
.  -mat_spmv_tune <products> - does this before the first product of each matrix

   Level: intermediate

   Notes:
   Other values of the options are built and timed in turns, at most two at a time, each on top of the best so far. Each local block of a parallel
   matrix is searched for by itself, and the values of its options are its own from then on. -mat_view ::ascii_info tells what was found.

   Only products on the host are tuned; where they run on a device, nothing is done, nor for a matrix of type MATAIJAUTO, which has no options to search.

.seealso: MatSpMVSetOption(), MATAIJAUTO
@*/
PETSC_EXTERN PetscErrorCode MatSpMVTune(Mat A, PetscInt products);
