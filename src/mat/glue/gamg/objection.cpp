#include "glue/gamg/objection.hpp"

#include "glue/door/parent.hpp"
#include "glue/options.hpp"

namespace petscspmv::shadow {

namespace {

/// Why PETSc makes all levels of this PC, or this one; null: it does not.
const char *ObjectionToSettings(const PC_GAMG &gamg, Mat A, const Gamg &own)
{
  PetscMPIInt size;
  if (!own.wanted) return "its matrix has no method, or -mat_spmv_setup is none";
  if (MPI_Comm_size(PetscObjectComm((PetscObject)A), &size) || size > 1) return "it is on several processes";
  if (gamg.use_aggs_in_asm) return "aggregates are domains of its smoother";
#if PETSC_VERSION_GE(3, 21, 0)
  if (gamg.asm_hem_aggs) return "aggregates are domains of its smoother";
#endif
#if PETSC_VERSION_GE(3, 26, 0)
  if (gamg.prolongator_filter > 0) return "the prolongator is filtered";
#endif
  if (!gamg.data) return "there is no near null space";
  return nullptr;
}

/// Whether an option shows what PETSc's functions make, which is small where we ask them, or tells them what of the
/// entries of a node weighs.
PetscErrorCode HasOtherOption(PC pc, bool *has)
{
  const std::initializer_list<const char *> others = {"-pc_gamg_agg_view_initial_prolongation",
                                                      "-pc_gamg_agg_view_prolongation",
                                                      "-pc_gamg_mat_coarsen_view",
                                                      "-mat_coarsen_view",
                                                      "-misk_aggregation_view",
                                                      "-mat_graph_view",
                                                      "-mat_filter_graph_view",
                                                      "-pc_gamg_mat_coarsen_strength_index",
                                                      "-mat_coarsen_strength_index"};
  bool                                      without_prefix;

  PetscFunctionBegin;
  PetscCall(HasAnyOption((PetscObject)pc, ((PetscObject)pc)->prefix, others, has));
  PetscCall(HasAnyOption((PetscObject)pc, NULL, others, &without_prefix));
  *has = *has || without_prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FindObjection(PC pc, Mat A, const Gamg &own, std::string *why_not)
{
  VoidFn is_seqaij;
  bool   other;

  PetscFunctionBegin;
  if (const char *objection = ObjectionToSettings(*GamgOf(pc), A, own)) {
    *why_not = objection;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C", &is_seqaij));
  PetscCall(HasOtherOption(pc, &other));
  if (!is_seqaij || (own.level.space == MemorySpace::device && ParentType(A) != MATSEQAIJCUSPARSE)) *why_not = "it is of another type";
  else if (other) *why_not = "what PETSc makes for it is to be viewed, or weighs entries of its own choice";
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
