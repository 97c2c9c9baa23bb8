#include "kernels/host/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "core/runtime.hpp"
#include "kernels/host/parallel.hpp"

namespace {

std::atomic<bool> has_memory{true};

} // namespace

/// What arenas ask for memory, in the place of the system's: it may have none.
extern "C" void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
  void *p = nullptr;
  return has_memory && posix_memalign(&p, alignment, size) == 0 ? p : nullptr;
}

namespace petscspmv::test {
namespace {

using kernels::Scratch;
using kernels::ScratchClaim;

/// While it is there, there is no memory for another block.
struct NoMemory {
  NoMemory() { has_memory = false; }
  ~NoMemory() { has_memory = true; }
};

class ScratchTest : public ::testing::Test {
protected:
  static std::size_t kept() { return runtime::scratch_bytes(); }

  const std::size_t at_first_ = kept();
};

TEST_F(ScratchTest, LendsTheSameBlockAgainToAnyClaim)
{
  ScratchClaim first, second;
  first.raise(3000);
  second.raise(2000);
  const std::byte *const block = first.borrow(3000).data();
  EXPECT_EQ(block, second.borrow(2000).data());
  EXPECT_EQ(block, first.borrow(1).data());
  EXPECT_EQ(nullptr, first.borrow(0).data());
}

// The larger of two claims is what each block of the process may have, however many claims there are.
TEST_F(ScratchTest, KeepsAsMuchAsTheLargestClaim)
{
  std::vector<ScratchClaim> many(1000);
  for (ScratchClaim &claim : many) claim.raise(3000);
  const std::size_t small = kept() - at_first_;
  EXPECT_GE(small, 3000U);
  EXPECT_LE(small, 8192U);
  {
    ScratchClaim large;
    large.raise(100'000);
    large.raise(1000); // not less
    EXPECT_EQ(large.bytes(), 100'000U);
    EXPECT_GE(kept() - at_first_, 100'000U);
    EXPECT_LE(kept() - at_first_, small + 125'000U);
    std::memset(many[0].borrow(3000).data(), 1, 3000);
    std::memset(large.borrow(100'000).data(), 1, 100'000);
  }
  EXPECT_EQ(kept() - at_first_, small);
  many.clear();
  EXPECT_EQ(kept(), at_first_);
}

TEST_F(ScratchTest, ABlockInUseShrinksWhenItIsGivenBack)
{
  ScratchClaim small;
  small.raise(100);
  {
    auto          large = std::make_unique<ScratchClaim>();
    const Scratch lent  = (large->raise(1 << 20), large->borrow(1 << 20));
    large.reset();
    std::memset(lent.data(), 1, 1 << 20); // still there
  }
  EXPECT_LE(kept() - at_first_, 4096U);
}

// Also where they are more than are kept.
TEST_F(ScratchTest, LendsEachBlockOnce)
{
  constexpr std::size_t many = ScratchClaim::most_blocks + 20;
  ScratchClaim          claim;
  claim.raise(5000);
  for (int round = 0; round < 2; ++round) {
    std::vector<Scratch>        lent;
    std::set<const std::byte *> different;
    for (std::size_t k = 0; k < many; ++k) different.insert(lent.emplace_back(claim.borrow(5000)).data());
    EXPECT_EQ(many, different.size());
  }
  EXPECT_LE(kept() - at_first_, ScratchClaim::most_blocks * 6250);
}

TEST_F(ScratchTest, AClaimThatCannotBeIsNotCounted)
{
  ScratchClaim claim;
  claim.raise(100);
  const std::size_t before = kept();
  {
    const NoMemory none;
    EXPECT_THROW(claim.raise(1 << 20), std::bad_alloc);
  }
  EXPECT_EQ(claim.bytes(), 100U);
  EXPECT_EQ(kept(), before);
  EXPECT_NE(nullptr, claim.borrow(100).data());
}

TEST_F(ScratchTest, WaitsForABlockWhereThereIsNoMemoryForAnother)
{
  ScratchClaim claim;
  claim.raise(9000);
  std::atomic<bool> is_back{false};
  std::thread       other;
  {
    const Scratch  only = claim.borrow(9000);
    const NoMemory none;
    other = std::thread([&] {
      EXPECT_NE(nullptr, claim.borrow(9000).data());
      EXPECT_TRUE(is_back);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_back = true;
  }
  other.join();
}

// Formats come and go while threads multiply: each finds as much as was claimed, and nobody else there.
TEST_F(ScratchTest, ServesThreadsWhileClaimsComeAndGo)
{
  constexpr int            threads = 4;
  std::vector<std::thread> all;
  all.reserve(threads);
  for (int t = 0; t < threads; ++t)
    all.emplace_back([t] {
      for (std::size_t k = 0; k < 300; ++k) {
        ScratchClaim      claim;
        const std::size_t bytes = 100 + 997 * (k % 37) * static_cast<std::size_t>(t + 1);
        claim.raise(bytes);
        const Scratch lent = claim.borrow(bytes);
        std::memset(lent.data(), t, bytes);
        std::this_thread::yield();
        EXPECT_TRUE(std::all_of(lent.data(), lent.data() + bytes, [t](std::byte b) { return b == static_cast<std::byte>(t); }));
      }
    });
  for (std::thread &t : all) t.join();
  EXPECT_EQ(kept(), at_first_);
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
