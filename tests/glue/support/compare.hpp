#pragma once

/// \file compare.hpp
/// Whether a matrix multiplies as another does, and what that cost.

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "glue/support/petsc.hpp"

namespace petscspmv::test {

/// The product interface of a matrix: y = op(A) x, or y = z + op(A) x with z in y.
struct ProductKind {
  const char *name;
  bool        transposed, add;
  PetscErrorCode (*apply)(Mat A, Vec x, Vec y);
};
const std::vector<ProductKind> &ProductKinds();

/// Those for which PETSc makes no vectors on the way. Where it has one function for A^T x and A^H x, as 3.26 has with
/// real scalars, its MatMultHermitianTransposeAdd() does so, with AIJ, too.
std::vector<ProductKind> KindsWithoutWorkVectors(Mat A);

/// Whether PETSc has no product of this kind for A, or a wrong one. Its aijcusparse asks cuSPARSE for a conjugate
/// transpose of real numbers, which CUDA 13 refuses, its aijkokkos multiplies by the matrix itself, and
/// MatSetOperation() cannot set another: for real numbers it sets the plain transpose.
bool IsRefused(Mat A, const ProductKind &kind);

/// A new vector that A's product of this kind can read (or write).
Owned<Vec> InputOf(Mat A, const ProductKind &kind);
Owned<Vec> OutputOf(Mat A, const ProductKind &kind);

/// Expects that each of the six products of A equals that of `reference`, bit for bit. Both have small integers only.
void ExpectSameProducts(Mat A, Mat reference, CallSite where = CallSite::current());

/// The same of A^T B with a dense B.
void ExpectSameTransposedDenseProduct(Mat A, Mat reference);

/// Ways in which PETSc comes to know that a matrix is symmetric, or takes it for so.
struct Knowledge {
  const char *name;
  bool        found; ///< by looking at the values, which must be symmetric, then
  void (*tell)(Mat A);
};
const std::vector<Knowledge> &KnowledgeOfSymmetry();

/// Expects that the entries, or values if they are vectors, are the same, bit for bit, NaN equal to NaN.
void ExpectSameVectors(Vec x, Vec reference, const std::string &what);
/// Expects that entries differ by no more than other orders of a few hundred additions explain.
void ExpectNearVectors(Vec x, Vec reference, const std::string &what);
void ExpectSameEntries(Mat A, Mat reference, CallSite where = CallSite::current());

/// The same for dense matrices of one type.
void ExpectEqualDense(Mat C, Mat expected, const std::string &what);

/// Solves A x = b with small integers in b, by the default method if that is NULL.
struct Solution {
  Failure   failure;
  PetscInt  iterations = -1;
  PetscReal residual   = -1; ///< |b - A x| / |b|
};
Solution Solve(Mat A, PCType preconditioner, KSPType method = NULL, PetscReal tolerance = 1e-8);

/// Solves with a preconditioner of this type, and expects b - A x to be small; A is far from singular.
void ExpectSolved(Mat A, PCType type);

void ExpectContains(const std::string &text, const std::string &part);

/// Multiplies once, so that the format is there.
void MultiplyOnce(Mat A);

/// Builds and refreshes: of one matrix, or how often PETSc's log has seen them since a moment.
struct Counts {
  PetscInt builds = 0, refreshes = 0;

  friend bool   operator==(const Counts &, const Counts &) = default;
  friend Counts operator-(const Counts &a, const Counts &b) { return {a.builds - b.builds, a.refreshes - b.refreshes}; }
};
std::ostream &operator<<(std::ostream &out, const Counts &counts);

Counts CountsOf(Mat A); ///< MatSpMVGetCounts
Counts LoggedCounts();  ///< of this rank, all matrices

/// What `work` adds to this rank's log.
Counts CountsDuring(const std::function<void()> &work);

/// How many products of ours this rank does in `work`.
int ProductsDuring(const std::function<void()> &work);

/// How often the event was logged on this rank, and its flops.
PetscEventPerfInfo EventInfo(const char name[]);

/// 1 for a sequential matrix, 2 for a parallel one: the number of formats it has on a rank.
PetscInt BlocksOf(Mat A);

} // namespace petscspmv::test
