#include "report/comparison.hpp"

#include <algorithm>
#include <tuple>

namespace petscspmv::bench {

namespace {

void add_once(std::vector<std::string> &list, const std::string &text)
{
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

} // namespace

std::vector<std::string> Setting::matrices() const
{
  std::vector<std::string> names;
  for (const Record *r : records) add_once(names, r->matrix.name);
  return names;
}

std::vector<std::string> Setting::labels(Role role) const
{
  std::vector<std::string> names;
  for (const Record *r : records)
    if (r->competitor.role == role) add_once(names, r->competitor.label());
  return names;
}

const Record *Setting::find(const std::string &matrix, const std::string &label) const
{
  for (const Record *r : records)
    if (r->matrix.name == matrix && r->competitor.label() == label) return r;
  return nullptr;
}

std::vector<Setting> settings_of(const std::vector<Record> &records)
{
  std::vector<Setting> list;
  for (const Record &r : records) {
    const auto same = [&r](const Setting &s) {
      return s.command == r.command && s.regime == r.regime && s.cores == r.competitor.cores() && s.on_device == r.device.has_value() &&
             s.hardware == hardware_of(r);
    };
    auto found = std::find_if(list.begin(), list.end(), same);
    if (found == list.end()) {
      list.push_back({r.command, r.regime, r.competitor.cores(), hardware_of(r), r.device.has_value(), {}});
      found = list.end() - 1;
    }
    found->records.push_back(&r);
  }
  const auto rank = [](const Setting &s) {
    const int command = s.command == "spmv" ? 0 : s.command == "convert" ? 1 : 2;
    return std::tuple(command, s.on_device, s.hardware, s.cores, s.regime);
  };
  std::stable_sort(list.begin(), list.end(), [&](const Setting &a, const Setting &b) { return rank(a) < rank(b); });
  return list;
}

double compared_time(const Record &r)
{
  return r.solve ? r.solve->total.median : r.time.median;
}

static bool counts(const Record *r)
{
  return r && r->status == Status::ok && compared_time(*r) > 0;
}

const Record *best_peer(const std::vector<const Record *> &records, const std::string &matrix)
{
  const Record *best = nullptr;
  for (const Record *r : records)
    if (r->matrix.name == matrix && r->competitor.role == Role::peer && counts(r) && (!best || compared_time(*r) < compared_time(*best)))
      best = r;
  return best;
}

std::vector<Duel> duels(const Setting &setting, const std::string &subject, const std::string &opponent)
{
  std::vector<Duel> list;
  for (const std::string &matrix : setting.matrices()) {
    const Record *s = setting.find(matrix, subject);
    const Record *o = opponent == kBestPeer ? best_peer(setting.records, matrix) : setting.find(matrix, opponent);
    if (counts(s) && counts(o)) list.push_back({s, o, compared_time(*o) / compared_time(*s)});
  }
  return list;
}

Score score(const std::vector<Duel> &duels, double ties)
{
  Score               s;
  std::vector<double> speedups;
  for (const Duel &d : duels) {
    speedups.push_back(d.speedup);
    if (!s.worst || d.speedup < s.worst->speedup) s.worst = &d;
    if (!s.best || d.speedup > s.best->speedup) s.best = &d;
    if (d.speedup > 1 + ties) ++s.wins;
    else if (d.speedup < 1 - ties) ++s.losses;
    else ++s.ties;
  }
  s.matrices = int(duels.size());
  s.mean     = geometric_mean(speedups);
  return s;
}

} // namespace petscspmv::bench
