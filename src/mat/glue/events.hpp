#pragma once

/// \file events.hpp
/// What -log_view shows.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

extern PetscLogEvent Event_Build, Event_Refresh, Event_Product, Event_Sweeps;
PetscErrorCode       RegisterEvents();

} // namespace petscspmv::shadow
