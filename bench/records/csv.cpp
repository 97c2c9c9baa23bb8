#include "records/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

namespace petscspmv::bench {

namespace {

std::string number(double value)
{
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr};
}

std::string quoted(const std::string &text)
{
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

struct Column {
  const char                                *name;
  std::function<std::string(const Record &)> text;
};

const std::vector<Column> &columns()
{
  static const std::vector<Column> list = {
    {"command", [](const Record &r) { return r.command; }},
    {"matrix", [](const Record &r) { return quoted(r.matrix.name); }},
    {"class", [](const Record &r) { return quoted(r.matrix.statistics.kind); }},
    {"rows", [](const Record &r) { return std::to_string(r.matrix.statistics.size.rows); }},
    {"cols", [](const Record &r) { return std::to_string(r.matrix.statistics.size.cols); }},
    {"nonzeros", [](const Record &r) { return std::to_string(r.matrix.statistics.size.nonzeros); }},
    {"competitor", [](const Record &r) { return quoted(r.competitor.name); }},
    {"options", [](const Record &r) { return quoted(r.competitor.options); }},
    {"role", [](const Record &r) { return std::string(text_of(r.competitor.role)); }},
    {"ranks", [](const Record &r) { return std::to_string(r.competitor.ranks); }},
    {"threads", [](const Record &r) { return std::to_string(r.competitor.threads); }},
    {"regime", [](const Record &r) { return std::string(text_of(r.regime)); }},
    {"status", [](const Record &r) { return std::string(text_of(r.status)); }},
    {"reason", [](const Record &r) { return quoted(r.reason); }},
    {"error", [](const Record &r) { return number(r.error); }},
    {"seconds", [](const Record &r) { return number(r.time.median); }},
    {"lower_quartile", [](const Record &r) { return number(r.time.lower); }},
    {"upper_quartile", [](const Record &r) { return number(r.time.upper); }},
    {"samples", [](const Record &r) { return std::to_string(r.time.count); }},
    {"gigaflops", [](const Record &r) { return number(gigaflops(r)); }},
    {"csr_share", [](const Record &r) { return number(csr_share(r)); }},
    {"own_share", [](const Record &r) { return r.bytes ? number(own_share(r)) : ""; }},
    {"vector_share", [](const Record &r) { return number(vector_share(r)); }},
    {"csr_bytes", [](const Record &r) { return std::to_string(csr_bytes(r.matrix.statistics.size)); }},
    {"own_bytes", [](const Record &r) { return r.bytes ? std::to_string(r.bytes->read) : ""; }},
    {"extra_bytes", [](const Record &r) { return r.bytes ? std::to_string(r.bytes->extra) : ""; }},
    {"read_bandwidth", [](const Record &r) { return number(r.bandwidth.read); }},
    {"build_seconds", [](const Record &r) { return r.conversion ? number(r.conversion->build.median) : ""; }},
    {"refresh_seconds", [](const Record &r) { return r.conversion ? number(r.conversion->refresh.median) : ""; }},
    {"iterations", [](const Record &r) { return r.solve ? std::to_string(r.solve->iterations) : ""; }},
    {"solve_seconds", [](const Record &r) { return r.solve ? number(r.solve->solve.median) : ""; }},
    {"iteration_seconds", [](const Record &r) { return r.solve ? number(r.solve->iteration.median) : ""; }},
    {"total_seconds", [](const Record &r) { return r.solve ? number(r.solve->total.median) : ""; }},
    {"step_seconds", [](const Record &r) { return r.solve && r.solve->step.count > 0 ? number(r.solve->step.median) : ""; }},
    {"cpu", [](const Record &r) { return quoted(r.machine.cpu); }},
    {"commit", [](const Record &r) { return r.versions.commit; }},
  };
  return list;
}

/// Only where there are records of a device.
std::vector<Column> device_columns()
{
  return {{"device", [](const Record &r) { return r.device ? quoted(r.device->info.name) : ""; }},
          {"empty_kernel_seconds", [](const Record &r) { return r.device ? number(r.device->floor.empty_kernel) : ""; }},
          {"copy_seconds", [](const Record &r) { return r.device ? number(r.device->floor.copy) : ""; }},
          {"launch_seconds", [](const Record &r) { return r.device ? number(r.device->launch) : ""; }},
          {"replayed", [](const Record &r) { return r.device ? std::string(r.device->replayed ? "1" : "0") : ""; }}};
}

} // namespace

std::string to_csv(const std::vector<Record> &records)
{
  std::vector<Column> table = columns();
  if (std::any_of(records.begin(), records.end(), [](const Record &r) { return r.device.has_value(); }))
    for (Column &c : device_columns()) table.push_back(std::move(c));
  std::string text;
  for (const Column &c : table) text += (text.empty() ? "" : ",") + std::string(c.name);
  text += "\n";
  for (const Record &r : records) {
    std::string line;
    for (const Column &c : table) line += (&c == &table.front() ? "" : ",") + c.text(r);
    text += line + "\n";
  }
  return text;
}

} // namespace petscspmv::bench
