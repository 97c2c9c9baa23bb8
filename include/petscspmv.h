/*
   petscspmv: methods by which PETSc's AIJ matrices multiply through balanced and compressed kernels.

   A program needs this header only to name methods and types in its source, or to ask matrices questions. To use them,
   load the library at run time: -dll_append <path>/libpetscspmv.so -mat_spmv auto
*/
#pragma once

#include <petscmat.h>

/*MC
   PETSCSPMV_VERSION - The version of petscspmv that a program is compiled with, as "0.3.0"; PETSCSPMV_VERSION_MAJOR,
   PETSCSPMV_VERSION_MINOR and PETSCSPMV_VERSION_SUBMINOR are its numbers

   Level: beginner

.seealso: PetscSpMVGetVersion()
M*/
#define PETSCSPMV_VERSION "0.3.0"
#define PETSCSPMV_VERSION_MAJOR 0
#define PETSCSPMV_VERSION_MINOR 3
#define PETSCSPMV_VERSION_SUBMINOR 0

/*MC
   -mat_spmv - Lets the AIJ matrices of a program multiply by a method of petscspmv: aijspec, aijlight, ccoo, bccoo,
   auto, or none

   It reaches matrices of type MATAIJ, MATAIJCUSPARSE and MATAIJKOKKOS that are created once the library is loaded:
   assembled matrices, levels of multigrid, results of products, submatrices, blocks of preconditioners. PETSc's other
   subtypes of AIJ keep their own products. A matrix takes the method when it gets its type, and again in
   MatSetFromOptions(), when it may have a prefix that it had not before. Its type stays what it is, and so does
   whatever PETSc does by the type.

   Products are ours on the host, and on a device for matrices of type MATAIJCUSPARSE and MATAIJKOKKOS in a library that
   was built for CUDA. There, MatSOR() and the incomplete factors ILU and ICC are ours, too, where they are predicted to
   be faster. What cannot be built is PETSc's own; -info tells.

   Options Database Keys:
+  -<prefix>mat_spmv <method>           - the same for the matrices of that prefix; none leaves them to PETSc
.  -mat_spmv_threads <n>                - host threads of a product, OMP_NUM_THREADS or 1 by default
.  -mat_spmv_isa <isa>                  - instruction set of products on the host: auto, portable, avx2, avx512
.  -mat_spmv_kernels <auto,kokkos>      - the fastest kernels, or those that run on whatever Kokkos runs on
.  -mat_spmv_sweeps <form>              - who does MatSOR() and incomplete factors: none, auto, exact, blocks
.  -mat_spmv_exchange <mpi,auto,peer>   - how ranks with devices get ghost values: by MPI, or from device to device
.  -mat_spmv_setup <none,auto>          - who makes aggregates and prolongators of PCGAMG: PETSc, or we, the same ones
.  -<prefix>mat_spmv_precision <values> - double or single: what ccoo and auto keep of values, for a matrix
                                          that only preconditions; an error without a prefix
.  -mat_spmv_tiny <entries>             - sequential matrices, and blocks of parallel ones, with at most as
                                          many entries (300 by default) on the host are left to PETSc
.  -mat_spmv_bind_frees <no,yes>        - whether MatBindToCPU() frees the formats and sweeps on the device
-  -mat_view ::ascii_info               - shows for each matrix what it multiplies by, or why PETSc multiplies

   Level: beginner

   Note:
   An option -mat_spmv_<key> holds for all matrices that multiply by a method; with the prefix of a matrix it holds for
   that one, and wins.

.seealso: MatSpMVSetMethod(), MATAIJAUTO, MATCCOO, MATAIJSPEC, MATAIJLIGHT, MATBCCOO, MATSOLVERSPMV,
          MATORDERINGSPMVBLOCKS
M*/

/*MC
   MATAIJSPEC - "aijspec" - Sparse matrices in AIJ form whose products run by speculative segmented sum

   The same as MATSEQAIJSPEC on one process and as MATMPIAIJSPEC on several. A matrix of this type is an AIJ matrix: it
   is assembled, factored, viewed and preconditioned as one. Products differ: they read AIJ's own arrays in equal tiles
   of nonzeros, predict the row of each sum from its rank in the tile, and repair the tiles with empty rows. On a
   device, a matrix with very long rows goes by tickets, as MATAIJLIGHT.

   Where the library was built for CUDA and there is a device, such a matrix has the type MATAIJCUSPARSE, or
   MATAIJKOKKOS with -vec_type kokkos, and multiplies there by this method.

   Options Database Keys:
+  -mat_spmv aijspec             - lets the AIJ matrices of a program multiply so, whose types stay; see -mat_spmv
.  -mat_type aijspec             - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijspec   - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_spmv_vec_type <auto,standard> - standard: the matrix and its vectors stay on the host
-  -mat_spmv_threads <n>         - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   W. Liu, B. Vinter: Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors.
   Parallel Computing 49 (2015) 179-193

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATAIJSPEC "aijspec"
#define MATSEQAIJSPEC "seqaijspec"
#define MATMPIAIJSPEC "mpiaijspec"

/*MC
   MATAIJLIGHT - "aijlight" - Sparse matrices in AIJ form whose rows are dealt to threads and lanes as these become free

   The same as MATSEQAIJLIGHT on one process and as MATMPIAIJLIGHT on several. A matrix of this type is an AIJ matrix:
   it is assembled, factored, viewed and preconditioned as one. Products differ: they read AIJ's own arrays, whose rows
   are dealt in tickets. A thread that finishes takes the next ticket, and rows much longer than others are cut in
   pieces that are dealt likewise.

   Where the library was built for CUDA and there is a device, such a matrix has the type MATAIJCUSPARSE, or
   MATAIJKOKKOS with -vec_type kokkos, and multiplies there by this method.

   Options Database Keys:
+  -mat_spmv aijlight           - lets the AIJ matrices of a program multiply so, whose types stay; see -mat_spmv
.  -mat_type aijlight           - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijlight - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_spmv_vec_type <auto,standard> - standard: the matrix and its vectors stay on the host
-  -mat_spmv_threads <n>        - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   Y. Liu, B. Schmidt: LightSpMV: faster CSR-based sparse matrix-vector multiplication on CUDA-enabled GPUs. ASAP 2015,
   82-89

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATAIJLIGHT "aijlight"
#define MATSEQAIJLIGHT "seqaijlight"
#define MATMPIAIJLIGHT "mpiaijlight"

/*MC
   MATCCOO - "ccoo" - Sparse matrices in AIJ form that multiply through a compressed copy of themselves

   The same as MATSEQAIJCCOO on one process and as MATMPIAIJCCOO on several. A matrix of this type is an AIJ matrix: it
   is assembled, factored, viewed and preconditioned as one. Products read a copy in tiles, each written in the way that
   is predicted to be fastest for it: rows that look alike from the diagonal share a list of column offsets, others are
   sorted by length, very long ones are cut into chunks. Values go through tables, as floats or as they are, bit for bit
   unless -mat_spmv_precision asks for less. The copy is made before the first product and stays beside the AIJ matrix;
   -mat_view ::ascii_info says how large it is. On a device there are pieces of other kinds, for the same matrices.

   Where the library was built for CUDA and there is a device, such a matrix has the type MATAIJCUSPARSE, or
   MATAIJKOKKOS with -vec_type kokkos, and multiplies there by this method.

   Options Database Keys:
+  -mat_spmv ccoo              - lets the AIJ matrices of a program multiply so, whose types stay; see -mat_spmv
.  -mat_type ccoo              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijccoo - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_ccoo_tile <kind>       - what tiles are: auto, diagonal, gather, chunk
.  -mat_ccoo_values <coding>   - coding of values: auto, constant, table16, table256, table65536, fp32, raw
.  -mat_ccoo_order <order>     - order of rows on the host: auto, own, columns, neighbours
.  -<prefix>mat_spmv_precision <double,single> - precision of the copy of a matrix that only preconditions
.  -mat_spmv_vec_type <auto,standard> - standard: the matrix and its vectors stay on the host
-  -mat_spmv_threads <n>       - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   J. I. Aliaga, H. Anzt, E. S. Quintana-Orti, A. E. Tomas, Y. M. Tsai: Balanced and compressed coordinate layout for
   the sparse matrix-vector product on GPUs. Euro-Par 2020: Parallel Processing Workshops, 83-95

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJ
M*/
#define MATCCOO "ccoo"
#define MATSEQAIJCCOO "seqaijccoo"
#define MATMPIAIJCCOO "mpiaijccoo"

/*MC
   MATBCCOO - "bccoo" - Sparse matrices in AIJ form that multiply through a copy of themselves in small dense blocks

   The same as MATSEQAIJBCCOO on one process and as MATMPIAIJBCCOO on several. A matrix of this type is an AIJ matrix:
   it is assembled, factored, viewed and preconditioned as one. Products read a copy in blocks of equal shape, 1 x 1 to
   8 x 8. The shape is chosen by looking at some of the rows, on a device among squares up to 4 x 4; places of a block
   that hold no entry are zeros, and -mat_view ::ascii_info says how many. For matrices with several unknowns a node;
   where there are no dense blocks, MATCCOO is faster. The copy is made before the first product.

   Where the library was built for CUDA and there is a device, such a matrix has the type MATAIJCUSPARSE, or
   MATAIJKOKKOS with -vec_type kokkos, and multiplies there by this method.

   Options Database Keys:
+  -mat_spmv bccoo              - lets the AIJ matrices of a program multiply so, whose types stay; see -mat_spmv
.  -mat_type bccoo              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijbccoo - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_bccoo_block_rows <n>    - rows of a block: auto, 1 to 8
.  -mat_bccoo_block_columns <n> - columns of a block: auto, 1 to 8
.  -mat_bccoo_values <coding>   - coding of values: auto, constant, table16, table256, table65536, fp32, raw
.  -mat_spmv_vec_type <auto,standard> - standard: the matrix and its vectors stay on the host
-  -mat_spmv_threads <n>        - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Reference:
   Y. Zhang, S. Li, S. Yan, H. Zhou: A cross-platform SpMV framework on many-core architectures. ACM TACO 13(4), 2016,
   article 33

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATCCOO, MATAIJ, MATBAIJ
M*/
#define MATBCCOO "bccoo"
#define MATSEQAIJBCCOO "seqaijbccoo"
#define MATMPIAIJBCCOO "mpiaijbccoo"

/*MC
   MATAIJAUTO - "aijauto" - Sparse matrices in AIJ form that multiply as AIJ until products have paid for a faster form

   The same as MATSEQAIJAUTO on one process and as MATMPIAIJAUTO on several. A matrix of this type is an AIJ matrix: it
   is assembled, factored, viewed and preconditioned as one. The first products are AIJ's own. Once they have taken as
   long as the conversion takes, the matrix multiplies as MATCCOO; if that is not faster, it goes back, and MATAIJSPEC
   has its turn. A few products pay for nothing, and change nothing, and matrices of fewer than 2000 entries on the host
   stay AIJ's. On the host products are timed. On a device times are predicted, and the change is for good; a large
   matrix whose arrays are on the host alone is MATCCOO there from the first product on, if that is built sooner than
   AIJ's arrays are copied. New values keep the choice, a new pattern begins anew. The local blocks of a parallel matrix
   choose each for itself.

   Where the library was built for CUDA and there is a device, such a matrix has the type MATAIJCUSPARSE, or
   MATAIJKOKKOS with -vec_type kokkos, and multiplies there by this method.

   Options Database Keys:
+  -mat_spmv auto                 - lets the AIJ matrices of a program multiply so, whose types stay; see -mat_spmv
.  -mat_type aijauto              - sets the type in MatSetFromOptions()
.  -mat_seqaij_type seqaijauto    - makes every sequential AIJ matrix one, also in programs that ask for MATAIJ by name
.  -mat_aijauto_when <paid,first> - whether products have to pay for MATCCOO, or the first of them has it already
.  -mat_view ::ascii_info         - shows what was chosen, when, and what products take
.  -<prefix>mat_spmv_precision <double,single> - precision of the copy of a matrix that only preconditions
.  -mat_spmv_vec_type <auto,standard> - standard: the matrix and its vectors stay on the host
-  -mat_spmv_threads <n>          - host threads of a product, OMP_NUM_THREADS or 1 by default

   Level: beginner

   Note:
   The methods add up the entries of a row in different orders, so that the last bits of a product change when the
   method does, and when that is depends on how long products have taken. With -mat_aijauto_when first the same matrix
   gives the same bits in each run.

   Reference:
   A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching. Algorithmica 3 (1988) 79-119

.seealso: MatCreateSpMV(), MatSpMVGetFootprint(), MATAIJSPEC, MATAIJ
M*/
#define MATAIJAUTO "aijauto"
#define MATSEQAIJAUTO "seqaijauto"
#define MATMPIAIJAUTO "mpiaijauto"

/*MC
   MATSOLVERSPMV - "spmv", the incomplete factors of petscspmv, for -pc_factor_mat_solver_type

   Options Database Keys:
+  -pc_factor_mat_solver_type spmv - takes these factors
-  -mat_spmv_sweeps <form>         - who factors where nothing is named: PETSc (none), we on a device where that is
                                     predicted to be faster (auto, the default), we everywhere (exact), we by
                                     coloured blocks (blocks)

   Level: intermediate

   Notes:
   ILU and ICC of sequential matrices that multiply by a method of petscspmv (-mat_spmv), with any level of fill and in
   any order that is the same for rows and columns. On a device, such matrices take these factors without being asked,
   where they are predicted to be faster than PETSc's; -mat_spmv_sweeps exact or blocks asks for them everywhere, and
   this name for one solver, on the host, too. PETSc makes the factors where a pivot is zero or has to be shifted, and
   where rows and columns have different orders.

   It is an error (PETSC_ERR_SUP) to name this package for a matrix without a method.

.seealso: MATORDERINGSPMVBLOCKS, PCFactorSetMatSolverType(), MATSOLVERPETSC
M*/
#define MATSOLVERSPMV "spmv"

/*MC
   MATORDERINGSPMVBLOCKS - "spmv_blocks", an order of rows in which incomplete factors are solved with in few steps: by
   coloured blocks of neighbouring rows, for -pc_factor_mat_ordering_type

   Options Database Keys:
+  -pc_factor_mat_ordering_type spmv_blocks - factors in this order
-  -mat_spmv_sweeps blocks                  - MatSOR() in this order, and factors where a program asks for no order

   Level: intermediate

   Notes:
   Blocks of one colour do not read each other, and rows keep their order inside a block. Blocks of a grid that is
   numbered line by line are boxes, long in the direction of strong couplings; those of other matrices are runs of
   consecutive rows, or grow from row to row. Rows of a block of the matrix, see MatSetBlockSize(), stay together.

   It takes sequential AIJ matrices of any subtype, with a method of petscspmv or without; others are an error
   (PETSC_ERR_SUP). On a device, ILU and ICC of a matrix that multiplies by a method take it, as other orders, without
   leaving the device. It is an order for PETSc's own factors, too. Diffusion takes a few more iterations in it than in
   the natural order; where the natural order is the method, as with a flow along it, it takes more.

.seealso: MatGetOrdering(), PCFactorSetMatOrderingType(), MATORDERINGRCM
M*/
#define MATORDERINGSPMVBLOCKS "spmv_blocks"

/*@C
   PetscSpMVInitializePackage - Makes -mat_spmv and the matrix types, factors and ordering of petscspmv known to PETSc

   Collective

   Level: beginner

   Notes:
   Needed in programs that are linked with the library; -dll_append does it by itself. -mat_spmv reaches matrices that
   are created afterwards. May be called any number of times, also after a second PetscInitialize(). It is an error
   (PETSC_ERR_LIB) if the library was built for another minor version of PETSc, other scalars or other integers than the
   PETSc it meets.

.seealso: MatSpMVSetMethod(), MATAIJSPEC
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
+  A      - the matrix, of type MATAIJ, MATAIJCUSPARSE, MATAIJKOKKOS or a type of this library
-  method - "aijspec", "aijlight", "ccoo", "bccoo", "auto", or "none" for PETSc's own products

   Options Database Key:
.  -mat_spmv <method> - the same for the AIJ matrices of a program, as they are created and in MatSetFromOptions()

   Level: beginner

   Notes:
   The type, and with it everything that PETSc does by the type, stays; a matrix of a type of this library changes to
   the type of the method, with "none" to MATAIJ. Duplicates go by the same method. The method is lost where PETSc puts
   another matrix into the header, as MatAXPY() with another pattern; -mat_spmv gives it to that one, too. Where a
   format cannot be built, or cannot run where the matrix lives, products are PETSc's own; -info tells.

   It is an error (PETSC_ERR_ARG_UNKNOWN_TYPE) if there is no such method, and (PETSC_ERR_ARG_WRONG) to give one to a
   matrix of any other type.

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
   MatSpMVGetFootprint - Gets the bytes of the arrays that products read besides the vectors, on this process

   Not Collective

   Input Parameter:
.  A - a matrix that multiplies by a method of petscspmv

   Output Parameters:
+  owned    - bytes of arrays that exist besides the AIJ matrix, scratch of the process among them, or NULL
-  borrowed - bytes of arrays that are the AIJ matrix's own, or NULL

   Level: intermediate

   Notes:
   Both are 0 before the first product, and as long as PETSc does all of them. They count all formats that the matrix
   has, on the host and on a device, also those for several vectors at once and for transposed products; not what
   MatSOR() and factors need. For a parallel matrix, the two blocks of this process together.

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
-  value - the value; for an option with named values, its number in the list that -help prints, from 0 on

   Level: intermediate

   Notes:
   The format is built again at the next product if the value is a new one. An unknown key or a value out of range is an
   error (PETSC_ERR_ARG_OUTOFRANGE), and the old value stays.

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
   MatSpMVTune - Ends with an error, for there is no search for options any more

   Logically Collective

   Input Parameters:
+  A        - the matrix
-  products - is not looked at

   Level: deprecated

   Note:
   It is there so that programs that were made for version 0.1.0 link. `petscspmv-bench spmv` compares options.

.seealso: MatSpMVSetOption()
@*/
PETSC_EXTERN PetscErrorCode MatSpMVTune(Mat A, PetscInt products);
