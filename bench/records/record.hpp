#pragma once

/// \file record.hpp
/// One measurement with everything that is needed to understand it. A line of JSON in the results.

#include <optional>
#include <string>
#include <vector>

#include "matrix/statistics.hpp"
#include "measure/machine.hpp"
#include "measure/quantiles.hpp"
#include "measure/streams.hpp"
#include "peers/peer.hpp"

namespace petscspmv::bench {

enum class Status {
  ok,
  wrong,   ///< the result was not that of the oracle; its times count nowhere
  failed,  ///< the competitor gave up with an error
  skipped, ///< it does not suit the matrix
};

enum class Regime {
  cold, ///< caches flushed before each product
  warm, ///< products back to back
};

/// Who was measured, and with what.
struct CompetitorName {
  std::string name;    ///< "aijspec", "aij", "mkl", "raw:aijspec"
  std::string options; ///< "height=64" or empty
  Role        role    = Role::type;
  int         ranks   = 1;
  int         threads = 1;

  int cores() const { return ranks * threads; }

  /// Short and unambiguous: "aijspec", "aijspec:height=64", "aijspec@2t", "aij@2r".
  std::string label() const;

  friend bool operator==(const CompetitorName &, const CompetitorName &) = default;
};

struct MatrixName {
  std::string      name;
  std::string      origin; ///< "file" or "generator"
  MatrixStatistics statistics;
};

/// Times of building and refreshing, in seconds.
struct Conversion {
  Quantiles build;
  Quantiles refresh;
};

/// A KSP run.
struct Solve {
  std::string ksp, pc;
  int         iterations = 0;
  double      residual   = 0; ///< |b - A x| / |b| with A and the sums in long double
  double      tolerance  = 0; ///< of the KSP
  Quantiles   convert;        ///< with the first product, which builds, and brings the matrix to a device
  Quantiles   setup;
  Quantiles   solve;     ///< the first solution with a matrix
  Quantiles   iteration; ///< of the same solution once more; 0 without iterations
  Quantiles   total;
  Quantiles   step; ///< the set-up and the solution with new values of the same pattern; of records that have none, no samples
};

struct Versions {
  std::string                                      petscspmv, commit, petsc, compiler, mpi;
  std::vector<std::pair<std::string, std::string>> others; ///< MKL, Eigen, Kokkos: those that took part
};

/// A device, as its driver describes it.
struct DeviceInfo {
  std::string  name;
  std::string  software; ///< versions of driver and runtime
  std::int64_t cache_bytes     = 0;
  std::int64_t memory          = 0;
  int          multiprocessors = 0;
};

/// What no product can fall below, timed as products are. Seconds.
struct DeviceFloor {
  double empty_kernel = 0; ///< a kernel that does nothing
  double copy         = 0; ///< a copy within the device that moves as many bytes as x and y have, read and written together
};

/// What a record of a product on a device has besides. `convert` and `solve` are timed on the host, and leave all but
/// the info 0.
struct OnDevice {
  DeviceInfo   info;
  DeviceFloor  floor;
  std::int64_t flush_bytes = 0;     ///< read before each cold product
  bool         replayed    = false; ///< warm: the products were a recorded graph, and not launched one by one
  double       launch      = 0;     ///< seconds that the host needs to put a product on the stream
};

struct Record {
  std::string                 command; ///< "spmv", "convert" or "solve"
  std::string                 date;
  MatrixName                  matrix;
  CompetitorName              competitor;
  Regime                      regime = Regime::warm;
  Status                      status = Status::ok;
  std::string                 reason;      ///< of any status but ok
  double                      error = 0;   ///< of the oracle's bound
  Quantiles                   time;        ///< seconds a product
  std::int64_t                repeats = 0; ///< products a sample
  double                      first   = 0; ///< seconds of building and of the first product, together
  std::optional<ProductBytes> bytes;       ///< all ranks together
  Bandwidth                   bandwidth;   ///< of as many cores
  std::optional<Conversion>   conversion;
  std::optional<Solve>        solve;
  std::optional<OnDevice>     device; ///< none: on the host
  Machine                     machine;
  Versions                    versions;
};

const char *text_of(Status status);
const char *text_of(Regime regime);
const char *text_of(Role role);

/// Derived numbers, in one place so that table, report and files agree. 0 where there is nothing to derive from.
double gigaflops(const Record &r);
double csr_share(const Record &r);      ///< of the roofline: CSR and vectors, over time and read bandwidth
double own_share(const Record &r);      ///< the same with the bytes of the competitor's own format
double vector_share(const Record &r);   ///< the same with the vectors alone
double build_products(const Record &r); ///< building in products of the same competitor

/// The last level of cache where the product ran, and the name of the machine or device.
std::int64_t       cache_of(const Record &r);
const std::string &hardware_of(const Record &r);

/// What makes two records measurements of the same thing.
std::string key_of(const Record &r);

} // namespace petscspmv::bench
