/// \file tour.cpp
/// A program that does with a matrix type whatever a program may do, in a process of its own, for check: it looks at
/// what is left behind at the end.
///
/// tour --types: the names of our types. tour <type> <times>: so many times from PetscInitialize() to PetscFinalize().

#include <cstdlib>
#include <iostream>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

void MultiplyInAllWays(Mat A)
{
  for (const ProductKind &kind : ProductKinds()) {
    const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind);
    SetSmallIntegers(x, 1);
    SetSmallIntegers(y, 2);
    Ok(kind.apply(A, x, y));
  }
}

void ChangeValuesAndPattern(Mat A, const std::string &type)
{
  const PetscInt row = 0;
  Ok(MatScale(A, 2));
  MultiplyInAllWays(A);
  Ok(MatAXPY(A, 2, MakeSample({24, 24, true, 2, true}, type), DIFFERENT_NONZERO_PATTERN));
  MultiplyInAllWays(A);
  Ok(MatZeroRows(A, 1, &row, 1, NULL, NULL));
  MultiplyInAllWays(A);
  Ok(MatTranspose(A, MAT_INPLACE_MATRIX, &A));
  MultiplyInAllWays(A);
}

void MakeOthersFrom(Mat A)
{
  Owned<Mat> B;
  Owned<IS>  rows;
  PetscInt   first, last;
  Ok(MatDuplicate(A, MAT_COPY_VALUES, B.out()));
  MultiplyInAllWays(B);
  Ok(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B.out()));
  MultiplyInAllWays(B);
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(ISCreateStride(PETSC_COMM_WORLD, (last - first) / 2, first, 2, rows.out()));
  Ok(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, B.out()));
  MultiplyInAllWays(B);
  IS   all[] = {rows};
  Mat *parts;
  Ok(MatCreateSubMatrices(A, 1, all, all, MAT_INITIAL_MATRIX, &parts)); // as a Schwarz method does
  MultiplyInAllWays(parts[0]);
  Ok(MatDestroySubMatrices(1, &parts));
}

void ConvertThereAndBack(Mat A, const std::string &type)
{
  for (const char *other : {MATAIJ, MATBAIJ, MATDENSE, MATAIJPERM}) {
    Owned<Mat> B;
    Ok(MatConvert(A, other, MAT_INITIAL_MATRIX, B.out()));
    Ok(MatConvert(B, type.c_str(), MAT_INPLACE_MATRIX, B.inout()));
    MultiplyInAllWays(B);
    Ok(MatConvert(B, other, MAT_INPLACE_MATRIX, B.inout()));
  }
}

void SolveAndView(Mat A, PCType type)
{
  const Owned<Vec>   b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]);
  const Owned<KSP>   ksp = MakeSolver(A, type);
  Owned<PetscViewer> viewer;
  Ok(VecSet(b, 1));
  Ok(KSPSetFromOptions(ksp));
  Ok(KSPSolve(ksp, b, x));
  Ok(PetscViewerASCIIOpen(PetscObjectComm((PetscObject)A), "/dev/null", viewer.out()));
  Ok(KSPView(ksp, viewer));
}

void FactorInPlace(const std::string &type)
{
  const Owned<Mat> A = MakeSample(kSymmetric, type, PETSC_COMM_SELF);
  Owned<IS>        row, col;
  Ok(MatShift(A, 150));
  MultiplyInAllWays(A);
  Ok(MatGetOrdering(A, MATORDERINGNATURAL, row.out(), col.out()));
  Ok(MatLUFactor(A, row, col, NULL));
}

void Tour(const std::string &type)
{
  const Owned<Mat> A = CreateSample(kSquare, type), D = MakeSample(kSymmetric, type), unused = CreateSample(kSquare, type);
  Ok(MatSetOptionsPrefix(A, "tour_"));
  Ok(MatSetFromOptions(A));
  SetSampleValues(A, kSquare);
  MultiplyInAllWays(A);
  ChangeValuesAndPattern(A, type);
  MakeOthersFrom(A);
  ConvertThereAndBack(A, type);
  Ok(MatShift(D, 150));
  for (PCType pc : {PCBJACOBI, PCASM, PCGAMG, PCSOR}) SolveAndView(D, pc);
  const Owned<Mat> S = MakeSample(kSymmetric, type, PETSC_COMM_SELF);
  Ok(MatShift(S, 150));
  for (PCType pc : {PCILU, PCLU, PCICC, PCCHOLESKY}) SolveAndView(S, pc);
  FactorInPlace(type);
  Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
}

} // namespace

int main(int argc, char **argv)
{
  if (argc < 2 || argv[1] == std::string("--types")) {
    for (const std::string &name : TypeNames()) std::cout << name << "\n";
    return 0;
  }
  const std::string type  = argv[1];
  const int         times = argc > 2 ? std::atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv); // or the second PetscInitialize() would have no MPI
  for (int time = 0; time < times; ++time) {
    Ok(PetscInitialize(&argc, &argv, NULL, NULL));
    Ok(RegisterTypes());
    Tour(type);
    Ok(PetscPrintf(PETSC_COMM_WORLD, "tour of %s: %d done\n", type.c_str(), time + 1));
    Ok(PetscFinalize());
  }
  MPI_Finalize();
  return 0;
}
