#pragma once

/// \file options.hpp
/// The options that several sub-commands share.

#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Config.hpp>

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

/// What main() does with a command: parsed options, and what is left for PETSc.
struct Invocation {
  std::string              command;
  RunOptions               run;
  std::vector<std::string> inputs;                   ///< of report and plot
  std::string              output_folder;            ///< of plot
  std::vector<std::string> charts;                   ///< of plot
  bool                     csv              = false; ///< report --csv
  bool                     default_matrices = false; ///< list --default-matrices
  double                   ties             = 0.02;  ///< of report
  std::vector<std::string> petsc_options;            ///< after --
};

/// Matrices for a run without arguments: about five minutes on two cores, with every class of structure, in and out of cache.
std::vector<std::string> default_matrices(const std::string &command);

/// Defines the sub-commands on `app`; parsing fills `invocation`.
void define_commands(CLI::App &app, Invocation &invocation);

} // namespace petscspmv::bench
