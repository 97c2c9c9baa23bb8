#pragma once

/// \file mpi_ranks.hpp
/// Ranks by MPI, and matrices handed out to them.

#include <memory>
#include <string>

#include <petscsys.h>

#include "measure/oracle.hpp"
#include "measure/ranks.hpp"

namespace petscspmv::bench {

class MpiRanks final : public Ranks {
public:
  /// Duplicates `comm`.
  explicit MpiRanks(MPI_Comm comm);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks &)            = delete;
  MpiRanks &operator=(const MpiRanks &) = delete;

  int          rank() const override { return rank_; }
  int          size() const override { return size_; }
  void         barrier() override;
  void         barrier_asleep() override;
  double       max(double value) override;
  std::int64_t sum(std::int64_t value) override;

  /// The text of rank 0.
  std::string broadcast(std::string text);

  /// Those of the first `count` ranks, or null on the others. Collective.
  std::unique_ptr<MpiRanks> first(int count);

  MPI_Comm comm() const { return comm_; }

private:
  MPI_Comm comm_;
  int      rank_ = 0, size_ = 1;
};

/// The communicator of ranks that are MpiRanks; MPI_COMM_SELF for others.
MPI_Comm comm_of(const Ranks &ranks);

/// The rows of one rank, which may live in the whole matrix of rank 0.
struct DistributedMatrix {
  CsrMatrix   storage; ///< empty where nothing had to be copied
  LocalMatrix local;
};

/// Deals the rows of rank 0's matrix out, as evenly as PETSc does. Collective over `ranks`.
std::unique_ptr<DistributedMatrix> distribute(MpiRanks &ranks, const CsrMatrix &whole, const Size &size);

} // namespace petscspmv::bench
