#pragma once

/// \file view.hpp
/// -mat_view ::ascii_info.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

PetscErrorCode MatView_Shadow(Mat A, PetscViewer viewer);

} // namespace petscspmv::shadow
