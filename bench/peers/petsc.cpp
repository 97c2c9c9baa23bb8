/// \file petsc.cpp
/// Matrices of PETSc: its own types, and ours through the plugin.

#include <algorithm>
#include <array>

#include "peers/petsc_product.hpp"

#include "interface/type_list.hpp"
#include "petsc/check.hpp"
#include "petsc/device.hpp"
#include "petsc/mpi_ranks.hpp"
#include "petsc/plugin.hpp"
#include "select/automatic.hpp"

namespace petscspmv::bench {

PetscProduct::PetscProduct(const Setup &setup) : matrix_(setup.matrix), comm_(comm_of(*setup.ranks)), place_(setup.place)
{
  const CsrMatrix &a = *matrix_.rows;
  check_petsc(MatCreate(comm_, &A_));
  check_petsc(MatSetSizes(A_, a.rows, matrix_.local_cols, matrix_.all_rows, a.cols));
  check_petsc(MatSetType(A_, MATAIJ));
  PetscInt  block = 1;
  PetscBool given;
  check_petsc(PetscOptionsGetInt(nullptr, nullptr, "-mat_block_size", &block, &given));
  if (given) check_petsc(MatSetBlockSize(A_, block));
  check_petsc(MatSeqAIJSetPreallocationCSR(A_, a.row_ptr.data(), a.col.data(), a.val.data()));
  check_petsc(MatMPIAIJSetPreallocationCSR(A_, a.row_ptr.data(), a.col.data(), a.val.data()));
}

PetscProduct::~PetscProduct()
{
  (void)VecDestroy(&x_);
  (void)VecDestroy(&y_);
  (void)MatDestroy(&A_);
}

void PetscProduct::create_vectors()
{
  if (!x_) check_petsc(MatCreateVecs(A_, &x_, &y_));
}

void PetscProduct::set_x(std::span<const double> local)
{
  create_vectors();
  PetscScalar *x;
  check_petsc(VecGetArrayWrite(x_, &x));
  std::copy(local.begin(), local.end(), x);
  check_petsc(VecRestoreArrayWrite(x_, &x));
  if (place_ == Place::device) to_device(x_);
}

void PetscProduct::fill_y(double value)
{
  create_vectors();
  PetscInt     n;
  PetscScalar *y;
  check_petsc(VecGetLocalSize(y_, &n));
  check_petsc(VecGetArrayWrite(y_, &y));
  std::fill(y, y + n, value);
  check_petsc(VecRestoreArrayWrite(y_, &y));
  if (place_ == Place::device) to_device(y_);
}

void PetscProduct::read_y(std::span<double> local) const
{
  const PetscScalar *y;
  check_petsc(VecGetArrayRead(y_, &y));
  std::copy(y, y + local.size(), local.begin());
  check_petsc(VecRestoreArrayRead(y_, &y));
}

void PetscProduct::multiply()
{
  launch();
  if (place_ == Place::device) wait_for_device(y_);
}

void PetscProduct::launch()
{
  check_petsc(MatMult(A_, x_, y_));
}

void PetscProduct::scale_values(double factor)
{
  check_petsc(MatScale(A_, factor));
}

void ConvertedProduct::build()
{
  check_petsc(MatConvert(A_, type_.c_str(), MAT_INPLACE_MATRIX, &A_));
  // In a build for CUDA our own types choose by what they find; here the command line decides. On a device, vectors are
  // those of the matrix, VECCUDA or VECKOKKOS.
  if (place_ == Place::host) check_petsc(MatSetVecType(A_, VECSTANDARD));
}

namespace {

class PluginProduct final : public ConvertedProduct {
public:
  PluginProduct(const Setup &setup, const std::string &type)
    : ConvertedProduct(setup, type), alone_(setup.ranks->size() == 1), threads_(setup.threads), options_(setup.options)
  {
  }

  void build() override
  {
    ConvertedProduct::build();
    // On a device there are no threads to compare, and a matrix is prepared as a user's is.
    if (place_ == Place::host) set_plugin_option(A_, "threads", threads_);
    for (const auto &[key, value] : options_) set_plugin_option(A_, key, value);
  }
  std::optional<ProductBytes> bytes() const override { return plugin_bytes(A_); }
  std::string                 remark() const override
  {
    if (place_ == Place::device || !alone_) return "";
    const std::int64_t tiny = plugin_option(A_, "tiny");
    if (tiny == 0 || matrix_.rows->nonzeros() > tiny) return "";
    return "AIJ multiplies matrices of up to " + std::to_string(tiny) +
           " entries, faster than any type does; -- -mat_spmv_tiny 0 leaves them to the types";
  }

private:
  bool       alone_; ///< on one rank
  int        threads_;
  OptionList options_;
};

class PluginPeer final : public Peer {
public:
  PluginPeer(std::string_view name, std::string_view help, std::span<const OptionSpec> options)
    : name_(name), help_(help), options_(options)
  {
  }

  std::string_view            name() const override { return name_; }
  std::string_view            help() const override { return help_; }
  Role                        role() const override { return Role::type; }
  std::span<const OptionSpec> options() const override { return options_; }
  bool                        runs_on(Place) const override { return true; }
  bool                        solves() const override { return true; }
  std::string                 limits(int, int) const override { return ""; }
  std::unique_ptr<Product>    make(const Setup &setup) const override { return std::make_unique<PluginProduct>(setup, std::string(name_)); }

private:
  std::string_view            name_, help_;
  std::span<const OptionSpec> options_;
};

class AijProduct final : public PetscProduct {
public:
  using PetscProduct::PetscProduct;
  void                        build() override { }
  std::optional<ProductBytes> bytes() const override { return ProductBytes{local_csr_bytes(matrix_), 0}; }
};

/// PETSc's default, with its inodes on.
class AijPeer : public PetscPeer {
public:
  std::string_view         name() const override { return "aij"; }
  std::string_view         help() const override { return "PETSc's aij, inodes on"; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<AijProduct>(setup); }
};

/// The best that PETSc itself can do in the set-up of algebraic multigrid: its products P^T A P, which are faster so
/// than by its default.
class RapPeer final : public AijPeer {
public:
  std::string_view name() const override { return "aij-rap"; }
  std::string_view help() const override { return "aij with -matptap_via rap, of `solve` with gamg on one rank"; }
  SolverOptions    solver_options() const override { return kOptions; }
  std::string      limits(int ranks, int threads) const override
  {
    return ranks > 1 ? "PETSc has rap on one rank only" : AijPeer::limits(ranks, threads);
  }

  std::string unavailable() const override
  {
    PetscBool running, given;
    check_petsc(PetscInitialized(&running)); // `list` does without
    if (!running) return "";
    check_petsc(PetscOptionsHasName(nullptr, nullptr, kOptions[0].first, &given));
    if (given) return "The command line says already how P^T A P is made";
    for (const char *option : {"-pc_type", "-fieldsplit_pc_type"}) {
      char pc[64] = "";
      check_petsc(PetscOptionsGetString(nullptr, nullptr, option, pc, sizeof pc, nullptr));
      if (std::string_view(pc) == "gamg") return "";
    }
    return "Without gamg there are no products P^T A P";
  }

private:
  static constexpr std::array<std::pair<const char *, const char *>, 1> kOptions = {{{"-matptap_via", "rap"}}};
};

class SellProduct final : public ConvertedProduct {
public:
  explicit SellProduct(const Setup &setup) : ConvertedProduct(setup, "aijsell") { }

  /// Slices of 8 rows, each as long as its longest; columns and values.
  std::optional<ProductBytes> bytes() const override
  {
    constexpr Index  slice  = 8;
    const CsrMatrix &a      = *matrix_.rows;
    std::int64_t     places = 0;
    for (Index r = 0; r < a.rows; r += slice) {
      Index longest = 0;
      for (Index i = r; i < std::min<Index>(a.rows, r + slice); ++i) longest = std::max<Index>(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
      places += std::int64_t(longest) * slice;
    }
    const std::int64_t bytes = places * std::int64_t(sizeof(double) + sizeof(Index)) + (a.rows / slice + 2) * std::int64_t(sizeof(Index));
    return ProductBytes{bytes, bytes};
  }
};

class SellPeer final : public PetscPeer {
public:
  std::string_view         name() const override { return "aijsell"; }
  std::string_view         help() const override { return "PETSc's aijsell: AIJ with a sliced-ELLPACK shadow"; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<SellProduct>(setup); }
};

const PeerRegistration<AijPeer>  aij;
const PeerRegistration<RapPeer>  aij_rap;
const PeerRegistration<SellPeer> aijsell;

const struct RegisterPluginTypes {
  RegisterPluginTypes()
  {
    namespace automatic = select::automatic;
    for (const auto &type : all_types<double, Index>) register_peer(std::make_unique<PluginPeer>(type.name, type.method, type.options));
    register_peer(std::make_unique<PluginPeer>(automatic::name, automatic::method, automatic::options));
  }
} plugin_types;

} // namespace

} // namespace petscspmv::bench
