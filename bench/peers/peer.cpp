#include "peers/peer.hpp"

#include <algorithm>

namespace petscspmv::bench {

namespace {

std::vector<std::unique_ptr<Peer>> &registry()
{
  static std::vector<std::unique_ptr<Peer>> peers;
  return peers;
}

} // namespace

void register_peer(std::unique_ptr<Peer> peer)
{
  registry().push_back(std::move(peer));
}

std::vector<const Peer *> all_peers()
{
  std::vector<const Peer *> peers;
  for (const auto &p : registry()) peers.push_back(p.get());
  std::sort(peers.begin(), peers.end(),
            [](const Peer *a, const Peer *b) { return std::pair(a->role(), a->name()) < std::pair(b->role(), b->name()); });
  return peers;
}

const Peer *find_peer(std::string_view name)
{
  for (const Peer *p : all_peers())
    if (p->name() == name) return p;
  return nullptr;
}

} // namespace petscspmv::bench
