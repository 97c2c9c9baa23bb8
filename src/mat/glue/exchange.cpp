#include "glue/exchange.hpp"

#include <petsc/private/sfimpl.h> // its functions

#include <algorithm>
#include <list>
#include <utility>

#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

constexpr char kExchangeKey[] = "petscspmv_exchange";

/// An exchange that no product uses any more. Its window stays until all ranks have closed it.
struct Retired {
  std::unique_ptr<PeerExchange> peers;
  MPI_Comm                      comm;
  MPI_Request                   closed = MPI_REQUEST_NULL;
};

auto &retired = *new std::list<Retired>;

PetscErrorCode FreeRetired(bool wait)
{
  PetscFunctionBegin;
  for (auto r = retired.begin(); r != retired.end();) {
    int done = 0;
    if (wait) PetscCallMPI(MPI_Wait(&r->closed, MPI_STATUS_IGNORE)); // NOLINT(*.MPI-Checker): it began elsewhere
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
  return FreeRetired(true);
}

/// What a PetscSF has beside PETSc's own.
struct SfExchange {
  decltype(_PetscSFOps::BcastBegin) begin = nullptr; ///< PETSc's own
  decltype(_PetscSFOps::BcastEnd)   end   = nullptr;
  ExchangeWanted                    wanted;
  bool                              asked = false;
  std::string                       why_mpi; ///< if it is not `peers`
  std::unique_ptr<PeerExchange>     peers;   ///< null: MPI
  MPI_Comm                          comm  = MPI_COMM_NULL;
  bool                              begun = false; ///< and has not ended
  void                             *y     = nullptr;

  ~SfExchange()
  {
    if (!peers) return;
    peers->close();
    Retired &r = retired.emplace_back(Retired{std::move(peers), comm});
    static_cast<void>(MPI_Ibarrier(comm, &r.closed));
  }
};

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

/// The ranks that this one sends to, or receives from, and what.
struct Partners {
  std::vector<PetscMPIInt> rank;
  ExchangedEntries         entries{{0}, {}};

  void set(SfCount ranks, const PetscMPIInt *from, const PetscInt *first, const PetscInt *entry)
  {
    rank.assign(from, from + ranks);
    for (SfCount r = 0; r < ranks; ++r) entries.first.push_back(first[r + 1] - first[0]);
    if (ranks > 0) entries.entry.assign(entry + first[0], entry + first[ranks]);
  }
};

PetscErrorCode GetPartners(PetscSF sf, Partners *receivers, Partners *senders)
{
  SfCount            ranks;
  const PetscMPIInt *rank;
  const PetscInt    *first, *entry;

  PetscFunctionBegin;
  PetscCall(PetscSFGetLeafRanks(sf, &ranks, &rank, &first, &entry));
  receivers->set(ranks, rank, first, entry);
  PetscCall(PetscSFGetRootRanks(sf, &ranks, &rank, &first, &entry, NULL));
  senders->set(ranks, rank, first, entry);
  PetscFunctionReturn(PETSC_SUCCESS);
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
  const Finally free([&] { return MPI_Comm_free(&host); });
  PetscCallMPI(MPI_Comm_size(host, &of_host));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &of_host, 1, MPI_INT, MPI_MIN, comm));
  *is = of_host == size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells each partner what place it has here, and finds this rank's place at each of them. Collective.
PetscErrorCode MeetPartners(MPI_Comm comm, const Partners &receivers, const Partners &senders, const std::vector<Introduction> &all,
                            std::vector<ExchangePeer> *to, std::vector<ExchangePeer> *from)
{
  std::vector<Places> tell(all.size()), told(all.size());

  PetscFunctionBegin;
  for (std::size_t k = 0; k < senders.rank.size(); ++k) {
    Places &places   = tell[(std::size_t)senders.rank[k]];
    places.as_sender = (std::int64_t)k;
    places.first     = senders.entries.first[k];
  }
  for (std::size_t k = 0; k < receivers.rank.size(); ++k) tell[(std::size_t)receivers.rank[k]].as_receiver = (std::int64_t)k;
  PetscCallMPI(MPI_Alltoall(tell.data(), sizeof(Places), MPI_BYTE, told.data(), sizeof(Places), MPI_BYTE, comm));
  for (const PetscMPIInt rank : receivers.rank) {
    to->push_back(all[(std::size_t)rank].itself);
    to->back().place = told[(std::size_t)rank].as_sender;
    to->back().first = told[(std::size_t)rank].first;
  }
  for (const PetscMPIInt rank : senders.rank) {
    from->push_back(all[(std::size_t)rank].itself);
    from->back().place = told[(std::size_t)rank].as_receiver;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a window and opens those of others; `why_mpi` if not all ranks can. Collective.
PetscErrorCode OpenWindows(PetscSF sf, bool may_share, std::unique_ptr<PeerExchange> *peers, std::string *why_mpi)
{
  const MPI_Comm            comm = PetscObjectComm((PetscObject)sf);
  PetscMPIInt               size, rank;
  Partners                  receivers, senders;
  Introduction              me;
  std::vector<ExchangePeer> to, from;
  std::string               failure;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(GetPartners(sf, &receivers, &senders));
  Try(&failure, [&] {
    if (!exchange_maker.has_device()) throw FormatError(runtime::device_problem());
    *peers    = exchange_maker.make(PetscDefined(USE_COMPLEX) ? 2 : 1, receivers.entries, senders.entries);
    me.device = exchange_maker.device_name();
    me.itself = {(*peers)->window(), senders.entries.ranks(), receivers.entries.ranks(), senders.entries.first.back()};
    me.works  = std::count(receivers.rank.begin(), receivers.rank.end(), rank) == 0; // no process opens a window of its own
  });
  std::vector<Introduction> all((std::size_t)size);
  PetscCallMPI(MPI_Allgather(&me, sizeof me, MPI_BYTE, all.data(), sizeof me, MPI_BYTE, comm));
  PetscCall(MeetPartners(comm, receivers, senders, all, &to, &from));
  *why_mpi = WhyMpi(all, may_share);
  if (why_mpi->empty()) {
    Try(&failure, [&] { (*peers)->open(to, from); });
    int opened = failure.empty();
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT, MPI_MIN, comm));
    if (!opened) *why_mpi = "a rank cannot open the memory of another one's device";
  }
  if (!failure.empty()) PetscCall(PetscInfo(sf, "No exchange from device to device: %s\n", failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Opens the exchange, if all ranks can, or leaves it to MPI. Collective.
PetscErrorCode OpenExchange(PetscSF sf, SfExchange *own)
{
  const MPI_Comm                comm = PetscObjectComm((PetscObject)sf);
  std::unique_ptr<PeerExchange> peers;
  bool                          one_host = false;

  PetscFunctionBegin;
  own->asked = true;
  PetscCall(FreeRetired(false));
  PetscCall(IsOneHost(comm, &one_host));
  if (one_host) PetscCall(OpenWindows(sf, own->wanted == ExchangeWanted::always, &peers, &own->why_mpi));
  else own->why_mpi = "ranks are on several hosts";
  if (own->why_mpi.empty()) {
    PetscCallMPI(MPI_Comm_dup(comm, &own->comm));
    own->peers = std::move(peers);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (peers) peers->close();
  PetscCallMPI(MPI_Barrier(comm)); // nobody has this rank's window open now
  PetscCall(PetscInfo(sf, "Ghost values come by MPI: %s\n", own->why_mpi.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What is not asked for by a product on devices is PETSc's.
PetscErrorCode BcastBegin_Peers(PetscSF sf, MPI_Datatype unit, PetscMemType from, const void *x, PetscMemType to, void *y, MPI_Op op)
{
  SfExchange *own;

  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)sf, kExchangeKey, &own));
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
  PetscCall(GetOwned((PetscObject)sf, kExchangeKey, &own));
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

PetscErrorCode SetExchange(PetscSF sf, ExchangeWanted wanted)
{
  SfExchange *own;

  PetscFunctionBegin;
  PetscCall(FindOwned((PetscObject)sf, kExchangeKey, &own));
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
  made->begin  = sf->ops->BcastBegin;
  made->end    = sf->ops->BcastEnd;
  made->wanted = wanted;
  PetscCall(ComposeOwned((PetscObject)sf, kExchangeKey, made.release()));
  sf->ops->BcastBegin = BcastBegin_Peers;
  sf->ops->BcastEnd   = BcastEnd_Peers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseExchange(const Entry &e)
{
  PetscSF sf = nullptr;

  PetscFunctionBegin;
  if (built_for_device && e.home == MemorySpace::device) PetscCall(SfOf(e.A, &sf)); // on all ranks or on none
  if (sf) PetscCall(SetExchange(sf, e.own->common[kExchangeOption]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DescribeExchange(PetscSF sf, std::string *text)
{
  SfExchange *own;

  PetscFunctionBegin;
  text->clear();
  PetscCall(FindOwned((PetscObject)sf, kExchangeKey, &own));
  if (!own || !own->asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (own->peers) *text = "from device to device; bytes for them on rank 0: " + std::to_string(own->peers->bytes());
  else *text = "by MPI: " + own->why_mpi;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewExchange(Mat A, PetscViewer viewer)
{
  PetscSF     sf;
  std::string text;

  PetscFunctionBegin;
  PetscCall(SfOf(A, &sf));
  if (sf) PetscCall(DescribeExchange(sf, &text));
  if (!text.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  ghost values come %s\n", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
