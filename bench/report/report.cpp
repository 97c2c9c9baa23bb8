#include "report/report.hpp"

#include <set>

#include "report/comparison.hpp"
#include "report/sections.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

std::string title(const Setting &s)
{
  const std::string cores = s.on_device ? "on the device" : std::to_string(s.cores) + (s.cores == 1 ? " core" : " cores");
  if (s.command == "convert") return "Conversion, " + cores;
  if (s.command == "solve") return "Solution of systems, " + cores;
  return std::string("Products, ") + (s.regime == Regime::cold ? "cold caches" : "back to back (warm)") + ", " + cores;
}

/// How a device was timed, and which of the competitors otherwise.
std::string method(const Setting &s)
{
  const OnDevice &d = *s.records.front()->device;
  if (s.command != "spmv") return "Timed by the host's clock, which waits for the device at the end.";
  if (s.regime == Regime::cold)
    return "Timed by CUDA events, after " + bytes_text(double(d.flush_bytes)) + " were read to empty the cache.";
  std::set<std::string> launched;
  for (const Record *r : s.records)
    if (r->status == Status::ok && !r->device->replayed) launched.insert(r->competitor.label());
  std::string text = "Timed by CUDA events around replays of a recorded graph of products";
  for (const std::string &label : launched) text += (label == *launched.begin() ? "; launched one by one: " : ", ") + label;
  return text + ".";
}

std::string bandwidth(const Record &r)
{
  return "read " + fixed(r.bandwidth.read * 1e-9, 1) + " GB/s, copy " + fixed(r.bandwidth.copy * 1e-9, 1) + " GB/s";
}

std::string host(const Record &r)
{
  const int cores = r.competitor.cores();
  return r.machine.cpu + ", " + std::to_string(r.machine.cores) + " cores, last-level cache " + bytes_text(double(r.machine.cache_bytes)) +
         "; " + bandwidth(r) + " on " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

std::string device(const Record &r)
{
  const DeviceInfo &d = r.device->info;
  return d.name + ", " + std::to_string(d.multiprocessors) + " multiprocessors, " + bytes_text(double(d.memory)) + ", L2 cache " +
         bytes_text(double(d.cache_bytes)) + "; " + bandwidth(r) + ". " + d.software;
}

/// The machine or device and the versions, from the records themselves; more than one commit is said.
std::string conditions(const Setting &s)
{
  const Record         &r = *s.records.front();
  std::set<std::string> commits;
  for (const Record *record : s.records) commits.insert(record->versions.commit);
  std::string text = (r.device ? device(r) : host(r)) + ". PETSc " + r.versions.petsc;
  for (const auto &[name, version] : r.versions.others) text += ", " + name + " " + version;
  text += ", " + r.versions.compiler + ". petscspmv " + r.versions.petscspmv + ", commit";
  for (const std::string &c : commits) text += " " + c;
  return text + ", " + r.date.substr(0, 10) + "." + (r.device ? "\n\n" + method(s) : "");
}

std::string excluded(const Setting &s)
{
  std::string text;
  for (const Record *r : s.records)
    if (r->status == Status::wrong || r->status == Status::failed)
      text += "- " + std::string(r->status == Status::wrong ? "**WRONG**" : "failed") + ": " + r->competitor.label() + " on " +
              r->matrix.name + ": " + r->reason + "\n";
  return text.empty() ? "" : "Excluded from every mean:\n\n" + text + "\n";
}

} // namespace

std::string markdown_report(const std::vector<Record> &records, double ties)
{
  std::string text;
  for (const Setting &s : settings_of(records)) {
    text += (text.empty() ? "## " : "\n## ") + title(s) + "\n\n" + conditions(s) + "\n\n" + excluded(s);
    if (s.command == "convert") text += conversion_table(s) + footprint_table(s) + first_product_table(s);
    else text += summary_table(s, ties) + "\n" + class_table(s, ties) + "\n" + (s.command == "solve" ? solve_table(s) : matrix_table(s));
    if (s.command == "spmv" && s.on_device) text += "\n" + device_times_table(s) + launch_line(s);
    if (s.command == "spmv") text += footprint_table(s) + glue_line(s);
  }
  const std::string roofs = roof_legend(records);
  return text.empty() ? "There are no records.\n" : text + (roofs.empty() ? "" : "\n" + roofs);
}

} // namespace petscspmv::bench
