/// \file petsc_cusparse.cpp
/// PETSc's aijcusparse.

#include "peers/device/cusparse_product.hpp"
#include "peers/petsc_product.hpp"

namespace petscspmv::bench {

namespace {

class AijCusparseProduct final : public ConvertedProduct {
public:
  explicit AijCusparseProduct(const Setup &setup) : ConvertedProduct(setup, "aijcusparse") { }
  std::optional<ProductBytes> bytes() const override { return ProductBytes{local_csr_bytes(matrix_), local_csr_bytes(matrix_)}; }
};

class AijCusparsePeer final : public PetscPeer {
public:
  std::string_view         name() const override { return "aijcusparse"; }
  std::string_view         help() const override { return "PETSc's aijcusparse"; }
  std::string_view         library() const override { return "cuSPARSE"; }
  std::string              version() const override { return cusparse_version_text(); }
  bool                     runs_on(Place place) const override { return place == Place::device; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<AijCusparseProduct>(setup); }
};

const PeerRegistration<AijCusparsePeer> registration;

} // namespace

} // namespace petscspmv::bench
