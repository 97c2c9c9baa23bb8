#include <algorithm>
#include <map>

#include "report/comparison.hpp"
#include "report/report.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

std::string heading(const Record &r)
{
  const MatrixStatistics &s = r.matrix.statistics;
  return r.matrix.name + ": " + count(s.size.rows) + " x " + count(s.size.cols) + ", " + count(s.size.nonzeros) +
         (s.size.nonzeros == 1 ? " nonzero, " : " nonzeros, ") + s.kind + ", " + fixed(s.row_mean, 1) + " a row (at most " +
         count(s.row_max) + "), CSR " + bytes_text(double(csr_bytes(s.size))) +
         (r.command == "spmv" ? std::string(", ") + text_of(r.regime) : "") + "\n";
}

/// What stands beside the times of products on a device.
std::string device_lines(const std::vector<Record> &records)
{
  const Record &r = records.front();
  if (!r.device || r.command != "spmv") return "";
  std::string text = r.device->info.name + ": an empty kernel takes " + duration(r.device->floor.empty_kernel) +
                     ", a copy as large as x and y " + duration(r.device->floor.copy) + "; read " + fixed(r.bandwidth.read * 1e-9, 0) +
                     " GB/s, copy " + fixed(r.bandwidth.copy * 1e-9, 0) + " GB/s\n";
  if (r.regime == Regime::cold) return text;
  std::string launched;
  for (const Record &o : records)
    if (o.status == Status::ok && !o.device->replayed) launched += (launched.empty() ? "" : ", ") + o.competitor.label();
  return launched.empty() ? text : text + "not recorded in a graph but launched one by one: " + launched + "\n";
}

/// The time that speed-ups are relative to: aij on as many cores; on a device, the best of the peers.
const Record *reference(const std::vector<Record> &records, const Record &r)
{
  if (r.device) {
    std::vector<const Record *> all;
    all.reserve(records.size());
    for (const Record &o : records) all.push_back(&o);
    return best_peer(all, r.matrix.name);
  }
  for (const Record &o : records)
    if (o.competitor.name == "aij" && o.competitor.cores() == r.competitor.cores() && o.status == Status::ok && compared_time(o) > 0)
      return &o;
  return nullptr;
}

std::string reference_heading(const std::vector<Record> &records)
{
  return records.front().device ? "vs best peer" : "vs aij";
}

std::string spread(const Quantiles &q)
{
  return q.median > 0 ? fixed(100 * (q.upper - q.lower) / q.median, 0) + " %" : "";
}

std::string against(const std::vector<Record> &records, const Record &r)
{
  const Record *o = reference(records, r);
  return o ? fixed(compared_time(*o) / compared_time(r), 2) + "x" : "";
}

void add_problem(TextTable &table, const Record &r, std::size_t columns, std::string &notes)
{
  std::vector<std::string> row(columns);
  row[0] = r.competitor.label();
  row[1] = r.status == Status::wrong ? "WRONG" : "failed";
  table.add_row(std::move(row));
  notes += "  " + r.competitor.label() + ": " + r.reason + "\n";
}

/// What those who ran have to say of their times, each sentence once.
std::string remarks(const std::vector<Record> &records)
{
  std::map<std::string, std::string> labels; ///< by sentence
  for (const Record &r : records) {
    if (r.status != Status::ok || r.reason.empty()) continue;
    std::string &list = labels[r.reason];
    list += (list.empty() ? "" : ", ") + r.competitor.label();
  }
  std::string text;
  for (const auto &[sentence, list] : labels) text += "  " + list + ": " + sentence + "\n";
  return text;
}

TextTable products(const std::vector<Record> &records, std::string &notes)
{
  const bool               on_device = records.front().device.has_value();
  std::vector<std::string> headings  = {"<competitor", "time",     "IQR",     "GFLOP/s", reference_heading(records),
                                        "CSR roof",    "own roof", "vectors", "build"};
  if (on_device) headings.emplace_back("launch");
  TextTable table(headings);
  for (const Record &r : records) {
    if (r.status == Status::skipped) continue;
    if (r.status != Status::ok) {
      add_problem(table, r, headings.size(), notes);
      continue;
    }
    std::vector<std::string> row = {r.competitor.label(),   duration(r.time.median),  spread(r.time),
                                    fixed(gigaflops(r), 2), against(records, r),      percent(csr_share(r)),
                                    percent(own_share(r)),  percent(vector_share(r)), fixed(build_products(r), 1)};
    if (on_device) row.push_back(duration(r.device->launch));
    table.add_row(std::move(row));
  }
  return table;
}

TextTable conversions(const std::vector<Record> &records, std::string &notes)
{
  const std::vector<std::string> headings = {"<competitor", "product", "build", "in products", "refresh", "in products", "read", "extra"};
  TextTable                      table(headings);
  for (const Record &r : records) {
    if (r.status == Status::skipped) continue;
    if (r.status != Status::ok || !r.conversion) {
      add_problem(table, r, headings.size(), notes);
      continue;
    }
    const Conversion &c = *r.conversion;
    table.add_row({r.competitor.label(), duration(r.time.median), duration(c.build.median), fixed(c.build.median / r.time.median, 1),
                   duration(c.refresh.median), fixed(c.refresh.median / r.time.median, 1), r.bytes ? bytes_text(double(r.bytes->read)) : "",
                   r.bytes ? bytes_text(double(r.bytes->extra)) : ""});
  }
  return table;
}

TextTable solves(const std::vector<Record> &records, std::string &notes)
{
  const std::vector<std::string> headings = {
    "<competitor", "total", reference_heading(records), "iterations", "per iteration", "convert", "setup", "solve", "new values"};
  TextTable table(headings);
  for (const Record &r : records) {
    if (r.status == Status::skipped) continue;
    if (r.status != Status::ok || !r.solve) {
      add_problem(table, r, headings.size(), notes);
      continue;
    }
    const Solve &s = *r.solve;
    table.add_row({r.competitor.label(), duration(s.total.median), against(records, r), std::to_string(s.iterations),
                   s.iterations > 0 ? duration(s.iteration.median) : "", duration(s.convert.median), duration(s.setup.median),
                   duration(s.solve.median), s.step.count > 0 ? duration(s.step.median) : ""});
  }
  return table;
}

} // namespace

std::string terminal_table(const std::vector<Record> &records)
{
  if (records.empty()) return "";
  std::string        notes;
  const std::string &command = records.front().command;
  const TextTable    table   = command == "convert" ? conversions(records, notes)
                               : command == "solve" ? solves(records, notes)
                                                    : products(records, notes);
  return heading(records.front()) + device_lines(records) + table.terminal() + notes + remarks(records) + "\n";
}

std::string roof_legend(const std::vector<Record> &records)
{
  const bool timed = std::any_of(records.begin(), records.end(), [](const Record &r) { return r.command == "spmv"; });
  return !timed ? ""
                : "Roof: how much of a product's time memory needs, as fast as it was read here, to bring x, y and the matrix: as "
                  "CSR, or\nin the competitor's own form; vectors: x and y alone. Within a cache it can be above 100 %.\n";
}

} // namespace petscspmv::bench
