#pragma once

/// \file competitors.hpp
/// Who takes part in a run: names from the command line, times ranks, times threads.

#include <string>
#include <vector>

#include "peers/peer.hpp"
#include "records/record.hpp"

namespace petscspmv::bench {

struct Competitor {
  const Peer    *peer;
  CompetitorName name;
  OptionList     options;
};

struct CompetitorWishes {
  std::vector<std::string> types; ///< names of types, "aijspec" or "aijspec:height=64"; empty: all
  std::vector<std::string> peers; ///< names of peers; empty: all that are there; "none": none
  bool                     raw    = false;
  bool                     solves = false; ///< only those whose matrices solvers take
  Place                    place  = Place::host;
  std::vector<int>         ranks;
  std::vector<int>         threads;
};

/// Throws InputError for unknown names (with those that there are) and for peers that were asked for but are not there
/// (with the remedy). `notes` receives sentences on what was left out.
std::vector<Competitor> choose_competitors(const CompetitorWishes &wishes, std::vector<std::string> &notes);

} // namespace petscspmv::bench
