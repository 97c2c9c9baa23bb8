// Exchanges without MPI, between windows in the host's memory: what goes to whom, and who waits for whom. Those of
// devices are in device/device_exchange_test.cpp.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <petsc/private/sfimpl.h> // its functions

#include "core/errors.hpp"
#include "glue/exchange.hpp"
#include "glue/support/petsc.hpp"

namespace petscspmv::test {
namespace {

using Word = std::uint64_t;

/// A window that processes of this host share. For each sender the number of the last exchange, for each receiver that
/// of the last one that it has taken, and both halves of the values.
class HostExchange final : public PeerExchange {
public:
  HostExchange(const ExchangedEntries &sent, const ExchangedEntries &received) : sent_(sent), received_(received)
  {
    static int made = 0;
    name_           = "/petscspmv-test-" + std::to_string(getpid()) + "-" + std::to_string(made++);
    words_          = static_cast<std::size_t>(sent.ranks() + received.ranks() + 2 * received.first.back() * values);
    const int file  = shm_open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes() + sizeof(Word))) != 0) throw FormatError("no shared memory");
    close_file(file);
    own_ = map(name_, words_);
  }
  ~HostExchange() override { shm_unlink(name_.c_str()); }

  WindowName window() const override
  {
    WindowName name{};
    std::memcpy(name.data(), name_.c_str(), name_.size());
    return name;
  }
  std::size_t bytes() const override { return words_ * sizeof(Word); }

  void open(const std::vector<ExchangePeer> &receivers, const std::vector<ExchangePeer> &senders) override
  {
    for (const ExchangePeer &peer : receivers) {
      Word *const window = open(peer);
      to_.push_back({window + peer.place, window + peer.senders + peer.receivers + peer.first * values, peer.received * values});
    }
    for (const ExchangePeer &peer : senders) taken_.push_back(open(peer) + peer.senders + peer.place);
  }

  void send(const void *x) override
  {
    const Word number = over_ + 1;
    for (std::size_t r = 0; r < to_.size(); ++r) {
      if (number > 2) await(own_[received_.ranks() + static_cast<std::int64_t>(r)], number - 2);
      Word *to = to_[r].values + static_cast<std::int64_t>(number % 2) * to_[r].half;
      for (auto e = sent_.first[r]; e < sent_.first[r + 1]; ++e, to += values)
        std::memcpy(to, static_cast<const PetscScalar *>(x) + sent_.entry[static_cast<std::size_t>(e)], sizeof(PetscScalar));
      std::atomic_ref(*to_[r].ready).store(number);
    }
  }

  void receive(void *y) override
  {
    const Word  number = ++over_;
    const Word *from   = own_ + sent_.ranks() + received_.ranks() + static_cast<std::int64_t>(number % 2) * received_.first.back() * values;
    for (std::size_t r = 0; r < taken_.size(); ++r) {
      await(own_[r], number);
      for (auto e = received_.first[r]; e < received_.first[r + 1]; ++e)
        std::memcpy(static_cast<PetscScalar *>(y) + received_.entry[static_cast<std::size_t>(e)], from + e * values, sizeof(PetscScalar));
      std::atomic_ref(*taken_[r]).store(number);
    }
  }

  void close() override { }

private:
  static constexpr std::int64_t values = sizeof(PetscScalar) / sizeof(Word); ///< words of one

  struct To {
    Word        *ready, *values;
    std::int64_t half;
  };

  static void close_file(int file) { ::close(file); }

  static Word *map(const std::string &name, std::size_t words)
  {
    const int   file = shm_open(name.c_str(), O_RDWR, 0600);
    void *const p    = mmap(nullptr, (words + 1) * sizeof(Word), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close_file(file);
    return static_cast<Word *>(p); // until the process ends
  }

  static Word *open(const ExchangePeer &peer)
  {
    return map(reinterpret_cast<const char *>(peer.window.data()),
               static_cast<std::size_t>(peer.senders + peer.receivers + 2 * peer.received * values));
  }

  static void await(Word &number, Word least)
  {
    while (std::atomic_ref(number).load() < least) std::this_thread::yield();
  }

  ExchangedEntries    sent_, received_;
  std::string         name_;
  std::size_t         words_;
  Word               *own_;
  std::vector<To>     to_;
  std::vector<Word *> taken_;
  Word                over_ = 0;
};

class ExchangeTest : public testing::Test {
protected:
  void SetUp() override
  {
    shadow::exchange_maker = {[] { return true; }, [] { return DeviceName{std::byte(shares ? 0 : Rank())}; },
                              [](int, const ExchangedEntries &sent, const ExchangedEntries &received) -> std::unique_ptr<PeerExchange> {
                                if (fails == Rank()) throw FormatError("no memory");
                                return std::make_unique<HostExchange>(sent, received);
                              }};
    shares                 = false;
    fails                  = -1;
  }
  void TearDown() override { shadow::exchange_maker = {}; }

  static inline bool shares; ///< all ranks have one device
  static inline int  fails;  ///< the rank that has no room
  static inline int  asked;  ///< PETSc's functions

  static constexpr auto     where_apart = shadow::ExchangeWanted::where_apart, always = shadow::ExchangeWanted::always;
  static constexpr PetscInt rows = 7; ///< of a rank

  /// Leaves that each read a row of another rank, from which ones says `reads`(rank, other).
  template <class Reads> static Owned<PetscSF> exchange(const Reads &reads)
  {
    std::vector<PetscSFNode> remote;
    for (int other = 0; other < Ranks(); ++other)
      for (PetscInt row = 0; row < rows; row += other + 1)
        if (other != Rank() && reads(Rank(), other)) remote.push_back({other, rows - 1 - row});
    Owned<PetscSF> sf;
    Ok(PetscSFCreate(PETSC_COMM_WORLD, sf.out()));
    Ok(PetscSFSetGraph(sf, rows, (PetscInt)remote.size(), NULL, PETSC_COPY_VALUES, remote.data(), PETSC_COPY_VALUES));
    Ok(PetscSFSetUp(sf));
    return sf;
  }

  /// The leaves' values after it, as if all vectors were there.
  static std::vector<PetscScalar> exchanged(PetscSF sf, int number, PetscMemType there)
  {
    PetscInt leaves;
    Ok(PetscSFGetGraph(sf, NULL, &leaves, NULL, NULL));
    std::vector<PetscScalar> x(rows), y((std::size_t)leaves, -1);
    for (PetscInt k = 0; k < rows; ++k) x[(std::size_t)k] = 100. * Rank() + 10. * (double)k + number;
    Ok(PetscSFBcastWithMemTypeBegin(sf, MPIU_SCALAR, there, x.data(), there, y.data(), MPI_REPLACE));
    Ok(PetscSFBcastEnd(sf, MPIU_SCALAR, x.data(), y.data(), MPI_REPLACE));
    return y;
  }

  static std::string described(PetscSF sf)
  {
    std::string text;
    Ok(shadow::DescribeExchange(sf, &text));
    return text;
  }

  /// Expects values as by MPI, several times.
  static void expect_direct(PetscSF sf, shadow::ExchangeWanted wanted)
  {
    std::vector<std::vector<PetscScalar>> expected;
    expected.reserve(5);
    for (int k = 0; k < 5; ++k) expected.push_back(exchanged(sf, k, PETSC_MEMTYPE_HOST));
    Ok(shadow::SetExchange(sf, wanted));
    for (int k = 0; k < 5; ++k) EXPECT_EQ(exchanged(sf, k, PETSC_MEMTYPE_DEVICE), expected[(std::size_t)k]) << k;
    EXPECT_NE(described(sf).find("from device to device"), std::string::npos);
    EXPECT_EQ(exchanged(sf, 0, PETSC_MEMTYPE_HOST), expected[0]) << "vectors on the host are PETSc's";
    Ok(shadow::SetExchange(sf, shadow::ExchangeWanted::mpi));
    EXPECT_EQ(exchanged(sf, 1, PETSC_MEMTYPE_HOST), expected[1]) << "after it is gone";
    EXPECT_EQ(described(sf), "");
  }

  /// Expects that PETSc is asked, whose function for devices a PETSc without one does not have, and why.
  static void expect_mpi(PetscSF sf, const std::string &why)
  {
    sf->ops->BcastBegin = [](PetscSF, MPI_Datatype, PetscMemType, const void *, PetscMemType, void *, MPI_Op) -> PetscErrorCode {
      ++asked;
      return PETSC_SUCCESS;
    };
    sf->ops->BcastEnd = [](PetscSF, MPI_Datatype, const void *, void *, MPI_Op) -> PetscErrorCode {
      ++asked;
      return PETSC_SUCCESS;
    };
    Ok(shadow::SetExchange(sf, where_apart));
    asked = 0;
    exchanged(sf, 0, PETSC_MEMTYPE_DEVICE);
    exchanged(sf, 1, PETSC_MEMTYPE_DEVICE);
    EXPECT_EQ(asked, 4);
    EXPECT_EQ(described(sf), "by MPI: " + why);
  }
};

TEST_F(ExchangeTest, BringsWhatMpiBrings)
{
  expect_direct(exchange([](int, int) { return true; }), where_apart);
}

TEST_F(ExchangeTest, RanksNeedNotSendToThoseTheyReceiveFrom)
{
  expect_direct(exchange([](int rank, int other) { return rank == other + 1; }), where_apart);
}

TEST_F(ExchangeTest, RanksNeedNotTakePart)
{
  expect_direct(exchange([](int rank, int other) { return rank > 0 && other > 0; }), where_apart);
  expect_direct(exchange([](int, int) { return false; }), where_apart);
}

TEST_F(ExchangeTest, RanksWithOneDeviceTakePartIfTheyAreAskedTo)
{
  shares         = true;
  const auto all = [](int, int) { return true; };
  expect_direct(exchange(all), always);
  if (Ranks() > 1) expect_mpi(exchange(all), "ranks share a device");
}

TEST_F(ExchangeTest, IsLeftToMpiIfOneRankCannot)
{
  fails = Ranks() - 1;
  expect_mpi(exchange([](int, int) { return true; }), "a rank has no window for others in its device's memory");
}

TEST_F(ExchangeTest, SeveralAtATimeKeepApart)
{
  const auto           all = [](int, int) { return true; };
  const Owned<PetscSF> a = exchange(all), b = exchange(all);
  const auto           expected = exchanged(a, 3, PETSC_MEMTYPE_HOST);
  Ok(shadow::SetExchange(a, where_apart));
  Ok(shadow::SetExchange(b, where_apart));
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(exchanged(a, 3, PETSC_MEMTYPE_DEVICE), expected);
    EXPECT_EQ(exchanged(b, 3, PETSC_MEMTYPE_DEVICE), expected);
  }
}

} // namespace
} // namespace petscspmv::test
