#pragma once

/// \file options.hpp
/// The options that several sub-commands share.

#include <string>
#include <vector>

#include "commands/competitors.hpp"
#include "measure/contest.hpp"

namespace petscspmv::bench {

struct RunOptions {
  std::vector<std::string> matrices;
  CompetitorWishes         wishes;
  ContestSettings          contest;
  std::vector<std::string> regimes = {"cold", "warm"};
  std::string              output, csv, baseline, plugin, corrupt;
  double                   tolerance = 0.05;
  double                   flush_mb  = 0; ///< 0: twice the last-level cache
  bool                     resume = false, replace = false, quiet = false;
};

struct AutoOptions {
  double seconds = 10;
  int    most    = 10000; ///< products
  int    values  = 0;     ///< products between new values; 0: none are new
};

/// What main() does with a command: parsed options, and what is left for PETSc.
struct Invocation {
  std::string              command;
  RunOptions               run;
  AutoOptions              automatic;
  std::vector<int>         columns    = {1, 2, 4, 8, 16, 32};   ///< of spmm
  bool                     transposed = false, on_host = false; ///< of spmm
  std::vector<std::string> inputs;                              ///< of report and plot
  std::string              output_folder;                       ///< of plot
  std::vector<std::string> charts;                              ///< of plot
  bool                     csv              = false;            ///< report --csv
  bool                     default_matrices = false;            ///< list --default-matrices
  double                   ties             = 0.02;             ///< of report
  std::vector<std::string> petsc_options;                       ///< after --
};

/// Exit codes.
inline constexpr int kGood = 0, kBad = 1, kUsage = 2, kInterrupted = 130;

/// Matrices for a run without arguments: about ten minutes on two cores, with every class of structure, in and out of
/// cache.
std::vector<std::string> default_matrices(const std::string &command);

/// What the default set may take: a matrix ends when its budget is used up, in each regime.
double default_seconds(const Invocation &invocation);

/// Fills `invocation`. Returns true to go on; else help or a complaint was printed (if `speaks`) and `exit_code` is
/// set.
bool parse_command_line(int argc, char **argv, bool speaks, Invocation &invocation, int &exit_code);

} // namespace petscspmv::bench
