// What is known of aijlight alone, on the host: tickets, and rows that are cut in pieces.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "kernels/host/parallel.hpp"
#include "impls/csr/csr_order.hpp"
#include "settings.hpp"
#include "support/formats.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {
namespace {

using Real    = AijLight<double, std::int32_t>;
using P       = Patterns<double, std::int32_t>;
using Named   = NamedMatrix<double, std::int32_t>;
using Problem = test::Problem<double, std::int32_t>;

constexpr int thread_counts[] = {1, 2, 5, 8}; // 8 is what the runtime was started with, see main.cpp

TEST(Tickets, AreEachTakenOnce)
{
  for (int threads : {1, 2, 5, 8, 13}) // the last are more than it was started with
    for (int tickets : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> taken(tickets);
      kernels::for_each_ticket(threads, tickets, [&](std::int64_t ticket) { ++taken[ticket]; });
      for (const auto &times : taken) EXPECT_EQ(1, times) << threads << " threads, " << tickets << " tickets";
    }
}

// Were tickets dealt in equal shares beforehand, those in the share of ticket 0 would wait for it, and it for them.
TEST(Tickets, OneThatTakesLongHoldsUpNoOther)
{
  for (int threads : thread_counts) {
    if (threads == 1) continue;
    constexpr int    tickets = 1000;
    std::atomic<int> others{0};
    bool             in_time = false;
    kernels::for_each_ticket(threads, tickets, [&](std::int64_t ticket) {
      if (ticket > 0) {
        ++others;
        return;
      }
      const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (others < tickets - 1 && std::chrono::steady_clock::now() < late) { }
      in_time = others == tickets - 1;
    });
    EXPECT_TRUE(in_time) << threads << " threads";
  }
}

/// Long rows between short ones, first, last and side by side.
std::vector<Named> uneven_matrices()
{
  return {{"long rows at the ends", [] { return P::random(700, 900, 61, [](std::int32_t r, auto &) { return r % 699 ? r % 6 : 800; }); }},
          {"three long rows together",
           [] { return P::random(700, 900, 62, [](std::int32_t r, auto &) { return r / 3 == 100 ? 500 + r % 3 : r % 9; }); }},
          {"power law",
           [] {
             return P::random(900, 900, 63, [](std::int32_t, Random<double> &random) {
               return static_cast<std::int32_t>(2.0 / (0.004 + std::abs(random.number())));
             });
           }},
          {"nodes with long rows", [] {
             auto a = P::blocks(90, 3, 60, 64, [](std::int32_t k) { return k % 40 ? 0 : 3; });
             for (std::int32_t r = 0; r < 50; ++r) a.add_row({r, r + 1});
             a.find_nodes(5);
             return a;
           }}};
}

// Which thread gets a ticket is different each time; what comes out is not.
TEST(AijLight, EveryOrderTicketThresholdAndNumberOfThreads)
{
  for (const Named &named : uneven_matrices()) {
    const Problem problem(named, Mode::rounded);
    const auto   &plain = problem.cases[0];
    for (const auto order : every(csr::order_option))
      for (std::int64_t ticket : {1, 7, 256, 257, 5000})
        for (std::int64_t threshold : {1, 8, 100, 0}) {
          const OptionValues options = options_of<Real>({{csr::order_option, order}, {"ticket", ticket}, {"threshold", threshold}});
          SCOPED_TRACE(named.name + ", " + describe(options));
          std::vector<double> expected;
          for (int threads : thread_counts) {
            Real       format(problem.a.view(), options, {MemorySpace::host, threads});
            const auto y = Problem::multiply(format, plain, 0.5, -1.0);
            if (threads == 1) {
              expected = y;
              ASSERT_EQ(problem.wrong(format, plain, 0.5, -1.0), "");
              ASSERT_EQ(problem.wrong(format, plain, 1.0, 0.0), "");
            }
            ASSERT_TRUE(same_bits(expected, y)) << threads << " threads";
          }
        }
  }
}

TEST(AijLight, CutsRowsThatAreLongerThanTheThreshold)
{
  const auto    length = [](std::int32_t r, auto &) { return r == 7 ? 800 : r == 9 ? 100 : 3; };
  const Problem problem(P::random(400, 900, 65, length), Mode::rounded);
  const auto    pieces = [&](std::int64_t threshold) {
    const Real format(problem.a.view(), options_of<Real>({{"threshold", threshold}}), {MemorySpace::host, 1});
    return fact(format, "long rows") + " in " + fact(format, "pieces of long rows");
  };
  EXPECT_EQ(pieces(0), "0 in 0");
  EXPECT_EQ(pieces(800), "0 in 0");
  EXPECT_EQ(pieces(799), "1 in 2");
  EXPECT_EQ(pieces(100), "1 in 8");
  EXPECT_EQ(pieces(99), "2 in 11");
}

TEST(AijLight, DealsTheRowsOfATicketAtATime)
{
  const Problem problem(P::random(400, 900, 66, [](std::int32_t, auto &) { return 3; }), Mode::rounded);
  for (const auto &[ticket, tickets] : {std::pair{1, "400"}, {7, "58"}, {399, "2"}, {400, "1"}, {100000, "1"}}) {
    const Real format(problem.a.view(), options_of<Real>({{"ticket", ticket}}), {MemorySpace::host, 5});
    EXPECT_EQ(fact(format, "tickets"), tickets);
    EXPECT_EQ(fact(format, "threads"), ticket < 399 ? "5" : tickets) << "no more threads than tickets";
  }
}

} // namespace
} // namespace petscspmv::test
