#pragma once

/// \file exchange.hpp
/// Entries of x that are other ranks' come from device to device, where PETSc would bring them through the host and
/// MPI.
///
/// PETSc's parallel product, and its MatSOR(), start and end the exchange by two functions of the matrix's PetscSF.

#include <memory>

#include <petscsf.h>

#include "core/exchange.hpp"
#include "core/runtime.hpp"
#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

/// Makes these two functions ours, or PETSc's again, as the option and the place of A say. Collective.
PetscErrorCode ChooseExchange(const Entry &e);

/// The same for an exchange. Whether devices reach each other shows when it is used for the first time.
PetscErrorCode SetExchange(PetscSF sf, ExchangeWanted wanted);

/// What an exchange is made of. Tests have one of the host's memory.
struct ExchangeMaker {
  bool (*has_device)()                                                                           = runtime::has_device;
  DeviceName (*device_name)()                                                                    = runtime::device_name;
  std::unique_ptr<PeerExchange> (*make)(int, const ExchangedEntries &, const ExchangedEntries &) = runtime::make_exchange;
};
inline ExchangeMaker exchange_maker;

/// How it is done, if it has been used and SetExchange() wanted more than MPI; else empty.
PetscErrorCode DescribeExchange(PetscSF sf, std::string *text);

/// A line on it, if A is on a device.
PetscErrorCode ViewExchange(Mat A, PetscViewer viewer);

} // namespace petscspmv::shadow
