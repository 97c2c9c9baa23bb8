#include <cerrno>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.hpp"
#include "plot/plot.hpp"
#include "records/results_file.hpp"

namespace petscspmv::bench {

namespace {

std::vector<std::string> arguments_of(const Invocation &invocation)
{
  std::string charts;
  for (const std::string &chart : invocation.charts) charts += (charts.empty() ? "" : ",") + chart;
  std::vector<std::string> words = {"python3", "-", invocation.output_folder, charts.empty() ? "all" : charts};
  words.insert(words.end(), invocation.inputs.begin(), invocation.inputs.end());
  return words;
}

[[noreturn]] void become_python(int input, std::vector<std::string> words)
{
  dup2(input, STDIN_FILENO);
  std::vector<char *> argv;
  argv.reserve(words.size() + 1);
  for (std::string &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

} // namespace

int run_plot(const Invocation &invocation)
{
  for (const std::string &path : invocation.inputs) read_results(path); // complains better than Python would
  int ends[2];
  if (pipe(ends) != 0) throw InputError(std::string("There is no pipe to be had: ") + std::strerror(errno) + ".");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    become_python(ends[0], arguments_of(invocation));
  }
  close(ends[0]);
  std::string_view rest = kPlotProgram;
  while (!rest.empty()) {
    const ssize_t n = write(ends[1], rest.data(), rest.size());
    if (n <= 0) break;
    rest.remove_prefix(std::size_t(n));
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw InputError(
      "The pictures are drawn by Python, and there is no python3. Install it: apt-get install python3-matplotlib, or put one "
      "with matplotlib first in PATH.");
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBad;
}

} // namespace petscspmv::bench
