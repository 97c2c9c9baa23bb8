/// Programs create a matrix and tell it its type, options, prefix, sizes and preallocation in any order, or leave some
/// of that out. What works for AIJ in an order works for ours, with the same products; what is an error is the same
/// error in the same place.

#include <petscdmda.h>

#include <algorithm>
#include <map>
#include <optional>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

constexpr char kPrefix[] = "orders_";

/// The letters of `steps` in all orders, with `some_missing` all selections of them, too.
std::vector<std::string> OrdersOf(const std::string &steps, bool some_missing)
{
  std::vector<std::string> orders{""};
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (const char step : steps)
      if (orders[i].find(step) == std::string::npos) orders.push_back(orders[i] + step);
  if (!some_missing) std::erase_if(orders, [&](const std::string &order) { return order.size() < steps.size(); });
  return orders;
}

/// A way to a matrix of the type `root`, which is AIJ or a subtype.
struct Way {
  const char *name;
  const char *steps;  ///< letters of Take()
  bool        by_aij; ///< the program itself names AIJ
  const char *option; ///< that names the type; nothing: the program does
  PetscErrorCode (*create)(const std::string &root, Mat *A);
};

PetscErrorCode Create(const std::string &, Mat *A)
{
  return MatCreate(PETSC_COMM_WORLD, A);
}

PetscErrorCode CreateAij(const std::string &, Mat *A)
{
  return MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, kSquare.rows, kSquare.cols, kSquare.cols, NULL, kSquare.cols, NULL, A);
}

PetscErrorCode CreateOfType(const std::string &root, Mat *A)
{
  return MatCreateSpMV(PETSC_COMM_WORLD, root.c_str(), PETSC_DECIDE, PETSC_DECIDE, kSquare.rows, kSquare.cols, kSquare.cols, NULL,
                       kSquare.cols, NULL, A);
}

const Way kWays[] = {
  {"SetType", "topsnu", false, "", Create},
  {"Option", "opsnu", false, "mat_type", Create},
  {"SetTypeAndOption", "topsnu", true, "mat_type", Create},
  {"SetTypeAndSeqAIJOption", "topsnu", true, "mat_seqaij_type", Create},
  {"CreateOfType", "opnu", false, "", CreateOfType},
  {"CreateAIJAndOption", "opnu", true, "mat_type", CreateAij},
  {"CreateAIJAndSeqAIJOption", "opnu", true, "mat_seqaij_type", CreateAij},
};

PetscErrorCode Preallocate(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocation(A, kSquare.cols, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, kSquare.cols, NULL, kSquare.cols, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Fill(Mat A)
{
  const Coordinates c(kSquare, A);

  PetscFunctionBegin;
  for (std::size_t k = 0; k < c.rows.size(); ++k) PetscCall(MatSetValue(A, c.rows[k], c.cols[k], c.values[k], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Take(char step, Mat A, const std::string &type)
{
  switch (step) {
  case 't':
    return MatSetType(A, type.c_str());
  case 'o':
    return MatSetFromOptions(A);
  case 'p':
    return MatSetOptionsPrefix(A, kPrefix);
  case 's':
    return MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, kSquare.rows, kSquare.cols);
  case 'n':
    return Preallocate(A);
  case 'u':
    return MatSetUp(A);
  default:
    return Fill(A);
  }
}

/// What came of an order: the step that failed and how, if one did.
struct Outcome {
  char           step = 0;
  PetscErrorCode code = PETSC_SUCCESS;

  friend bool operator==(const Outcome &, const Outcome &) = default;
};

std::ostream &operator<<(std::ostream &out, const Outcome &outcome)
{
  if (outcome.code == PETSC_SUCCESS) return out << "success";
  return out << "error " << (int)outcome.code << " in step " << outcome.step;
}

/// The option that names the type, with and without the prefix.
class TypeOption {
public:
  TypeOption(const std::string &option, const std::string &root)
  {
    if (option.empty()) return;
    const bool        sequential = option == "mat_seqaij_type";
    const std::string value      = (sequential ? "seq" : "") + std::string(sequential && !root.starts_with("aij") ? "aij" : "") + root;
    plain_.emplace("-" + option, value);
    prefixed_.emplace("-" + std::string(kPrefix) + option, value);
  }

private:
  std::optional<OptionGuard> plain_, prefixed_;
};

/// Takes the steps one after the other until one fails.
template <class Take> Outcome TakeAll(const std::string &steps, Take &&take)
{
  for (const char step : steps) {
    const PetscErrorCode code = FailureOf([&] { return take(step); }).code;
    if (code != PETSC_SUCCESS) return {step, code};
  }
  return {};
}

/// MatSetUp comes at last in any case: PETSc 3.18 does not look whether that was done before it sets entries.
Outcome RunMat(const Way &way, const std::string &root, const std::string &order, Mat *A, void (*between)(Mat A) = nullptr)
{
  const TypeOption option(way.option, root);
  Ok(way.create(root, A));
  return TakeAll(order + "uf", [&](char step) {
    if (between) between(*A);
    return Take(step, *A, way.by_aij ? MATAIJ : root);
  });
}

/// What PETSc's own types come to.
Outcome OutcomeOf(const Way &way, const std::string &root, const std::string &order)
{
  static std::map<std::string, Outcome> known;
  Owned<Mat>                            A;
  const std::string                     name = std::string(way.name) + " " + root + " " + order;
  if (!known.contains(name)) known[name] = RunMat(way, root, order, A.out());
  return known[name];
}

class Orders : public TypeTest {
protected:
  Orders() : reference_(MakeSample(kSquare, MATAIJ)) { }

  /// On several ranks, where each step waits for others, no step is left out, and the types share the orders.
  void ExpectAsAij(const Way &way, void (*between)(Mat A) = nullptr) const
  {
    const auto        types  = TypeNames();
    const auto        orders = OrdersOf(way.steps, Ranks() == 1);
    const std::size_t share  = Ranks() > 1 ? types.size() : 1;
    const auto        own    = (std::size_t)(std::find(types.begin(), types.end(), root()) - types.begin());
    for (std::size_t i = own % share; i < orders.size(); i += share) ExpectAsAij(way, orders[i], between);
  }

private:
  /// As AIJ, or as PETSc's own subtypes where a type that follows upon another costs a matrix what it has been told
  /// before.
  void ExpectAsAij(const Way &way, const std::string &order, void (*between)(Mat A)) const
  {
    SCOPED_TRACE(std::string(way.name) + ", order " + order);
    Owned<Mat>    A;
    const Outcome aij  = OutcomeOf(way, MATAIJ, order);
    const Outcome ours = RunMat(way, root(), order, A.out(), between);
    EXPECT_EQ(ours == aij ? aij : OutcomeOf(way, MATAIJPERM, order), ours) << "AIJ itself: " << aij;
    if (ours == Outcome{}) ExpectSameProducts(A, reference_);
  }

  Owned<Mat> reference_;
};
INSTANTIATE_TEST_SUITE_P(Types, Orders, EachType(), TypeName);

TEST_P(Orders, AreTakenAsByAij)
{
  const HeadStarts as_in_programs;
  for (const Way &way : kWays) ExpectAsAij(way);
}

TEST_P(Orders, AreTakenAsByAijWithQuestionsInBetween)
{
  const auto ask = [](Mat A) {
    PetscInt       value;
    PetscLogDouble bytes;
    if (TypeOf(A).find(root()) == std::string::npos) return;
    Ok(MatSpMVGetOption(A, "threads", &value));
    Ok(MatSpMVSetOption(A, "threads", 1 - value));
    Ok(MatSpMVGetCounts(A, &value, NULL));
    Ok(MatSpMVGetFootprint(A, &bytes, NULL));
  };
  for (const Way &way : kWays) ExpectAsAij(way, ask);
}

// ------------------------------------------------------------------------------------------------ DM

PetscErrorCode FillDiagonal(DM dm, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(dm, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt row = first; row < last; ++row) PetscCall(MatSetValue(*A, row, row, (PetscScalar)(PetscReal)(row + 1), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeDM(char step, DM dm, const std::string &type, Mat *A)
{
  switch (step) {
  case 't':
    return DMSetMatType(dm, type.c_str());
  case 'o':
    return DMSetFromOptions(dm);
  case 'p':
    return DMSetOptionsPrefix(dm, kPrefix);
  case 'u':
    return DMSetUp(dm);
  default:
    return FillDiagonal(dm, A);
  }
}

Outcome RunDM(const Way &way, const std::string &root, const std::string &order, Mat *A)
{
  const TypeOption option(way.option, root);
  DM               dm;
  Ok(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 5, 4, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL,
                  NULL, &dm));
  const Outcome outcome = TakeAll(order + "uf", [&](char step) { return TakeDM(step, dm, way.by_aij ? MATAIJ : root, A); });
  Ok(DMDestroy(&dm));
  return outcome;
}

TEST_P(Orders, OfADMAreTakenAsByAij)
{
  const HeadStarts as_in_programs;
  for (const Way &way :
       {Way{"", "topu", false, "", NULL}, Way{"", "topu", true, "dm_mat_type", NULL}, Way{"", "topu", true, "mat_seqaij_type", NULL}})
    for (const std::string &order : OrdersOf(way.steps, true)) {
      SCOPED_TRACE(std::string(way.option) + ", order " + order);
      Owned<Mat>    A, reference;
      const Outcome aij = RunDM(way, MATAIJ, order, reference.out()), ours = RunDM(way, root(), order, A.out());
      EXPECT_EQ(aij, ours);
      if (ours == Outcome{} && aij == Outcome{}) ExpectSameProducts(A, reference);
    }
}

} // namespace
