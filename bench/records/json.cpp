#include "records/json.hpp"

#include <concepts>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace petscspmv::bench {

namespace {

using Json = nlohmann::ordered_json;

/// A member of an object, to become a number or a text. nlohmann's own conversion of 5e19 to an integer is undefined.
class Member {
public:
  Member(const Json &object, const char *name) : value_(object.at(name)), name_(name) { }

  template <class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, char>) || std::same_as<T, std::string> operator T() const
  {
    if (std::integral<T> && value_.is_number_float()) throw InputError("'" + std::string(name_) + "' is no whole number");
    return value_.get<T>();
  }

private:
  const Json &value_;
  const char *name_;
};

template <class Enum> Enum enum_of(const std::string &text, std::initializer_list<Enum> values)
{
  for (Enum value : values)
    if (text == text_of(value)) return value;
  throw InputError("'" + text + "' is no known value");
}

Json quantiles(const Quantiles &q)
{
  return {{"median", q.median}, {"lower_quartile", q.lower}, {"upper_quartile", q.upper}, {"least", q.least}, {"samples", q.count}};
}

Quantiles quantiles(const Json &j)
{
  return {Member(j, "samples"), Member(j, "least"), Member(j, "lower_quartile"), Member(j, "median"), Member(j, "upper_quartile")};
}

Json statistics(const MatrixStatistics &s)
{
  return {{"rows", s.size.rows},        {"cols", s.size.cols},        {"nonzeros", s.size.nonzeros}, {"class", s.kind},
          {"empty_rows", s.empty_rows}, {"row_min", s.row_min},       {"row_mean", s.row_mean},      {"row_deviation", s.row_deviation},
          {"row_max", s.row_max},       {"bandwidth", s.bandwidth},   {"mean_span", s.mean_span},    {"neighbours", s.neighbours},
          {"similarity", s.similarity}, {"block_size", s.block_size}, {"block_fill", s.block_fill},  {"diagonals", s.diagonals}};
}

MatrixStatistics statistics(const Json &j)
{
  MatrixStatistics s;
  s.size          = {Member(j, "rows"), Member(j, "cols"), Member(j, "nonzeros")};
  s.kind          = Member(j, "class");
  s.empty_rows    = Member(j, "empty_rows");
  s.row_min       = Member(j, "row_min");
  s.row_mean      = Member(j, "row_mean");
  s.row_deviation = Member(j, "row_deviation");
  s.row_max       = Member(j, "row_max");
  s.bandwidth     = Member(j, "bandwidth");
  s.mean_span     = Member(j, "mean_span");
  s.neighbours    = Member(j, "neighbours");
  s.similarity    = Member(j, "similarity");
  s.block_size    = Member(j, "block_size");
  s.block_fill    = Member(j, "block_fill");
  s.diagonals     = Member(j, "diagonals");
  return s;
}

Json matrix(const MatrixName &m)
{
  Json j = {{"name", m.name}, {"origin", m.origin}};
  j.update(statistics(m.statistics));
  return j;
}

Json competitor(const CompetitorName &c)
{
  return {{"name", c.name}, {"options", c.options}, {"role", text_of(c.role)}, {"ranks", c.ranks}, {"threads", c.threads}};
}

Json bytes(const Record &r)
{
  Json j = {{"csr", csr_bytes(r.matrix.statistics.size)}, {"vectors", vector_bytes(r.matrix.statistics.size)}};
  if (r.bytes) j.update({{"own", r.bytes->read}, {"extra", r.bytes->extra}});
  return j;
}

Json solve(const Solve &s)
{
  return {{"ksp", s.ksp},
          {"pc", s.pc},
          {"iterations", s.iterations},
          {"residual", s.residual},
          {"tolerance", s.tolerance},
          {"convert", quantiles(s.convert)},
          {"setup", quantiles(s.setup)},
          {"solve", quantiles(s.solve)},
          {"iteration", quantiles(s.iteration)},
          {"total", quantiles(s.total)}};
}

Solve solve(const Json &j)
{
  return {
    Member(j, "ksp"),           Member(j, "pc"),          Member(j, "iterations"),  Member(j, "residual"),        Member(j, "tolerance"),
    quantiles(j.at("convert")), quantiles(j.at("setup")), quantiles(j.at("solve")), quantiles(j.at("iteration")), quantiles(j.at("total"))};
}

Json derived(const Record &r)
{
  Json j = {{"gigaflops", gigaflops(r)}, {"csr_share", csr_share(r)}, {"vector_share", vector_share(r)}};
  if (r.bytes) j["own_share"] = own_share(r);
  return j;
}

Json machine(const Machine &m)
{
  return {{"cpu", m.cpu}, {"cores", m.cores}, {"cache_bytes", m.cache_bytes}, {"memory", m.memory}, {"system", m.system}};
}

Json on_device(const OnDevice &d)
{
  return {{"name", d.info.name},
          {"software", d.info.software},
          {"cache_bytes", d.info.cache_bytes},
          {"memory", d.info.memory},
          {"multiprocessors", d.info.multiprocessors},
          {"empty_kernel", d.floor.empty_kernel},
          {"copy_of_vectors", d.floor.copy},
          {"flush_bytes", d.flush_bytes},
          {"replayed", d.replayed},
          {"launch", d.launch}};
}

OnDevice on_device(const Json &j)
{
  return {{Member(j, "name"), Member(j, "software"), Member(j, "cache_bytes"), Member(j, "memory"), Member(j, "multiprocessors")},
          {Member(j, "empty_kernel"), Member(j, "copy_of_vectors")},
          Member(j, "flush_bytes"),
          Member(j, "replayed"),
          Member(j, "launch")};
}

Json versions(const Versions &v)
{
  Json j = {{"petscspmv", v.petscspmv}, {"commit", v.commit}, {"petsc", v.petsc}, {"compiler", v.compiler}, {"mpi", v.mpi}};
  for (const auto &[name, version] : v.others) j[name] = version;
  return j;
}

Versions versions(const Json &j)
{
  Versions v{Member(j, "petscspmv"), Member(j, "commit"), Member(j, "petsc"), Member(j, "compiler"), Member(j, "mpi"), {}};
  for (const auto &[name, version] : j.items())
    if (name != "petscspmv" && name != "commit" && name != "petsc" && name != "compiler" && name != "mpi")
      v.others.emplace_back(name, version.get<std::string>());
  return v;
}

Record record(const Json &j)
{
  Record r;
  r.command     = Member(j, "command");
  r.date        = Member(j, "date");
  const Json &m = j.at("matrix"), &c = j.at("competitor"), &b = j.at("bytes"), &w = j.at("bandwidth"), &k = j.at("machine");
  r.matrix     = {Member(m, "name"), Member(m, "origin"), statistics(m)};
  r.competitor = {Member(c, "name"), Member(c, "options"), enum_of(Member(c, "role"), {Role::type, Role::peer, Role::raw}),
                  Member(c, "ranks"), Member(c, "threads")};
  r.regime     = enum_of(Member(j, "regime"), {Regime::cold, Regime::warm});
  r.status     = enum_of(Member(j, "status"), {Status::ok, Status::wrong, Status::failed, Status::skipped});
  r.reason     = Member(j, "reason");
  r.error      = j.at("error").is_null() ? INFINITY : j.at("error").get<double>();
  r.time       = quantiles(j.at("time"));
  r.repeats    = Member(j, "repeats");
  r.first      = Member(j, "first");
  if (b.contains("own")) r.bytes = ProductBytes{Member(b, "own"), Member(b, "extra")};
  r.bandwidth = {Member(w, "read"), Member(w, "copy")};
  if (j.contains("conversion")) r.conversion = {quantiles(j["conversion"].at("build")), quantiles(j["conversion"].at("refresh"))};
  if (j.contains("solve")) r.solve = solve(j["solve"]);
  if (j.contains("device")) r.device = on_device(j["device"]);
  r.machine  = {Member(k, "cpu"), Member(k, "cores"), Member(k, "cache_bytes"), Member(k, "memory"), Member(k, "system")};
  r.versions = versions(j.at("versions"));
  return r;
}

} // namespace

std::string to_json(const Record &r)
{
  Json j;
  j["command"]    = r.command;
  j["date"]       = r.date;
  j["matrix"]     = matrix(r.matrix);
  j["competitor"] = competitor(r.competitor);
  j["regime"]     = text_of(r.regime);
  j["status"]     = text_of(r.status);
  j["reason"]     = r.reason;
  j["error"]      = r.error; // infinity becomes null
  j["time"]       = quantiles(r.time);
  j["repeats"]    = r.repeats;
  j["first"]      = r.first;
  j["bytes"]      = bytes(r);
  j["bandwidth"]  = {{"read", r.bandwidth.read}, {"copy", r.bandwidth.copy}};
  j["derived"]    = derived(r);
  if (r.conversion) j["conversion"] = {{"build", quantiles(r.conversion->build)}, {"refresh", quantiles(r.conversion->refresh)}};
  if (r.solve) j["solve"] = solve(*r.solve);
  if (r.device) j["device"] = on_device(*r.device);
  j["machine"]  = machine(r.machine);
  j["versions"] = versions(r.versions);
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Record from_json(std::string_view line)
{
  try {
    return record(Json::parse(line));
  } catch (const nlohmann::json::exception &e) {
    throw InputError(std::string("this is not a record of petscspmv-bench: ") + e.what());
  }
}

std::string statistics_to_json(const MatrixStatistics &s)
{
  return statistics(s).dump();
}

MatrixStatistics statistics_from_json(std::string_view text)
{
  return statistics(Json::parse(text));
}

} // namespace petscspmv::bench
