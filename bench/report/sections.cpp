#include "report/sections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>

#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

std::string times(double ratio)
{
  return fixed(ratio, 2) + "x";
}

std::string extreme(const Duel *d)
{
  return d ? times(d->speedup) + " (" + d->subject->matrix.name + ")" : "";
}

std::string result(const Score &s)
{
  return std::to_string(s.wins) + " / " + std::to_string(s.ties) + " / " + std::to_string(s.losses);
}

std::vector<std::string> opponents(const Setting &s)
{
  std::vector<std::string> list = s.labels(Role::peer);
  if (list.size() > 1) list.emplace_back(kBestPeer);
  return list;
}

/// The opponent of the tables that have room for one: who was right on the most matrices; among several such PETSc's
/// aij in the same setting, on a device its aijcusparse or else cuSPARSE's CSR, else whoever came first.
std::string main_opponent(const Setting &s)
{
  const auto list     = s.labels(Role::peer);
  const auto standing = [&s](const std::string &label) {
    const auto ok    = [&label](const Record *r) { return r->status == Status::ok && r->competitor.label() == label; };
    const auto is    = [&label](std::string_view name) { return label == name || label.starts_with(std::string(name) + "@"); };
    const int  comes = s.on_device ? (is("aijcusparse") ? 2 : is("cusparse-csr1") ? 1 : 0) : is("aij");
    return std::pair(std::count_if(s.records.begin(), s.records.end(), ok), comes);
  };
  const auto less = [&](const std::string &a, const std::string &b) { return standing(a) < standing(b); };
  return list.empty() ? "" : *std::max_element(list.begin(), list.end(), less);
}

/// The type whose build on a device is bringing rows there, and next to nothing besides.
constexpr const char *kBringsRows = "aijspec";

bool is_converted(const Record *r)
{
  return r && r->status == Status::ok && r->conversion;
}

bool beyond_cache(const Record &r)
{
  return csr_bytes(r.matrix.statistics.size) > cache_of(r);
}

struct Shelf {
  std::string                         name;
  std::function<bool(const Record &)> holds;
};

/// By size, then every class that occurs.
std::vector<Shelf> shelves(const Setting &s)
{
  std::vector<Shelf>       list = {{"larger than the cache", [](const Record &r) { return beyond_cache(r); }},
                                   {"within the cache", [](const Record &r) { return !beyond_cache(r); }}};
  std::vector<std::string> kinds;
  for (const Record *r : s.records) kinds.push_back(r->matrix.statistics.kind);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  for (const std::string &kind : kinds) list.push_back({kind, [kind](const Record &r) { return r.matrix.statistics.kind == kind; }});
  return list;
}

std::vector<Duel> only(const std::vector<Duel> &all, const Shelf &shelf)
{
  std::vector<Duel> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&shelf](const Duel &d) { return shelf.holds(*d.subject); });
  return some;
}

std::string speedup_cell(const Record &subject, const Record *opponent)
{
  if (subject.status != Status::ok) return subject.status == Status::wrong ? "WRONG" : text_of(subject.status);
  return opponent && opponent->status == Status::ok ? times(compared_time(*opponent) / compared_time(subject)) : "";
}

std::string best_cell(const Setting &s, const Record &subject)
{
  const Record     *best = best_peer(s.records, subject.matrix.name);
  const std::string cell = speedup_cell(subject, best);
  return best && subject.status == Status::ok ? cell + " (" + best->competitor.name + ")" : cell;
}

} // namespace

std::string summary_table(const Setting &s, double ties)
{
  TextTable table({"<type", "<against", "matrices", "geometric mean", "<worst", "<best", "wins / ties / losses"});
  for (const std::string &subject : s.labels(Role::type))
    for (const std::string &opponent : opponents(s)) {
      const auto  list = duels(s, subject, opponent);
      const Score sc   = score(list, ties);
      if (sc.matrices == 0) continue;
      table.add_row({subject, opponent, std::to_string(sc.matrices), times(sc.mean), extreme(sc.worst), extreme(sc.best), result(sc)});
    }
  return table.empty() ? "" : table.markdown();
}

std::string class_table(const Setting &s, double ties)
{
  const std::string opponent = main_opponent(s);
  TextTable table({"<type", "<class", "matrices", "against " + opponent, "<worst", "wins / ties / losses", "against the best peer"});
  for (const std::string &subject : s.labels(Role::type)) {
    const auto all = duels(s, subject, opponent), all_best = duels(s, subject, kBestPeer);
    for (const Shelf &shelf : shelves(s)) {
      const auto  some = only(all, shelf), some_best = only(all_best, shelf);
      const Score sc = score(some, ties);
      if (sc.matrices == 0) continue;
      table.add_row({subject, shelf.name, std::to_string(sc.matrices), times(sc.mean), extreme(sc.worst), result(sc),
                     times(score(some_best, ties).mean)});
    }
  }
  return table.empty() ? "" : table.markdown();
}

std::string matrix_table(const Setting &s)
{
  const std::string opponent = main_opponent(s);
  TextTable         table({"<matrix", "<class", "nonzeros", "<type", "time", opponent.empty() ? "no peer" : "against " + opponent,
                           "<against the best peer", "CSR roofline", "own roofline", "vectors", "B/nnz"});
  for (const std::string &matrix : s.matrices())
    for (const std::string &subject : s.labels(Role::type)) {
      const Record *r = s.find(matrix, subject);
      if (!r) continue;
      const auto n = r->matrix.statistics.size.nonzeros;
      table.add_row({matrix, r->matrix.statistics.kind, count(n), subject, r->status == Status::ok ? duration(r->time.median) : "",
                     speedup_cell(*r, s.find(matrix, opponent)), best_cell(s, *r), percent(csr_share(*r)), percent(own_share(*r)),
                     percent(vector_share(*r)), r->bytes && n > 0 ? fixed(double(r->bytes->read) / double(n), 2) : ""});
    }
  return table.empty() ? "" : table.markdown();
}

std::string device_times_table(const Setting &s)
{
  std::vector<std::string> labels, headings = {"<matrix", "empty kernel", "copy of x and y"};
  for (Role role : {Role::type, Role::raw, Role::peer})
    for (const std::string &label : s.labels(role)) labels.push_back(label);
  headings.insert(headings.end(), labels.begin(), labels.end());
  TextTable table(headings);
  for (const std::string &matrix : s.matrices()) {
    std::vector<std::string> row = {matrix, "", ""};
    for (const std::string &label : labels) {
      const Record *r = s.find(matrix, label);
      row.push_back(!r ? "" : r->status == Status::ok ? duration(r->time.median) : text_of(r->status));
      if (!r || !r->device) continue;
      row[1] = duration(r->device->floor.empty_kernel);
      row[2] = duration(r->device->floor.copy);
    }
    table.add_row(std::move(row));
  }
  return table.empty() ? "" : table.markdown();
}

std::string launch_line(const Setting &s)
{
  std::map<std::string, std::vector<double>> seconds;
  for (const Record *r : s.records)
    if (r->status == Status::ok && r->device) seconds[r->competitor.label()].push_back(r->device->launch);
  std::string text;
  for (const auto &[label, values] : seconds) text += (text.empty() ? "" : ", ") + label + " " + duration(quantiles_of(values).median);
  return text.empty() ? "" : "\nHost time to launch a product, median over the matrices: " + text + ".\n";
}

std::string glue_line(const Setting &s)
{
  std::string text;
  for (const std::string &raw : s.labels(Role::raw)) {
    std::vector<double> differences;
    for (const Duel &d : duels(s, raw.substr(raw.find(':') + 1), raw))
      differences.push_back(compared_time(*d.subject) - compared_time(*d.opponent));
    if (differences.empty()) continue;
    const Quantiles q = quantiles_of(differences);
    text += "\nThe glue costs " + raw.substr(raw.find(':') + 1) + " " + duration(q.median) + " a product (median over " +
            std::to_string(q.count) + " matrices; quartiles " + duration(q.lower) + " and " + duration(q.upper) + ").\n";
  }
  return text;
}

std::string footprint_table(const Setting &s)
{
  TextTable table({"<type", "matrices", "bytes a nonzero", "less than COO", "<worst", "<best"});
  for (const std::string &label : s.labels(Role::type)) {
    double        saved = 0, per = 0;
    int           matrices = 0;
    const Record *worst = nullptr, *best = nullptr;
    const auto    share = [](const Record &r) { return 1 - double(r.bytes->read) / double(coo_bytes(r.matrix.statistics.size)); };
    const auto    text  = [&share](const Record &r) { return fixed(100 * share(r), 0) + " % (" + r.matrix.name + ")"; };
    for (const Record *r : s.records) {
      if (r->competitor.label() != label || r->status != Status::ok || !r->bytes || r->matrix.statistics.size.nonzeros == 0) continue;
      saved += share(*r);
      per += double(r->bytes->read) / double(r->matrix.statistics.size.nonzeros);
      ++matrices;
      if (!worst || share(*r) < share(*worst)) worst = r;
      if (!best || share(*r) > share(*best)) best = r;
    }
    if (matrices == 0) continue;
    table.add_row(
      {label, std::to_string(matrices), fixed(per / matrices, 2), fixed(100 * saved / matrices, 0) + " %", text(*worst), text(*best)});
  }
  return table.empty() ? "" : "\n" + table.markdown();
}

std::string conversion_table(const Setting &s)
{
  const std::string opponent = main_opponent(s);
  TextTable         table({"<matrix", "nonzeros", "<type", "product", "build", "in products",
                           "in products of " + (opponent.empty() ? "a peer" : opponent), "pays after", "refresh", "in products", "B/nnz read",
                           "B/nnz extra"});
  for (const Record *r : s.records) {
    if (!r->conversion) continue;
    const Record *o       = s.find(r->matrix.name, opponent);
    const bool    peered  = o && o->status == Status::ok && o != r && r->status == Status::ok;
    const double  product = r->time.median, build = r->conversion->build.median, refresh = r->conversion->refresh.median;
    const double  gain = peered ? o->time.median - product : 0;
    const auto    nnz  = double(std::max<std::int64_t>(1, r->matrix.statistics.size.nonzeros));
    if (r->status == Status::ok)
      table.add_row({r->matrix.name, count(r->matrix.statistics.size.nonzeros), r->competitor.label(), duration(product), duration(build),
                     fixed(build / product, 1), peered ? fixed(build / o->time.median, 1) : "",
                     !peered    ? ""
                     : gain > 0 ? count(std::int64_t(build / gain) + 1)
                                : "never",
                     duration(refresh), fixed(refresh / product, 1), r->bytes ? fixed(double(r->bytes->read) / nnz, 2) : "",
                     r->bytes ? fixed(double(r->bytes->extra) / nnz, 2) : ""});
  }
  return table.markdown();
}

std::string first_product_table(const Setting &s)
{
  const std::string opponent = main_opponent(s);
  if (!s.on_device || opponent.empty()) return "";
  const auto first = [](const Record &r) { return r.conversion->build.median + r.time.median; };
  TextTable  table({"<matrix", "nonzeros", "<type", "first product", "against " + opponent,
                    std::string("build beyond that of ") + kBringsRows, "in products of " + opponent});
  for (const Record *r : s.records) {
    const Record *const o = s.find(r->matrix.name, opponent), *const rows = s.find(r->matrix.name, kBringsRows);
    if (!is_converted(r) || !is_converted(o)) continue;
    const bool   beyond = is_converted(rows) && r != rows && r != o;
    const double more   = beyond ? r->conversion->build.median - rows->conversion->build.median : 0;
    table.add_row({r->matrix.name, count(r->matrix.statistics.size.nonzeros), r->competitor.label(), duration(first(*r)),
                   r == o ? "" : times(first(*o) / first(*r)), beyond ? (more < 0 ? "-" : "") + duration(std::abs(more)) : "",
                   beyond ? fixed(more / o->time.median, 1) : ""});
  }
  return table.empty() ? "" : "\n" + table.markdown();
}

std::string solve_table(const Setting &s)
{
  const std::string opponent = main_opponent(s);
  TextTable table({"<matrix", "nonzeros", "<type", "<KSP", "<PC", "iterations", "per iteration", "convert", "setup", "solve", "total",
                   "new values", opponent.empty() ? "no peer" : "against " + opponent, "<against the best peer", "residual"});
  for (const Record *r : s.records) {
    if (!r->solve) continue;
    const Solve &k = *r->solve;
    char         residual[32];
    std::snprintf(residual, sizeof residual, "%.1e", k.residual);
    table.add_row({r->matrix.name, count(r->matrix.statistics.size.nonzeros), r->competitor.label(), k.ksp, k.pc,
                   std::to_string(k.iterations), k.iterations > 0 ? duration(k.iteration.median) : "", duration(k.convert.median),
                   duration(k.setup.median), duration(k.solve.median), duration(k.total.median),
                   k.step.count > 0 ? duration(k.step.median) : "", speedup_cell(*r, s.find(r->matrix.name, opponent)), best_cell(s, *r),
                   residual});
  }
  return table.markdown();
}

} // namespace petscspmv::bench
