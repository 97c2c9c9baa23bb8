#include "records/record.hpp"

namespace petscspmv::bench {

namespace {

double share(const Record &r, std::int64_t matrix_bytes)
{
  if (r.time.median <= 0 || r.bandwidth.read <= 0) return 0;
  return double(matrix_bytes + vector_bytes(r.matrix.statistics.size)) / r.time.median / r.bandwidth.read;
}

} // namespace

std::string CompetitorName::label() const
{
  std::string text = name;
  if (!options.empty()) text += ":" + options;
  if (ranks > 1 || threads > 1) text += "@";
  if (ranks > 1) text += std::to_string(ranks) + "r";
  if (threads > 1) text += std::to_string(threads) + "t";
  return text;
}

const char *text_of(Status status)
{
  switch (status) {
  case Status::ok:
    return "ok";
  case Status::wrong:
    return "wrong";
  case Status::failed:
    return "failed";
  case Status::skipped:
    return "skipped";
  }
  __builtin_unreachable();
}

const char *text_of(Regime regime)
{
  return regime == Regime::cold ? "cold" : "warm";
}

const char *text_of(Role role)
{
  return role == Role::type ? "type" : role == Role::peer ? "peer" : "raw";
}

double gigaflops(const Record &r)
{
  return r.time.median > 0 ? 2 * double(r.matrix.statistics.size.nonzeros) / r.time.median * 1e-9 : 0;
}

double csr_share(const Record &r)
{
  return share(r, csr_bytes(r.matrix.statistics.size));
}

double own_share(const Record &r)
{
  return r.bytes ? share(r, r.bytes->read) : 0;
}

double vector_share(const Record &r)
{
  return share(r, 0);
}

double build_products(const Record &r)
{
  return r.time.median > 0 && r.first > r.time.median ? r.first / r.time.median - 1 : 0;
}

std::int64_t cache_of(const Record &r)
{
  return r.device ? r.device->info.cache_bytes : r.machine.cache_bytes;
}

const std::string &hardware_of(const Record &r)
{
  return r.device ? r.device->info.name : r.machine.cpu;
}

std::string key_of(const Record &r)
{
  return r.command + " " + r.matrix.name + " " + r.competitor.label() + " " + text_of(r.regime) + (r.device ? " on the device" : "");
}

} // namespace petscspmv::bench
