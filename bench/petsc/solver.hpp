#pragma once

/// \file solver.hpp
/// One solution of A x = b by a KSP, with the times of its parts.

#include <string>

#include <petscmat.h>

#include "measure/clock.hpp"
#include "peers/peer.hpp"

namespace petscspmv::bench {

struct SolveSample {
  double      build = 0;            ///< seconds of the first product: what it builds, and the matrix' way to a device
  double      setup = 0, solve = 0; ///< seconds
  double      iteration  = 0;       ///< seconds of one iteration of the same solution once more, when all is built; 0 if there was none
  double      step       = 0;       ///< seconds of a set-up and a solution with new values of the same pattern
  int         iterations = 0;
  bool        converged  = false;
  bool        counted    = false; ///< it was to do so many iterations, whatever they reach
  std::string reason;             ///< PETSc's name of why it stopped
  std::string ksp, pc;
  double      tolerance = 0;
  double      residual  = 0; ///< |b - A x| / |b|
};

/// `place` is where the vectors are that A gives. b = A e, where e has the entries of vector_entry(); begins at 0. KSP
/// and PC come from PETSc's options. With -p_mat_spmv_precision, PC is made of a copy of A, whose prefix is p_.
/// `options` hold for this solver alone.
SolveSample solve_once(Clock &clock, Ranks &ranks, Mat A, const LocalMatrix &matrix, Place place, SolverOptions options);

} // namespace petscspmv::bench
