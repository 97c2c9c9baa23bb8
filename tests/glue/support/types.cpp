#include "glue/support/types.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/runtime.hpp"
#include "glue/door/registry.hpp"
#include "interface/type_list.hpp"
#include "select/automatic.hpp"

namespace petscspmv::test {

std::vector<std::string> TypeNames()
{
  std::vector<std::string> names;
  names.reserve(std::size(all_types<PetscScalar, PetscInt>) + 2);
  for (const auto &type : all_types<PetscScalar, PetscInt>) names.emplace_back(type.name);
  names.emplace_back(select::automatic::name);
  names.emplace_back(TestMirror::name);
  return names;
}

bool RunsOnDevice(const std::string &root)
{
  const auto &all  = all_types<PetscScalar, PetscInt>; // the mirror does not
  const auto  kind = root == select::automatic::name ? "ccoo" : root;
  return std::any_of(all.begin(), all.end(), [&kind](const auto &type) { return kind == type.name && type.on_device; });
}

bool LivesOnDevice(const std::string &root)
{
  return RunsOnDevice(root) && runtime::has_device();
}

std::string ParentOf(const std::string &root)
{
  if (const char *parent = std::getenv("PARENT")) return parent;
  return LivesOnDevice(root) ? MATAIJCUSPARSE : MATAIJ;
}

PetscErrorCode RegisterTypes()
{
  PetscFunctionBegin;
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(shadow::RegisterFormat([] { return MirrorType<TestMirror>(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void JournalTest::SetUp()
{
  mirrors_before_          = Journal().alive;
  Journal().entries        = {};
  Journal().broken_rules   = 0;
  Journal().build_fault    = Fault::none;
  Journal().refresh_fault  = Fault::none;
  Journal().multiply_fault = Fault::none;
}

void JournalTest::TearDown()
{
  EXPECT_EQ(0, Journal().broken_rules) << "a format was refreshed although the pattern was another one";
  EXPECT_EQ(mirrors_before_, Journal().alive) << "formats were left behind";
}

} // namespace petscspmv::test
