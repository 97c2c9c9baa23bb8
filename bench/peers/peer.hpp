#pragma once

/// \file peer.hpp
/// What can be measured. One file for each peer: it derives from Peer and Product, and adds itself with a
/// PeerRegistration.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "matrix/statistics.hpp"
#include "measure/oracle.hpp"
#include "measure/ranks.hpp"

namespace petscspmv::bench {

enum class Role {
  type, ///< a matrix type of ours: what is judged
  peer, ///< what a user would take instead
  raw,  ///< a format of ours without PETSc around it
};

/// Where a product runs.
enum class Place { host, device };

/// Names, with their dash, and values.
using SolverOptions = std::span<const std::pair<const char *, const char *>>;

using OptionList = std::vector<std::pair<std::string, std::int64_t>>;

/// Everything a peer needs to make a product.
struct Setup {
  LocalMatrix             matrix; ///< outlives the product
  const MatrixStatistics *statistics = nullptr;
  Ranks                  *ranks      = nullptr; ///< those that share the matrix
  int                     threads    = 1;       ///< of each rank
  OptionList              options    = {};      ///< "aijspec:height=64"
  Place                   place      = Place::host;
};

/// What a product reads besides the vectors, on this rank.
struct ProductBytes {
  std::int64_t read  = 0;
  std::int64_t extra = 0; ///< the part that is not the AIJ matrix itself: memory that the peer costs
};

/// y = A x for one matrix. Throws std::exception where something fails.
class Product {
public:
  virtual ~Product() = default;

  /// From the matrix as its user has it to one that multiplies. What is left for the first product counts, too.
  virtual void build() = 0;

  virtual void                        set_x(std::span<const double> local)  = 0;
  virtual void                        fill_y(double value)                  = 0;
  virtual void                        read_y(std::span<double> local) const = 0;
  virtual void                        multiply()                            = 0; ///< the call that is timed
  virtual std::optional<ProductBytes> bytes() const                         = 0; ///< none if the peer does not tell

  /// What is to be known of its times; nothing for most.
  virtual std::string remark() const { return ""; }

  /// multiply() without the waiting, where the product runs on a device.
  virtual void launch() { multiply(); }

  /// Multiplies the values by `factor`, as its user would change them.
  virtual void scale_values(double factor) = 0;

  /// The first product after scale_values(): brings in the new values, then multiplies.
  virtual void refresh_and_multiply() { multiply(); }
};

class Peer {
public:
  virtual ~Peer()                       = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view help() const = 0; ///< one line
  virtual Role             role() const = 0;

  /// What can be set as in "ccoo:values=raw", besides options that all our types share, whose values are numbers here.
  virtual std::span<const OptionSpec> options() const { return {}; }

  /// True if it can be measured there. Without --device, products run on the host.
  virtual bool runs_on(Place place) const { return place == Place::host; }

  /// True if its products are those of a matrix of PETSc, which is what solvers take.
  virtual bool solves() const { return false; }

  /// PETSc's options that its solver has on top of those of the command line. A peer that has some is another peer's
  /// matrix with another solver, and takes part where systems are solved only.
  virtual SolverOptions solver_options() const { return {}; }

  /// The library behind it and its version; no version where that is PETSc or ours.
  virtual std::string_view library() const { return name(); }
  virtual std::string      version() const { return ""; }

  /// Why it cannot be used in this run at all, with the remedy; empty if it can.
  virtual std::string unavailable() const { return ""; }

  /// Why it cannot run on so many ranks and threads; empty if it can.
  virtual std::string limits(int ranks, int threads) const = 0;

  /// Why it does not suit a matrix on so many ranks; empty if it does.
  virtual std::string misfit(const MatrixStatistics &, int /*ranks*/) const { return ""; }

  virtual std::unique_ptr<Product> make(const Setup &setup) const = 0;
};

/// The peers that have been registered, types first, in the order of their names.
std::vector<const Peer *> all_peers();

/// Null if there is none.
const Peer *find_peer(std::string_view name);

/// The registry keeps it to the end of the program.
void register_peer(std::unique_ptr<Peer> peer);

/// A static object of this kind registers a peer before main() begins.
template <class P> struct PeerRegistration {
  PeerRegistration() { register_peer(std::make_unique<P>()); }
};

/// Bytes of the CSR arrays of this rank's rows.
inline std::int64_t local_csr_bytes(const LocalMatrix &a)
{
  return csr_bytes(size_of(*a.rows));
}

} // namespace petscspmv::bench
