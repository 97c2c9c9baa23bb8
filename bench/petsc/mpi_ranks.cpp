#include "petsc/mpi_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

namespace petscspmv::bench {

namespace {

/// Ranks that wait look less and less often: those that measure shall not notice, and may use their core.
constexpr auto kFirstNap = std::chrono::microseconds(20), kLongestNap = std::chrono::microseconds(1000);

/// The first of the n things that belong to a rank; PETSc's rule.
std::int64_t first_of(std::int64_t n, int rank, int size)
{
  return rank * (n / size) + std::min<std::int64_t>(rank, n % size);
}

/// Sends or receives any number of entries, in pieces that MPI's int can count.
template <class T, class Transfer> void in_pieces(std::vector<T> &values, std::size_t begin, std::size_t end, Transfer &&transfer)
{
  constexpr std::size_t most = std::size_t(1) << 28;
  for (std::size_t k = begin; k < end; k += most) transfer(values.data() + k, int(std::min(most, end - k) * sizeof(T)));
}

} // namespace

MpiRanks::MpiRanks(MPI_Comm comm)
{
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

MpiRanks::~MpiRanks()
{
  MPI_Comm_free(&comm_);
}

void MpiRanks::barrier()
{
  if (size_ > 1) MPI_Barrier(comm_);
}

void MpiRanks::barrier_asleep()
{
  if (size_ == 1) return;
  MPI_Request request;
  int         done = 0;
  MPI_Ibarrier(comm_, &request);
  // MPI_Wait would keep a core busy until the others arrive.
  for (auto nap = kFirstNap;; nap = std::min(2 * nap, kLongestNap)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    std::this_thread::sleep_for(nap);
  }
}

double MpiRanks::max(double value)
{
  double greatest = value;
  if (size_ > 1) MPI_Allreduce(&value, &greatest, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return greatest;
}

std::int64_t MpiRanks::sum(std::int64_t value)
{
  std::int64_t all = value;
  if (size_ > 1) MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_SUM, comm_);
  return all;
}

std::string MpiRanks::broadcast(std::string text)
{
  auto length = std::int64_t(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_);
  text.resize(std::size_t(length));
  MPI_Bcast(text.data(), int(length), MPI_CHAR, 0, comm_);
  return text;
}

std::unique_ptr<MpiRanks> MpiRanks::first(int count)
{
  MPI_Comm part;
  MPI_Comm_split(comm_, rank_ < count ? 0 : MPI_UNDEFINED, rank_, &part);
  if (part == MPI_COMM_NULL) return nullptr;
  auto ranks = std::make_unique<MpiRanks>(part);
  MPI_Comm_free(&part);
  return ranks;
}

MPI_Comm comm_of(const Ranks &ranks)
{
  const auto *mpi = dynamic_cast<const MpiRanks *>(&ranks);
  return mpi ? mpi->comm() : MPI_COMM_SELF;
}

std::unique_ptr<DistributedMatrix> distribute(MpiRanks &ranks, const CsrMatrix &whole, const Size &size)
{
  auto      result = std::make_unique<DistributedMatrix>();
  const int rank = ranks.rank(), count = ranks.size();
  if (count == 1) {
    result->local = {&whole, whole.rows, 0, 0, whole.cols};
    return result;
  }
  // Every rank but the first receives its rows; the first copies its own.
  CsrMatrix &own = result->storage;
  for (int to = 0; to < count; ++to) {
    const std::int64_t begin = first_of(size.rows, to, count), end = first_of(size.rows, to + 1, count);
    const auto         move = [&](auto &all, auto &mine, std::int64_t from, std::int64_t until) {
      using Vector = std::remove_reference_t<decltype(mine)>;
      if (rank == to) mine.resize(std::size_t(until - from));
      if (to == 0 && rank == 0) std::copy(all.begin() + from, all.begin() + until, mine.begin());
      else if (rank == 0)
        in_pieces(const_cast<Vector &>(all), std::size_t(from), std::size_t(until),
                          [&](auto *data, int bytes) { MPI_Send(data, bytes, MPI_BYTE, to, 0, ranks.comm()); });
      else if (rank == to)
        in_pieces(mine, 0, mine.size(),
                          [&](auto *data, int bytes) { MPI_Recv(data, bytes, MPI_BYTE, 0, 0, ranks.comm(), MPI_STATUS_IGNORE); });
    };
    move(whole.row_ptr, own.row_ptr, begin, end + 1);
    const bool         knows = rank == 0 || rank == to;
    const std::int64_t first = !knows ? 0 : rank == 0 ? whole.row_ptr[std::size_t(begin)] : own.row_ptr.front();
    const std::int64_t last  = !knows ? 0 : rank == 0 ? whole.row_ptr[std::size_t(end)] : own.row_ptr.back();
    move(whole.col, own.col, first, last);
    move(whole.val, own.val, first, last);
  }
  const Index offset = own.row_ptr.front();
  for (Index &p : own.row_ptr) p -= offset;
  own.rows             = Index(own.row_ptr.size() - 1);
  own.cols             = Index(size.cols);
  const auto first_col = Index(first_of(size.cols, rank, count)), next_col = Index(first_of(size.cols, rank + 1, count));
  result->local = {&own, Index(size.rows), Index(first_of(size.rows, rank, count)), first_col, Index(next_col - first_col)};
  return result;
}

} // namespace petscspmv::bench
