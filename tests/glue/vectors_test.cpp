/// Products with vectors of whatever types a program has, and of different ones in one product.

#include <algorithm>
#include <memory>
#include <vector>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

/// A vector, and what it is made of.
struct Made {
  Owned<Vec>               parts[2], vec;
  std::vector<PetscScalar> entries;
};

struct Maker {
  const char *name;
  void (*make)(Vec like, Made &made);
};

PetscInt LocalSize(Vec v)
{
  PetscInt n;
  Ok(VecGetLocalSize(v, &n));
  return n;
}

MPI_Comm CommOf(Vec v)
{
  return PetscObjectComm((PetscObject)v);
}

const std::vector<Maker> kMakers{
  {"standard", [](Vec like, Made &made) { Ok(VecDuplicate(like, made.vec.out())); }},
  {"with an array of the program's",
   [](Vec like, Made &made) {
     const PetscInt n = LocalSize(like);
     made.entries.resize((std::size_t)n);
     if (Ranks() > 1) Ok(VecCreateMPIWithArray(CommOf(like), 1, n, PETSC_DECIDE, made.entries.data(), made.vec.out()));
     else Ok(VecCreateSeqWithArray(CommOf(like), 1, n, made.entries.data(), made.vec.out()));
   }},
  {"nest",
   [](Vec like, Made &made) {
     const PetscInt n = LocalSize(like), first = n / 3, sizes[] = {first, n - first};
     for (int i = 0; i < 2; ++i) {
       Ok(VecCreate(CommOf(like), made.parts[i].out()));
       Ok(VecSetSizes(made.parts[i], sizes[i], PETSC_DECIDE));
       Ok(VecSetType(made.parts[i], VECSTANDARD));
     }
     Vec parts[] = {made.parts[0], made.parts[1]};
     Ok(VecCreateNest(CommOf(like), 2, NULL, parts, made.vec.out()));
   }},
};

/// A vector of that maker's with the layout of `like`, and small integers in it.
std::unique_ptr<Made> Make(const Maker &maker, Vec like, unsigned seed)
{
  auto       made = std::make_unique<Made>();
  Owned<Vec> integers;
  Ok(VecDuplicate(like, integers.out()));
  SetSmallIntegers(integers, seed);
  maker.make(like, *made);
  const PetscScalar *from;
  PetscScalar       *to;
  Ok(VecGetArrayRead(integers, &from));
  Ok(VecGetArrayWrite(made->vec, &to));
  std::copy(from, from + LocalSize(like), to);
  Ok(VecRestoreArrayWrite(made->vec, &to));
  Ok(VecRestoreArrayRead(integers, &from));
  return made;
}

using Add = PetscErrorCode (*)(Mat, Vec, Vec, Vec);

struct Sum {
  const char *name;
  bool        transposed;
  Add         apply;
};
const std::vector<Sum> kSums{
  {"MatMultAdd", false, MatMultAdd},
  {"MatMultTransposeAdd", true, MatMultTransposeAdd},
  {"MatMultHermitianTransposeAdd", true, MatMultHermitianTransposeAdd},
};

/// z = y + op(A) x with vectors of these makers, by A and by the reference: where AIJ can, so do we, with its numbers.
void ExpectSameSum(Mat A, Mat reference, const Sum &sum, const Maker &of_x, const Maker &of_y, const Maker &of_z)
{
  SCOPED_TRACE(std::string(sum.name) + ", x " + of_x.name + ", y " + of_y.name + ", z " + of_z.name);
  const ProductKind kind{"", sum.transposed, true, nullptr};
  const Owned<Vec>  in = InputOf(A, kind), out = OutputOf(A, kind);
  const auto        x = Make(of_x, in, 1), y = Make(of_y, out, 2), z = Make(of_z, out, 3), expected = Make(of_z, out, 4);
  const auto        of_aij = [&] { return sum.apply(reference, x->vec, y->vec, expected->vec); };
  if (!sum.transposed) Ok(of_aij());
  else if (FailureOf(of_aij).code != PETSC_SUCCESS) return; // some of PETSc's copy with functions for one type of vectors
  Ok(sum.apply(A, x->vec, y->vec, z->vec));
  ExpectSameVectors(z->vec, expected->vec, "another vector");
  ExpectSameVectors(y->vec, Make(of_y, out, 2)->vec, "the addend");
  Ok(sum.apply(A, x->vec, y->vec, y->vec));
  ExpectSameVectors(y->vec, expected->vec, "the same vector");
}

void ExpectSameSums(Mat A, Mat reference)
{
  for (const Sum &sum : kSums)
    for (const Maker &x : kMakers)
      for (const Maker &y : kMakers)
        for (const Maker &z : kMakers) ExpectSameSum(A, reference, sum, x, y, z);
}

class Vectors : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, Vectors, EachType(), TypeName);

TEST_P(Vectors, OfDifferentTypesInOneSum)
{
  const OptionGuard on_host("-mat_spmv_vec_type", "standard");
  ExpectSameSums(MakeSample(kTall, root()), MakeSample(kTall, MATAIJ));
}

TEST_P(Vectors, OfDifferentTypesWhereProductsAreLeftToAij)
{
  const HeadStarts as_in_programs;
  ExpectSameSums(MakeSample(kTall, root()), MakeSample(kTall, MATAIJ));
}

TEST_P(Vectors, OfDifferentTypesInOneProduct)
{
  const OptionGuard on_host("-mat_spmv_vec_type", "standard");
  const Owned<Mat>  A = MakeSample(kTall, root()), reference = MakeSample(kTall, MATAIJ);
  for (const ProductKind &kind : ProductKinds())
    for (const Maker &of_x : kMakers)
      for (const Maker &of_y : kMakers) {
        if (kind.add) continue;
        const Owned<Vec> in = InputOf(A, kind), out = OutputOf(A, kind);
        const auto       x = Make(of_x, in, 1), y = Make(of_y, out, 2), expected = Make(of_y, out, 3);
        if (FailureOf([&] { return kind.apply(reference, x->vec, expected->vec); }).code != PETSC_SUCCESS) continue;
        Ok(kind.apply(A, x->vec, y->vec));
        ExpectSameVectors(y->vec, expected->vec, std::string(kind.name) + ", x " + of_x.name + ", y " + of_y.name);
      }
}

} // namespace
