#include <gtest/gtest.h>

#include "core/runtime.hpp"

// Eight threads whatever the machine has: what is tested is that their number changes nothing.
int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  petscspmv::runtime::start(8);
  return RUN_ALL_TESTS();
}
