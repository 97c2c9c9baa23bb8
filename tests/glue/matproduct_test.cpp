/// Products of matrices: with ours in the place of AIJ's, what worked works, with the same entries, and what did not
/// does not.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

/// What an operand is: 's'parse (AIJ or ours), 'd'ense, 'm'ulti-component (MAIJ of a sparse one), 't'he transpose of a
/// sparse one that is never formed, 'h' the same conjugated, 'b'lock (BAIJ), 'v' a shell (virtual) made from a sparse
/// one.
struct Table : NamedCase {
  MatProductType           type;
  std::vector<std::string> operands;
};

const std::vector<Table> kTables{
  {"AB", MATPRODUCT_AB, {"ss", "sd", "ds", "sm", "ms", "st", "ts", "td", "sh", "sb", "bs", "vd", "vs", "sv"}},
  {"AtB", MATPRODUCT_AtB, {"ss", "sd", "ds", "sm", "st", "ts", "td", "sb"}},
  {"ABt", MATPRODUCT_ABt, {"ss", "sd", "ds", "st", "ts", "sb", "dt"}},
  {"PtAP", MATPRODUCT_PtAP, {"ss", "sd", "ds", "sm", "sb", "ts"}},
  {"RARt", MATPRODUCT_RARt, {"ss", "sd", "ds", "sb", "ts"}},
  {"ABC", MATPRODUCT_ABC, {"sss", "ssd", "sds"}}, // with a dense first one, PETSc 3.18 crashes in parallel,
};

class MatProducts : public TypeTestWith<Table> { };
INSTANTIATE_TEST_SUITE_P(Types, MatProducts, EachTypeWith(kTables), TypeAndCase);

/// Operand number `number` of kind `kind`, made with sparse matrices of type `sparse`. All are 24 x 24, so that all
/// fit.
Owned<Mat> Operand(char kind, unsigned number, const std::string &sparse)
{
  Owned<Mat> S = MakeSample(Sample{24, 24, number != 2, 40 + number}, kind == 'd' || kind == 'b' ? std::string(MATAIJ) : sparse), M;
  switch (kind) {
  case 's':
    return S;
  case 'd':
    Ok(MatConvert(S, MATDENSE, MAT_INPLACE_MATRIX, S.inout()));
    return S;
  case 'b':
    Ok(MatConvert(S, MATBAIJ, MAT_INPLACE_MATRIX, S.inout()));
    return S;
  case 'm':
    Ok(MatCreateMAIJ(MakeSample(Sample{12, 12, true, 40 + number}, sparse), 2, M.out()));
    return M;
  case 't':
    Ok(MatCreateTranspose(S, M.out()));
    return M;
  case 'h':
    Ok(MatCreateHermitianTranspose(S, M.out()));
    return M;
  default:
    Ok(MatConvert(S, MATSHELL, MAT_INITIAL_MATRIX, M.out()));
    return M;
  }
}

struct Result {
  Failure    failure;
  Owned<Mat> product;
};

/// The product, computed twice: with new values in the first operand the second time, if it is sparse.
Result Multiply(MatProductType type, const std::vector<Owned<Mat>> &operands, bool again)
{
  Result                result;
  std::vector<PetscInt> owners;
  owners.reserve(operands.size());
  for (const Owned<Mat> &operand : operands) owners.push_back(References((Mat)operand));
  result.failure = FailureOf([&] {
    PetscFunctionBegin;
    PetscCall(MatProductCreate(operands[0], operands[1], operands.size() > 2 ? (Mat)operands[2] : nullptr, result.product.out()));
    PetscCall(MatProductSetType(result.product, type));
    PetscCall(MatProductSetFromOptions(result.product));
    PetscCall(MatProductSymbolic(result.product));
    PetscCall(MatProductNumeric(result.product));
    if (again) {
      PetscCall(MatScale(operands[0], 3));
      PetscCall(MatProductNumeric(result.product));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  if (result.failure.code != PETSC_SUCCESS) { // then PETSc loses the products within the product, which own operands
    Ok(MatDestroy(result.product.inout()));
    for (std::size_t i = 0; i < operands.size(); ++i) RestoreReferences((Mat)operands[i], owners[i]);
  }
  return result;
}

std::vector<Owned<Mat>> Operands(const std::string &kinds, const std::string &sparse, unsigned ours, const std::string &our_type)
{
  std::vector<Owned<Mat>> operands;
  for (unsigned i = 0; i < kinds.size(); ++i) operands.push_back(Operand(kinds[i], i, ours >> i & 1 ? our_type : sparse));
  return operands;
}

TEST_P(MatProducts, TheTableIsThatOfAij)
{
  const Table &table = at_hand();
  for (const std::string &kinds : table.operands) {
    const bool     again  = kinds[0] == 's';
    const auto     theirs = Multiply(table.type, Operands(kinds, MATAIJ, 0, root()), again);
    const unsigned all    = 1U << kinds.size();
    for (unsigned ours = 1; ours < all; ++ours) { // which of the operands are ours
      bool possible = true;
      for (unsigned i = 0; i < kinds.size(); ++i) possible = possible && (!(ours >> i & 1) || (kinds[i] != 'd' && kinds[i] != 'b'));
      if (!possible) continue;
      SCOPED_TRACE(std::string(table.name) + " of " + kinds + ", ours: " + std::to_string(ours));
      const auto operands = Operands(kinds, MATAIJ, ours, root());
      const auto result   = Multiply(table.type, operands, again);
      EXPECT_EQ(theirs.failure.code, result.failure.code) << "AIJ: " << theirs.failure.message << "\nours: " << result.failure.message;
      if (theirs.failure.code != PETSC_SUCCESS || result.failure.code != PETSC_SUCCESS) continue;
      ExpectSameProducts(result.product, theirs.product);
    }
  }
}

class MatProductResults : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, MatProductResults, EachType(), TypeName);

TEST_P(MatProductResults, OfOursWithOursAreOurs)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), B = MakeSample(kSquare.with_seed(2), root());
  Owned<Mat>       C;
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  EXPECT_EQ(world_type(), TypeOf(C));
  ExpectSameProducts(C, [&] {
    Owned<Mat> D;
    Ok(MatMatMult(MakeSample(kSquare, MATAIJ), MakeSample(kSquare.with_seed(2), MATAIJ), MAT_INITIAL_MATRIX, PETSC_DEFAULT, D.out()));
    return D;
  }());
}

TEST_P(MatProductResults, FollowNewValues)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), P = MakeSample({24, 9, false}, root()), a = MakeSample(kSquare, MATAIJ),
                   p = MakeSample({24, 9, false}, MATAIJ);
  Owned<Mat> C, c;
  Ok(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(MatPtAP(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, c.out()));
  ExpectSameProducts(C, c);
  for (Mat mat : {(Mat)A, (Mat)a}) Ok(MatScale(mat, 2));
  Ok(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()));
  Ok(MatPtAP(a, p, MAT_REUSE_MATRIX, PETSC_DEFAULT, c.inout()));
  EXPECT_EQ((Counts{0, BlocksOf(C)}), CountsDuring([&] { ExpectSameProducts(C, c); }));
}

} // namespace
