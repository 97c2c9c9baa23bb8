#include "kernels/host/scratch_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <set>
#include <thread>
#include <vector>

#include "core/runtime.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::test {
namespace {

using Pool = kernels::ScratchPool<std::vector<int>>;

std::vector<int> make()
{
  return std::vector<int>(3);
}
std::vector<int> fail()
{
  throw std::bad_alloc();
}

TEST(ScratchPool, LendsTheSameSetAgain)
{
  Pool pool;
  EXPECT_EQ(0, pool.count());
  const int *const first = pool.borrow(make)->data();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(first, pool.borrow(make)->data());
  EXPECT_EQ(1, pool.count());
}

TEST(ScratchPool, LendsEachSetOnce)
{
  constexpr std::size_t many = 100; // more than are kept
  Pool                  pool;
  for (int round = 0; round < 2; ++round) {
    std::list<Pool::Loan> loans;
    std::set<int *>       sets;
    for (std::size_t k = 0; k < many; ++k) sets.insert(loans.emplace_back(pool.borrow(make))->data());
    EXPECT_EQ(many, sets.size());
  }
  EXPECT_LT(0, pool.count());
  EXPECT_GT(static_cast<int>(many), pool.count());
}

TEST(ScratchPool, WaitsForASetWhereThereIsNoMemoryForAnother)
{
  Pool pool;
  EXPECT_THROW(pool.borrow(fail), std::bad_alloc);
  pool.renew(make);
  EXPECT_EQ(3U, pool.borrow(fail)->size());
  std::atomic<bool> is_back{false};
  std::thread       other;
  {
    const Pool::Loan only = pool.borrow(make);
    other                 = std::thread([&] {
      EXPECT_EQ(3U, pool.borrow(fail)->size());
      EXPECT_TRUE(is_back);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_back = true;
  }
  other.join();
}

TEST(ScratchPool, ForgetsSetsOfAnotherKind)
{
  Pool pool;
  pool.renew(make);
  {
    const Pool::Loan one = pool.borrow(make), two = pool.borrow(make);
  }
  pool.renew([] { return std::vector<int>(5); });
  EXPECT_EQ(1, pool.count());
  EXPECT_EQ(5U, pool.borrow(make)->size());
  pool.forget();
  EXPECT_EQ(0, pool.count());
}

// The threads of the runtime work for one thread of the program at a time; another one does not wait for them.
TEST(Parallel, SeveralThreadsDealWorkAtATime)
{
  std::atomic<bool> inside{false}, done{false};
  std::thread       other([&] {
    while (!inside) std::this_thread::yield();
    std::atomic<int> parts{0};
    kernels::for_each_part(8, [&](int) { ++parts; });
    kernels::for_each_ticket(runtime::max_threads(), 8, [&](std::int64_t) { ++parts; });
    EXPECT_EQ(16, parts);
    done = true;
  });
  kernels::for_each_part(8, [&](int) {
    inside = true;
    while (!done) std::this_thread::yield(); // as long as the other one has work
  });
  other.join();
}

TEST(Parallel, PartsMayHaveParts)
{
  std::atomic<int> parts{0};
  kernels::for_each_part(4, [&](int) { kernels::for_each_part(4, [&](int) { ++parts; }); });
  EXPECT_EQ(16, parts);
}

} // namespace
} // namespace petscspmv::test
