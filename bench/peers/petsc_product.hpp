#pragma once

/// \file petsc_product.hpp
/// What products by PETSc's MatMult have in common.

#include <petscmat.h>

#include "peers/peer.hpp"

namespace petscspmv::bench {

/// Begins as an assembled AIJ matrix, which is what a user has; build() makes A_ another type.
class PetscProduct : public Product {
public:
  explicit PetscProduct(const Setup &setup);
  ~PetscProduct() override;
  PetscProduct(const PetscProduct &)            = delete;
  PetscProduct &operator=(const PetscProduct &) = delete;

  void set_x(std::span<const double> local) override;
  void fill_y(double value) override;
  void read_y(std::span<double> local) const override;
  void multiply() override;
  void launch() override;
  void scale_values(double factor) override;

  Mat mat() const { return A_; }

protected:
  LocalMatrix matrix_;
  MPI_Comm    comm_;
  Place       place_;
  Mat         A_ = nullptr;

private:
  void create_vectors();

  Vec x_ = nullptr, y_ = nullptr;
};

/// A type that MatConvert makes of an AIJ matrix. Its vectors are where the product is to run.
class ConvertedProduct : public PetscProduct {
public:
  ConvertedProduct(const Setup &setup, std::string type) : PetscProduct(setup), type_(std::move(type)) { }

  void build() override;

private:
  std::string type_;
};

/// PETSc's own types: any number of ranks, no threads.
class PetscPeer : public Peer {
public:
  Role        role() const override { return Role::peer; }
  bool        solves() const override { return true; }
  std::string limits(int, int threads) const override { return threads > 1 ? "PETSc's own types have no threads" : ""; }
};

} // namespace petscspmv::bench
