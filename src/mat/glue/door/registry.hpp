#pragma once

/// \file registry.hpp
/// The methods that we know, and the names of their types.

#include <span>
#include <string>
#include <type_traits>

#include "core/format.hpp"
#include "core/options.hpp"
#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// A format with the three names of its matrix type: "aijspec", "seqaijspec", "mpiaijspec". The last two begin with
/// seqaij and mpiaij because PETSc tests that prefix in more than a hundred places. "seqccoo" and "mpiccoo", which one
/// would expect beside "ccoo", are understood, too, but matrices say "seqaijccoo" and "mpiaijccoo".
struct MatKind {
  FormatType<PetscScalar, PetscInt> format;
  OptionValues                      options; ///< that it begins with
  std::string                       root, seq, mpi;
  std::string                       short_seq, short_mpi; ///< what is understood, too; the same as seq and mpi where root begins with aij
  const MatKind                    *fast;                 ///< of auto: the kind that products pay for; else null

  explicit MatKind(const FormatType<PetscScalar, PetscInt> &f, const MatKind *goes_on_as = nullptr);
};

/// Tells PETSc the names of `kind`, and how to create a matrix of it. Harmless if PETSc knows them already.
PetscErrorCode RegisterKind(const MatKind &kind, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));

/// The kind that has `type_name` as one of its names; null if none has, or if `type_name` is null.
const MatKind *FindKind(const char type_name[]);

/// All that have been registered.
std::span<const MatKind *const> KnownKinds();

/// The first of them that transposes: plain CSR, which does beside the others what they have no kernels for.
const MatKind &PlainKind();

/// MatCreate_XXX of a sequential or parallel kind.
PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi);

/// Makes the method that `type()` is a matrix type. PETSc's functions take nothing but a matrix, so that each method
/// has some of its own, as many as there are types of `type`.
///
/// Its kind, as whatever else belongs to the process, is never destroyed: programs destroy matrices and finalise PETSc
/// in destructors of static objects, which may run after ours would.
template <class Type> PetscErrorCode RegisterFormat(const Type &type, const MatKind *goes_on_as = nullptr)
{
  static_assert(std::is_empty_v<Type>, "a lambda of its own for each method");
  static const auto &kind = *new MatKind(type(), goes_on_as);

  PetscFunctionBegin;
  PetscCall(RegisterKind(
    kind, [](Mat A) { return MatCreate_Shadow(A, kind, false); }, [](Mat A) { return MatCreate_Shadow(A, kind, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes our factors a package of PETSc's, by this name, which must last.
PetscErrorCode RegisterFactorPackage(MatSolverType name);

} // namespace petscspmv::shadow
