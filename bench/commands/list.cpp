#include <algorithm>
#include <iostream>

#include "commands/commands.hpp"
#include "generators/generator.hpp"
#include "generators/twin_table.hpp"

namespace petscspmv::bench {

namespace {

void list_peers(Role role, Place place, const char *title)
{
  std::cout << title << "\n";
  for (const Peer *p : all_peers())
    if (p->role() == role && p->runs_on(place))
      std::cout << "  " << p->name() << std::string(p->name().size() < 14 ? 14 - p->name().size() : 1, ' ') << p->help()
                << (p->unavailable().empty() ? "" : " (not here: " + p->unavailable() + ")") << "\n";
}

void list_generators()
{
  std::cout << "Generators, as in 7pt:160,coef=variable,seed=3; all take seed=N and shuffle=none|rows|both\n";
  for (const Generator &g : generators()) {
    std::cout << "  " << g.name << ":" << g.default_size
              << std::string(g.name.size() + g.default_size.size() < 18 ? 18 - g.name.size() - g.default_size.size() : 1, ' ') << g.help
              << " (size: " << g.size_help << ")\n";
    for (const Parameter &p : g.parameters) {
      std::cout << "      " << p.key << "=" << p.default_value << "  " << p.help;
      for (std::size_t k = 0; k < p.choices.size(); ++k) std::cout << (k ? "|" : ": ") << p.choices[k];
      std::cout << "\n";
    }
  }
  std::cout << "Twins, made from published statistics:\n ";
  for (const TwinStatistics &t : kTwins) std::cout << " " << t.name;
  std::cout << "\n";
}

} // namespace

int run_list(const Invocation &invocation)
{
  if (invocation.default_matrices) {
    for (const std::string &name : default_matrices("spmv")) std::cout << name << "\n";
    return 0;
  }
  const auto on_device = [](const Peer *p) { return p->role() == Role::peer && p->runs_on(Place::device); };
  const auto peers     = all_peers();
  list_peers(Role::type, Place::host, "Types");
  list_peers(Role::peer, Place::host, "Peers");
  if (std::any_of(peers.begin(), peers.end(), on_device)) list_peers(Role::peer, Place::device, "Peers with --device");
  list_generators();
  return 0;
}

} // namespace petscspmv::bench
