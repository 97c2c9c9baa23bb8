#include "records/json.hpp"

#include <concepts>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace petscspmv::bench {

namespace {

using Json = nlohmann::ordered_json;

/// What is read, by at() as from a Json. nlohmann's own conversion of 5e19 to an integer is undefined.
class Value {
public:
  explicit Value(const Json &json, const char *name = "") : json_(json), name_(name) { }

  Value       at(const char *name) const { return Value(json_.at(name), name); }
  const Json &json() const { return json_; }

  template <class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, char>) || std::same_as<T, std::string> operator T() const
  {
    if (std::integral<T> && json_.is_number_float()) throw InputError("'" + std::string(name_) + "' is no whole number");
    return json_.get<T>();
  }

private:
  const Json &json_;
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

Quantiles quantiles(const Value &j)
{
  return {j.at("samples"), j.at("least"), j.at("lower_quartile"), j.at("median"), j.at("upper_quartile")};
}

Json statistics(const MatrixStatistics &s)
{
  return {{"rows", s.size.rows},        {"cols", s.size.cols},        {"nonzeros", s.size.nonzeros}, {"class", s.kind},
          {"empty_rows", s.empty_rows}, {"row_min", s.row_min},       {"row_mean", s.row_mean},      {"row_deviation", s.row_deviation},
          {"row_max", s.row_max},       {"bandwidth", s.bandwidth},   {"mean_span", s.mean_span},    {"neighbours", s.neighbours},
          {"similarity", s.similarity}, {"block_size", s.block_size}, {"block_fill", s.block_fill},  {"diagonals", s.diagonals}};
}

MatrixStatistics statistics(const Value &j)
{
  MatrixStatistics s;
  s.size          = {j.at("rows"), j.at("cols"), j.at("nonzeros")};
  s.kind          = j.at("class");
  s.empty_rows    = j.at("empty_rows");
  s.row_min       = j.at("row_min");
  s.row_mean      = j.at("row_mean");
  s.row_deviation = j.at("row_deviation");
  s.row_max       = j.at("row_max");
  s.bandwidth     = j.at("bandwidth");
  s.mean_span     = j.at("mean_span");
  s.neighbours    = j.at("neighbours");
  s.similarity    = j.at("similarity");
  s.block_size    = j.at("block_size");
  s.block_fill    = j.at("block_fill");
  s.diagonals     = j.at("diagonals");
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
          {"total", quantiles(s.total)},
          {"step", quantiles(s.step)}};
}

Solve solve(const Value &j)
{
  return {j.at("ksp"),
          j.at("pc"),
          j.at("iterations"),
          j.at("residual"),
          j.at("tolerance"),
          quantiles(j.at("convert")),
          quantiles(j.at("setup")),
          quantiles(j.at("solve")),
          quantiles(j.at("iteration")),
          quantiles(j.at("total")),
          j.json().contains("step") ? quantiles(j.at("step")) : Quantiles()};
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

OnDevice on_device(const Value &j)
{
  return {{j.at("name"), j.at("software"), j.at("cache_bytes"), j.at("memory"), j.at("multiprocessors")},
          {j.at("empty_kernel"), j.at("copy_of_vectors")},
          j.at("flush_bytes"),
          j.at("replayed"),
          j.at("launch")};
}

Json versions(const Versions &v)
{
  Json j = {{"petscspmv", v.petscspmv}, {"commit", v.commit}, {"petsc", v.petsc}, {"compiler", v.compiler}, {"mpi", v.mpi}};
  for (const auto &[name, version] : v.others) j[name] = version;
  return j;
}

Versions versions(const Value &j)
{
  Versions v{j.at("petscspmv"), j.at("commit"), j.at("petsc"), j.at("compiler"), j.at("mpi"), {}};
  for (const auto &[name, version] : j.json().items())
    if (name != "petscspmv" && name != "commit" && name != "petsc" && name != "compiler" && name != "mpi")
      v.others.emplace_back(name, version.get<std::string>());
  return v;
}

Record record(const Value &j)
{
  Record r;
  r.command     = j.at("command");
  r.date        = j.at("date");
  const Value m = j.at("matrix"), c = j.at("competitor"), b = j.at("bytes"), w = j.at("bandwidth"), k = j.at("machine");
  r.matrix     = {m.at("name"), m.at("origin"), statistics(m)};
  r.competitor = {c.at("name"), c.at("options"), enum_of(c.at("role"), {Role::type, Role::peer, Role::raw}), c.at("ranks"),
                  c.at("threads")};
  r.regime     = enum_of(j.at("regime"), {Regime::cold, Regime::warm});
  r.status     = enum_of(j.at("status"), {Status::ok, Status::wrong, Status::failed, Status::skipped});
  r.reason     = j.at("reason");
  r.error      = j.at("error").json().is_null() ? INFINITY : double(j.at("error"));
  r.time       = quantiles(j.at("time"));
  r.repeats    = j.at("repeats");
  r.first      = j.at("first");
  if (b.json().contains("own")) r.bytes = ProductBytes{b.at("own"), b.at("extra")};
  r.bandwidth = {w.at("read"), w.at("copy")};
  if (j.json().contains("conversion"))
    r.conversion = {quantiles(j.at("conversion").at("build")), quantiles(j.at("conversion").at("refresh"))};
  if (j.json().contains("solve")) r.solve = solve(j.at("solve"));
  if (j.json().contains("device")) r.device = on_device(j.at("device"));
  r.machine  = {k.at("cpu"), k.at("cores"), k.at("cache_bytes"), k.at("memory"), k.at("system")};
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
    return record(Value(Json::parse(line)));
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
  return statistics(Value(Json::parse(text)));
}

} // namespace petscspmv::bench
