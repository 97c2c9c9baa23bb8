#include "commands/options.hpp"

#include <CLI/CLI.hpp> // the whole: parts have moved between its headers

#include "petsc/plugin.hpp"

namespace petscspmv::bench {

namespace {

constexpr const char *kMatrixHelp =
  "Matrix Market files (.mtx, .mtx.gz), PETSc binary files, folders of them, and generators such as 7pt:160, "
  "fem:200k,b=3,order=shuffled or twin:cant ('petscspmv-bench list' shows all). None: a default set";

constexpr const char *kFooter = "Options after -- go to PETSc: petscspmv-bench spmv 7pt:100 -- -mat_spmv_isa avx2 -log_view";

void add_competitors(CLI::App &app, RunOptions &o)
{
  app.add_option("matrices", o.matrices, kMatrixHelp)->option_text("FILE|FOLDER|GENERATOR ...");
  app
    .add_option("-t,--types", o.wishes.types,
                "Types of ours, with options to try: aijspec,aijspec:height=64,ccoo:values=raw; 'none' for none. Default: all")
    ->delimiter(',')
    ->option_text("TYPE,...");
  app.add_option("-p,--peers", o.wishes.peers, "Peers to compare with; 'none' for none. Default: all that are there")
    ->delimiter(',')
    ->option_text("PEER,...");
  app.add_option("--threads", o.wishes.threads, "Threads of a rank, one or several numbers. Default: 1")
    ->delimiter(',')
    ->check(CLI::Range(1, 1024))
    ->option_text("N,...");
  app
    .add_option("--ranks", o.wishes.ranks, "How many of the MPI ranks take part, one or several numbers. Default: all that mpiexec started")
    ->delimiter(',')
    ->check(CLI::Range(1, 1 << 20))
    ->option_text("N,...");
  app.add_option("--plugin", o.plugin, "The plugin to load")->default_str(default_plugin())->option_text("FILE");
}

CLI::Option *add_device(CLI::App &app, RunOptions &o)
{
  return app
    .add_flag(
      "--device", [&o](std::int64_t) { o.wishes.place = Place::device; },
      "Everything on a GPU: our types on device vectors, and the peers that run there (cuSPARSE, aijcusparse, csrvector). Without it, all "
      "runs on the host")
    ->excludes("--threads")
    ->excludes("--ranks");
}

void add_output(CLI::App &app, RunOptions &o)
{
  app.add_option("-o,--output", o.output, "Writes a line of JSON for each measurement")->option_text("FILE.jsonl");
  app.add_option("--csv", o.csv, "Writes the same as a table for spreadsheets")->option_text("FILE.csv");
  auto *resume = app.add_flag("--resume", o.resume, "Goes on with an interrupted run: measures what --output does not hold yet");
  app.add_flag("--replace", o.replace, "Replaces the file of --output if there is one")->excludes(resume);
  resume->needs("--output");
  app.add_flag("-q,--quiet", o.quiet, "No progress on stderr");
}

void add_protocol(CLI::App &app, RunOptions &o)
{
  app.add_option("--samples", o.contest.samples, "Samples of each competitor")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--budget", o.contest.budget, "Seconds for a matrix and regime; 5 samples are taken in any case")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
}

void add_comparison(CLI::App &app, RunOptions &o)
{
  auto *baseline =
    app.add_option("--baseline", o.baseline, "Compares with the results of an earlier run; the exit code is 1 if something became slower")
      ->option_text("FILE.jsonl");
  app.add_option("--tolerance", o.tolerance, "By how much it may be slower: 0.05 is 5 %")
    ->check(CLI::Range(0.0, 100.0))
    ->capture_default_str()
    ->needs(baseline);
  app.add_option("--corrupt", o.corrupt, "Spoils one entry of the results of this competitor, to see that the check finds it")
    ->option_text("NAME");
}

void define_spmv(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("spmv", "Times products y = A x of types and peers, and checks each result");
  add_competitors(*c, i.run);
  auto *raw = c->add_flag("--raw", i.run.wishes.raw, "Times the formats without PETSc, too: the difference is what the glue costs");
  add_device(*c, i.run)->excludes(raw);
  c->add_option("--regimes", i.run.regimes, "cold: caches emptied before each product; warm: back to back")
    ->delimiter(',')
    ->check(CLI::IsMember({"cold", "warm"}))
    ->option_text("cold,warm");
  add_protocol(*c, i.run);
  c->add_option("--flush-mb", i.run.flush_mb,
                "Megabytes read to empty the caches. Default: twice the last-level cache; on a device at least 537")
    ->check(CLI::PositiveNumber);
  add_output(*c, i.run);
  add_comparison(*c, i.run);
  c->footer(kFooter);
}

void define_spmm(CLI::App &app, Invocation &i)
{
  CLI::App *c =
    app.add_subcommand("spmm", "Times products Y = A X with several vectors at once on a GPU: by our methods through Kokkos, by "
                               "their products with single vectors, and by cuSPARSE; or on the host, by MatMatMult() and MKL");
  c->add_option("matrices", i.run.matrices, kMatrixHelp)->option_text("FILE|FOLDER|GENERATOR ...");
  c->add_option("-t,--types", i.run.wishes.types, "Methods of ours. Default: all")->delimiter(',')->option_text("METHOD,...");
  c->add_option("--columns", i.columns, "Numbers of vectors")->delimiter(',')->check(CLI::Range(1, 1024))->capture_default_str();
  c->add_flag("--transposed", i.transposed, "Y = A^T X. On a GPU, what the first product takes with its index, and new values");
  c->add_flag("--host", i.on_host, "On the host");
  add_protocol(*c, i.run);
}

void define_spgemm(CLI::App &app, Invocation &i)
{
  CLI::App *c =
    app.add_subcommand("spgemm", "Times products of sparse matrices, A A, and P^T A P on the levels of PCGAMG: first ones, and "
                                 "with new values, by us and by each algorithm of PETSc's");
  c->add_option("matrices", i.run.matrices, kMatrixHelp)->option_text("FILE|FOLDER|GENERATOR ...");
  auto *threads = c->add_option("--threads", i.run.wishes.threads, "Threads of ours, one or several numbers. Default: 1")
                    ->delimiter(',')
                    ->check(CLI::Range(1, 1024))
                    ->option_text("N,...");
  c->add_flag_function(
     "--device", [&i](std::int64_t) { i.run.wishes.place = Place::device; },
     "On a GPU, where PETSc multiplies by cuSPARSE; tells the memory, too")
    ->excludes(threads);
  add_protocol(*c, i.run);
  c->footer("Nodes of several rows: petscspmv-bench spgemm 27pt:24,b=3 -- -mat_block_size 3");
}

void define_convert(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("convert", "Times building and refreshing, in products, and tells the memory");
  add_competitors(*c, i.run);
  auto *raw = c->add_flag("--raw", i.run.wishes.raw, "The formats without PETSc, too");
  add_device(*c, i.run)->excludes(raw);
  add_protocol(*c, i.run);
  add_output(*c, i.run);
  add_comparison(*c, i.run);
  c->footer(kFooter);
}

void define_solve(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("solve", "Solves A x = b with a KSP: iterations, time of each, time to solution with conversion");
  add_competitors(*c, i.run);
  add_device(*c, i.run);
  c->add_option("--samples", i.run.contest.samples, "Solves with each competitor")->check(CLI::Range(1, 1000))->capture_default_str();
  c->add_option("--budget", i.run.contest.budget, "Seconds for a matrix; one solve is made in any case")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  add_output(*c, i.run);
  add_comparison(*c, i.run);
  c->footer("Any KSP and PC: petscspmv-bench solve 7pt:60 -- -ksp_type cg -pc_type jacobi -ksp_rtol 1e-8");
}

void define_report(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("report", "Prints a Markdown report from results");
  c->add_option("results", i.inputs, "Files written with --output")->required()->option_text("FILE.jsonl ...");
  c->add_option("--ties", i.ties, "Differences up to this count as ties: 0.02 is 2 %")->check(CLI::Range(0.0, 1.0))->capture_default_str();
  c->add_flag("--csv", i.csv, "Prints the records as a table for spreadsheets instead");
}

void define_plot(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("plot", "Draws pictures from results, as PNG and SVG (needs Python with matplotlib)");
  c->add_option("results", i.inputs, "Files written with --output")->required()->option_text("FILE.jsonl ...");
  c->add_option("-d,--directory", i.output_folder, "Where the pictures go")->default_val(".");
  c->add_option("--charts", i.charts, "Which ones. Default: all that the results allow")
    ->delimiter(',')
    ->check(CLI::IsMember({"speedup", "roofline", "profile", "breakeven", "solutions"}))
    ->option_text("speedup,roofline,profile,breakeven,solutions");
}

void define_auto(CLI::App &app, Invocation &i)
{
  CLI::App *c = app.add_subcommand("auto", "Times aijauto over 1, 3, 10, ... products against aij, and at last against the best type");
  add_competitors(*c, i.run);
  c->add_flag("-q,--quiet", i.run.quiet, "No progress on stderr");
  c->add_option("--products", i.automatic.most, "Products in all")->check(CLI::Range(1, 1 << 24))->capture_default_str();
  c->add_option("--new-values", i.automatic.values, "Products after which values are new, as in Newton's method; 0: never")
    ->check(CLI::Range(0, 1 << 24))
    ->capture_default_str();
  c->add_option("--seconds", i.automatic.seconds, "A matrix ends at the last step before so many seconds")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  c->footer(kFooter);
}

void define_commands(CLI::App &app, Invocation &i)
{
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help on all commands");
  app.set_version_flag("--version", PETSCSPMV_BENCH_VERSION);
  define_spmv(app, i);
  define_spmm(app, i);
  define_spgemm(app, i);
  define_convert(app, i);
  define_solve(app, i);
  define_auto(app, i);
  define_report(app, i);
  define_plot(app, i);
  CLI::App *list = app.add_subcommand("list", "Lists types, peers and generators");
  list->add_flag("--default-matrices", i.default_matrices, "Only the matrices of a run without any");
  for (CLI::App *c : app.get_subcommands({}))
    c->callback([&i, c] {
      i.command = c->get_name();
      if (i.command == "spmm" && !i.on_host) i.run.wishes.place = Place::device;
    });
}

/// CLI11 says of a wrong word only that there is no subcommand.
void check_command(CLI::App &app, const std::string &word)
{
  std::string known;
  for (const CLI::App *c : app.get_subcommands({})) {
    if (c->get_name() == word) return;
    known += (known.empty() ? "" : ", ") + c->get_name();
  }
  throw CLI::ExtrasError("There is no command '" + word + "'. There are: " + known + ".", CLI::ExitCodes::ExtrasError);
}

} // namespace

std::vector<std::string> default_matrices(const std::string &command)
{
  if (command == "solve") return {"5pt:300", "7pt:40", "7pt:40,coef=variable", "27pt:24", "fem:50k", "materials:40"};
  return {"5pt:1500",
          "5pt:200",
          "9pt:900,coef=variable",
          "7pt:100",
          "7pt:100,coef=diagonal",
          "7pt:100,coef=variable",
          "27pt:56",
          "27pt:56,shuffle=both",
          "27pt:28,b=3,coef=variable",
          "banded:400k",
          "materials:100",
          "blockfem:28",
          "fem:300k",
          "fem:300k,order=banded,values=table",
          "fem:120k,b=2",
          "fem:60k,b=3",
          "27pt:26,b=4,coef=variable",
          "fem:14k,b=6",
          "fem:4k,b=3,order=shuffled",
          "random:300k",
          "rmat:18",
          "rmat:18,labels=random",
          "powerlaw:400k",
          "circuit:500k",
          "denselines:300k",
          "lp:3000x400k",
          "twin:scircuit",
          "twin:mac_econ_fwd500",
          "twin:cant",
          "twin:webbase-1M"};
}

double default_seconds(const Invocation &i)
{
  const double matrices = double(default_matrices(i.command).size());
  if (i.command == "auto") return matrices * i.automatic.seconds;
  if (i.command == "spmv") return matrices * i.run.contest.budget * double(i.run.regimes.size());
  if (i.command == "spgemm") return matrices * i.run.contest.budget * 2;
  if (i.command == "spmm") return matrices * i.run.contest.budget * 2 * double(i.columns.size());
  return matrices * i.run.contest.budget;
}

bool parse_command_line(int argc, char **argv, bool speaks, Invocation &invocation, int &exit_code)
{
  int own = 1; // words before "--"; the others are PETSc's
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  for (int k = own + 1; k < argc; ++k) invocation.petsc_options.emplace_back(argv[k]);

  CLI::App app("Measures products with sparse matrices: the types of petscspmv, and what one would take instead.");
  define_commands(app, invocation);
  try {
    if (own > 1 && argv[1][0] != '-') check_command(app, argv[1]);
    app.parse(own, argv);
    return true;
  } catch (const CLI::ParseError &e) {
    exit_code = e.get_exit_code() == 0 ? kGood : kUsage;
    if (speaks) app.exit(e);
    return false;
  }
}

} // namespace petscspmv::bench
