#include "glue/exchange.hpp"

#include <petsc/private/sfimpl.h> // its functions

#include <algorithm>
#include <list>
#include <utility>

#include "core/exchange.hpp"
#include "core/runtime.hpp"
#include "glue/parent.hpp"
#include "glue/place.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

constexpr char kExchangeKey[] = "petscspmv_exchange";

/// What the option `exchange` says.
enum class ExchangeWanted { mpi, where_apart, always };

/// An exchange that no product uses any more. Its window stays until all ranks have closed it.
struct Retired {
  std::unique_ptr<PeerExchange> peers;
  MPI_Comm                      comm;
  MPI_Request                   closed = MPI_REQUEST_NULL;
};

std::list<Retired> retired;

PetscErrorCode FreeRetired(bool wait)
{
  PetscFunctionBegin;
  for (auto r = retired.begin(); r != retired.end();) {
    int done = 0;
    if (wait) PetscCallMPI(MPI_Wait(&r->closed, MPI_STATUS_IGNORE));
    else PetscCallMPI(MPI_Test(&r->closed, &done, MPI_STATUS_IGNORE));
    if (!wait && !done) {
      ++r;
      continue;
    }
    PetscCallMPI(MPI_Comm_free(&r->comm));
    r = retired.erase(r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FreeAllRetired()
{
  PetscFunctionBegin;
  PetscCall(FreeRetired(true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What a PetscSF has beside PETSc's own.
struct SfExchange {
  decltype(_PetscSFOps::BcastBegin) begin = nullptr; ///< PETSc's own
  decltype(_PetscSFOps::BcastEnd)   end   = nullptr;
  ExchangeWanted                    wanted;
  bool                              asked = false;
  std::string                       why_mpi; ///< if it is not `peers`
  std::unique_ptr<PeerExchange>     peers;   ///< null: MPI
  MPI_Comm                          comm    = MPI_COMM_NULL;
  bool                              begun   = false; ///< and has not ended
  void                             *y       = nullptr;

  ~SfExchange()
  {
    if (!peers) return;
    peers->close();
    Retired &r = retired.emplace_back(Retired{std::move(peers), comm});
    static_cast<void>(MPI_Ibarrier(comm, &r.closed));
  }
};

PetscErrorCode FindExchange(PetscSF sf, SfExchange **exchange)
{
  PetscContainer container = nullptr;

  PetscFunctionBegin;
  *exchange = nullptr;
  PetscCall(PetscObjectQuery((PetscObject)sf, kExchangeKey, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The exchange of A's products; null where this PETSc does not tell.
PetscErrorCode SfOf(Mat A, PetscSF *sf)
{
  PetscErrorCode (*get)(Mat, PetscSF *) = nullptr;

  PetscFunctionBegin;
  *sf = nullptr;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatGetMultPetscSF_C", &get));
  if (get) PetscCall((*get)(A, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The type in which this PETSc counts ranks.
template <class Count, class... Rest> Count CountOf(PetscErrorCode (*)(PetscSF, Count *, Rest...));
using SfCount = decltype(CountOf(PetscSFGetLeafRanks));

ExchangedEntries Entries(SfCount ranks, const PetscInt *first, const PetscInt *entry)
{
  ExchangedEntries entries{{0}, {}};
  if (ranks == 0) return entries;
  for (SfCount r = 0; r < ranks; ++r) entries.first.push_back(first[r + 1] - first[0]);
  entries.entry.assign(entry + first[0], entry + first[ranks]);
  return entries;
}

/// What a rank tells all others.
struct Introduction {
  int          works = 0; ///< it has a window
  DeviceName   device{};
  ExchangePeer itself;
};

/// What a rank tells another one.
struct Places {
  std::int64_t as_sender = -1, first = 0, as_receiver = -1;
};

std::string WhyMpi(const std::vector<Introduction> &all, bool may_share)
{
  std::vector<DeviceName> devices;
  for (const Introduction &one : all) {
    if (!one.works) return "a rank has no window for others in its device's memory";
    devices.push_back(one.device);
  }
  std::sort(devices.begin(), devices.end());
  if (!may_share && std::adjacent_find(devices.begin(), devices.end()) != devices.end()) return "ranks share a device";
  return {};
}

PetscErrorCode IsOneHost(MPI_Comm comm, bool *is)
{
  MPI_Comm    host;
  PetscMPIInt size, of_host;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_size(host, &of_host));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &of_host, 1, MPI_INT, MPI_MIN, comm));
  *is = of_host == size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls take(what a rank has told this one, its description) for each of these ranks.
template <class Take>
void EachPeer(SfCount ranks, const PetscMPIInt *rank, const std::vector<Introduction> &all, const std::vector<Places> &told, Take take)
{
  for (SfCount r = 0; r < ranks; ++r) {
    ExchangePeer peer = all[(std::size_t)rank[r]].itself;
    take(told[(std::size_t)rank[r]], &peer);
  }
}

/// Opens the windows, if all ranks can. Collective.
PetscErrorCode OpenExchange(PetscSF sf, SfExchange *own)
{
  const MPI_Comm     comm = PetscObjectComm((PetscObject)sf);
  PetscMPIInt        size, rank;
  SfCount            receivers, senders;
  const PetscMPIInt *receiver, *sender;
  const PetscInt    *sent_first, *sent, *received_first, *received;
  Introduction       me;
  PetscErrorCode     code;
  std::string        failure;
  bool               one_host = false;

  PetscFunctionBegin;
  own->asked = true;
  PetscCall(FreeRetired(false));
  PetscCall(IsOneHost(comm, &one_host));
  if (!one_host) {
    own->why_mpi = "ranks are on several hosts";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscSFGetLeafRanks(sf, &receivers, &receiver, &sent_first, &sent));
  PetscCall(PetscSFGetRootRanks(sf, &senders, &sender, &received_first, &received, NULL));
  const ExchangedEntries out = Entries(receivers, sent_first, sent), in = Entries(senders, received_first, received);
  std::unique_ptr<PeerExchange> peers;
  Attempt(
    [&] {
      peers     = runtime::make_exchange((int)(sizeof(PetscScalar) / sizeof(double)), out, in);
      me.device = runtime::device_name();
      me.itself = {peers->window(), senders, receivers, in.first.back()};
      me.works  = std::find(receiver, receiver + receivers, rank) == receiver + receivers; // no process opens a window of its own
    },
    &code, &failure);
  std::vector<Introduction> all((std::size_t)size);
  std::vector<Places>       tell((std::size_t)size), told((std::size_t)size);
  for (SfCount r = 0; r < senders; ++r) {
    tell[(std::size_t)sender[r]].as_sender = r;
    tell[(std::size_t)sender[r]].first     = in.first[(std::size_t)r];
  }
  for (SfCount r = 0; r < receivers; ++r) tell[(std::size_t)receiver[r]].as_receiver = r;
  PetscCallMPI(MPI_Allgather(&me, sizeof me, MPI_BYTE, all.data(), sizeof me, MPI_BYTE, comm));
  PetscCallMPI(MPI_Alltoall(tell.data(), sizeof(Places), MPI_BYTE, told.data(), sizeof(Places), MPI_BYTE, comm));
  own->why_mpi = WhyMpi(all, own->wanted == ExchangeWanted::always);
  if (own->why_mpi.empty()) {
    std::vector<ExchangePeer> to, from;
    EachPeer(receivers, receiver, all, told, [&to](const Places &places, ExchangePeer *peer) {
      peer->place = places.as_sender;
      peer->first = places.first;
      to.push_back(*peer);
    });
    EachPeer(senders, sender, all, told, [&from](const Places &places, ExchangePeer *peer) {
      peer->place = places.as_receiver;
      from.push_back(*peer);
    });
    int opened;
    Attempt([&] { peers->open(to, from); }, &code, &failure);
    opened = failure.empty();
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT, MPI_MIN, comm));
    if (!opened) own->why_mpi = "a rank cannot open the memory of another one's device";
  }
  if (!failure.empty()) PetscCall(PetscInfo(sf, "No exchange from device to device: %s\n", failure.c_str()));
  if (!own->why_mpi.empty()) {
    if (peers) peers->close();
    PetscCallMPI(MPI_Barrier(comm)); // nobody has this rank's window open now
    PetscCall(PetscInfo(sf, "Ghost values come by MPI: %s\n", own->why_mpi.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_dup(comm, &own->comm));
  own->peers = std::move(peers);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What is not asked for by a product on devices is PETSc's.
PetscErrorCode BcastBegin_Peers(PetscSF sf, MPI_Datatype unit, PetscMemType from, const void *x, PetscMemType to, void *y, MPI_Op op)
{
  SfExchange *own;

  PetscFunctionBegin;
  PetscCall(FindExchange(sf, &own));
  const bool may = unit == MPIU_SCALAR && op == MPI_REPLACE && PetscMemTypeDevice(from) && PetscMemTypeDevice(to) && !own->begun;
  if (may && !own->asked) PetscCall(OpenExchange(sf, own));
  if (!may || !own->peers) {
    PetscCall((*own->begin)(sf, unit, from, x, to, y, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UseCurrentStream());
  own->peers->send(x);
  own->begun = true;
  own->y     = y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BcastEnd_Peers(PetscSF sf, MPI_Datatype unit, const void *x, void *y, MPI_Op op)
{
  SfExchange *own;

  PetscFunctionBegin;
  PetscCall(FindExchange(sf, &own));
  if (!own->begun || own->y != y) {
    PetscCall((*own->end)(sf, unit, x, y, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UseCurrentStream());
  own->peers->receive(y);
  own->begun = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ChooseExchange(Mat A, const Shadow &shadow)
{
  const auto  wanted = (ExchangeWanted)shadow.common["exchange"];
  PetscSF     sf     = nullptr;
  SfExchange *own    = nullptr;
  MemorySpace space;

  PetscFunctionBegin;
  PetscCall(DefaultSpace(A, &space));
  if (space == MemorySpace::device && runtime::has_device()) PetscCall(SfOf(A, &sf));
  if (!sf) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindExchange(sf, &own));
  if (own && own->wanted == wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (own) {
    sf->ops->BcastBegin = own->begin;
    sf->ops->BcastEnd   = own->end;
    PetscCall(PetscObjectCompose((PetscObject)sf, kExchangeKey, NULL));
  }
  if (wanted == ExchangeWanted::mpi) PetscFunctionReturn(PETSC_SUCCESS);
  static bool registered = false;
  if (!std::exchange(registered, true)) PetscCall(PetscRegisterFinalize(FreeAllRetired));
  auto made    = std::make_unique<SfExchange>();
  made->begin  = std::exchange(sf->ops->BcastBegin, BcastBegin_Peers);
  made->end    = std::exchange(sf->ops->BcastEnd, BcastEnd_Peers);
  made->wanted = wanted;
  PetscCall(ComposeOwned((PetscObject)sf, kExchangeKey, made.release()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewExchange(Mat A, PetscViewer viewer)
{
  PetscSF     sf;
  SfExchange *own = nullptr;

  PetscFunctionBegin;
  PetscCall(SfOf(A, &sf));
  if (sf) PetscCall(FindExchange(sf, &own));
  if (!own || !own->asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (own->peers)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  ghost values come from device to device; bytes for them on rank 0: %zu\n", own->peers->bytes()));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  ghost values come by MPI: %s\n", own->why_mpi.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
