#include "petsc/check.hpp"

#include <stdexcept>
#include <string>

namespace petscspmv::bench {

namespace {

std::string &first_sentence()
{
  static std::string sentence;
  return sentence;
}

/// Called for each function on the way out; the first call has the sentence.
PetscErrorCode keep_sentence(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type, const char *sentence,
                             void *)
{
  if (type == PETSC_ERROR_INITIAL && sentence) first_sentence() = sentence;
  return code;
}

} // namespace

void collect_petsc_errors()
{
  check_petsc(PetscPushErrorHandler(&keep_sentence, nullptr));
}

void check_petsc(PetscErrorCode code)
{
  if (code == 0) return;
  const char *general = nullptr;
  (void)PetscErrorMessage(code, &general, nullptr);
  std::string sentence = first_sentence().empty() ? (general ? general : "unknown") : first_sentence();
  first_sentence().clear();
  throw std::runtime_error("PETSc's error " + std::to_string(int(code)) + ": " + sentence);
}

} // namespace petscspmv::bench
