/// \file petsc_cusparse.cpp
/// PETSc's aijcusparse, and the same with factors on the host.

#include <algorithm>
#include <array>

#include "peers/device/cusparse_product.hpp"
#include "peers/petsc_product.hpp"
#include "petsc/check.hpp"

namespace petscspmv::bench {

namespace {

class AijCusparseProduct final : public ConvertedProduct {
public:
  explicit AijCusparseProduct(const Setup &setup) : ConvertedProduct(setup, "aijcusparse") { }
  std::optional<ProductBytes> bytes() const override { return ProductBytes{local_csr_bytes(matrix_), local_csr_bytes(matrix_)}; }
};

class AijCusparsePeer : public PetscPeer {
public:
  std::string_view         name() const override { return "aijcusparse"; }
  std::string_view         help() const override { return "PETSc's aijcusparse"; }
  std::string_view         library() const override { return "cuSPARSE"; }
  std::string              version() const override { return cusparse_version_text(); }
  bool                     runs_on(Place place) const override { return place == Place::device; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<AijCusparseProduct>(setup); }
};

/// The best that PETSc itself can do where triangular solves have many levels, as on meshes.
class HostFactorsPeer final : public AijCusparsePeer {
public:
  std::string_view name() const override { return "aijcusparse-hostfactors"; }
  std::string_view help() const override { return "aijcusparse with -pc_factor_mat_solver_type petsc, of `solve`"; }
  SolverOptions    solver_options() const override { return kOptions; }

  std::string unavailable() const override
  {
    constexpr std::array factor = {"ilu", "icc", "asm", "bjacobi", "lu", "cholesky"};
    char                 pc[64] = "ilu"; // PETSc's default on one process
    PetscBool            running, chosen = PETSC_FALSE, given;
    check_petsc(PetscInitialized(&running)); // `list` does without
    if (!running) return "";
    check_petsc(PetscOptionsGetString(nullptr, nullptr, "-pc_type", pc, sizeof pc, nullptr));
    for (const auto &[name, value] : kOptions) {
      check_petsc(PetscOptionsHasName(nullptr, nullptr, name, &given));
      if (given) chosen = PETSC_TRUE;
    }
    if (chosen) return "The command line says already who factors";
    return std::find(factor.begin(), factor.end(), std::string_view(pc)) == factor.end() ? std::string(pc) + " has no factors" : "";
  }

private:
  static constexpr std::array<std::pair<const char *, const char *>, 2> kOptions = {
    {{"-pc_factor_mat_solver_type", "petsc"}, {"-sub_pc_factor_mat_solver_type", "petsc"}}};
};

const PeerRegistration<AijCusparsePeer> aijcusparse;
const PeerRegistration<HostFactorsPeer> hostfactors;

} // namespace

} // namespace petscspmv::bench
