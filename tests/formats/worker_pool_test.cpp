#include "kernels/host/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "kernels/host/parallel.hpp"

namespace petscspmv::test {
namespace {

constexpr int many = 13; // threads, more than the runtime was started with, see main.cpp

template <class Work> void run(int others, const Work &work)
{
  kernels::WorkerPool::instance().run(
    others, [](const void *context) { (*static_cast<const Work *>(context))(); }, &work);
}

TEST(WorkerPool, CallsHereAndElsewhereAndReturnsWhenAllHave)
{
  std::atomic<int> begun{0}, over{0};
  run(3, [&] {
    ++begun;
    while (begun < 4) std::this_thread::yield(); // all at the same time
    ++over;
  });
  EXPECT_EQ(4, over);
}

TEST(WorkerPool, ThreadsComeAgain)
{
  std::mutex                mutex;
  std::set<std::thread::id> threads;
  for (int k = 0; k < 200; ++k)
    kernels::for_each_ticket(many, 100, [&](std::int64_t) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  EXPECT_LE(threads.size(), 50U); // those of the tests above and below among them, but not 200 times twelve
}

TEST(WorkerPool, WorksForSeveralThreadsAtATime)
{
  constexpr int            tickets = 500;
  std::atomic<int>         done{0};
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int k = 0; k < 20; ++k) kernels::for_each_ticket(many, tickets, [&](std::int64_t) { ++done; });
    });
  for (std::thread &t : callers) t.join();
  EXPECT_EQ(4 * 20 * tickets, done);
}

TEST(WorkerPool, WorkMayAskForMore)
{
  std::atomic<int> done{0};
  kernels::for_each_ticket(many, 20, [&](std::int64_t) { kernels::for_each_ticket(many, 20, [&](std::int64_t) { ++done; }); });
  EXPECT_EQ(400, done);
}

// Its threads are not there after a fork: whoever waited for them would wait forever.
TEST(WorkerPool, IsAloneInAForkedProcess)
{
  run(3, [] {}); // there are threads now
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::atomic<int> calls{0};
    run(3, [&] { ++calls; });
    _exit(calls == 1 ? 0 : 1); // threads of OpenMP are not there either: forked_end.cpp sees what ends with a process
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace petscspmv::test
