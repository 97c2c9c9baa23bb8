#include "commands/competitors.hpp"

#include <algorithm>

#include "generators/generator.hpp"

namespace petscspmv::bench {

namespace {

std::vector<const Peer *> peers_of(Role role, const CompetitorWishes &wishes)
{
  std::vector<const Peer *> list;
  for (const Peer *p : all_peers())
    if (p->role() == role && p->runs_on(wishes.place) && (wishes.solves ? p->solves() : p->solver_options().empty())) list.push_back(p);
  return list;
}

const Peer &find(Role role, const CompetitorWishes &wishes, const std::string &name)
{
  const Peer *elsewhere = find_peer(name);
  if (elsewhere && elsewhere->role() == role && wishes.solves && !elsewhere->solves())
    throw InputError("The " + std::string(text_of(role)) + " " + name +
                     " is no matrix of PETSc, which is what solvers take; leave it out.");
  if (elsewhere && elsewhere->role() == role && !elsewhere->runs_on(wishes.place))
    throw InputError("The " + std::string(text_of(role)) + " " + name +
                     (wishes.place == Place::host ? " runs on a device; add --device." : " runs on the host; leave out --device."));
  std::string known;
  for (const Peer *p : peers_of(role, wishes)) {
    if (p->name() == name) return *p;
    known += (known.empty() ? "" : ", ") + std::string(p->name());
  }
  throw InputError(std::string("There is no ") + text_of(role) + " '" + name + "'. There are: " + known + ".");
}

/// The value of an option as on PETSc's command line: the name of a choice, or a number.
std::int64_t parse_value(const Peer &peer, std::string_view key, std::string_view value, const std::string &text)
{
  const auto options = peer.options();
  const auto spec    = std::find_if(options.begin(), options.end(), [key](const OptionSpec &o) { return o.key == key; });
  if (spec == options.end() || spec->choices.empty()) return value == "0" ? 0 : parse_count(value, "an option in '" + text + "'");
  for (std::int64_t v = spec->min; v <= spec->max; ++v)
    if (value == spec->text(v) || value == std::to_string(v)) return v;
  throw InputError("In '" + text + "', " + std::string(key) + " is '" + std::string(value) +
                   "', but must be one of: " + join(spec->choices) + ".");
}

/// "aijspec:height=64:order=rows"
Competitor parse_type(Role role, const CompetitorWishes &wishes, const std::string &text)
{
  const std::size_t colon = text.find(':', role == Role::raw ? 4 : 0);
  Competitor        c{&find(role, wishes, text.substr(0, colon)), {}, {}};
  c.name.name = c.peer->name();
  c.name.role = role;
  if (colon == std::string::npos) return c;
  c.name.options        = text.substr(colon + 1);
  std::string_view rest = c.name.options;
  while (!rest.empty()) {
    const std::string_view pair   = rest.substr(0, rest.find(':'));
    const std::size_t      equals = pair.find('=');
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (equals == std::string_view::npos || equals == 0)
      throw InputError("In '" + text + "', '" + std::string(pair) +
                       "' is not key=value; examples are aijspec:height=64 and ccoo:values=raw.");
    const std::string_view key = pair.substr(0, equals);
    c.options.emplace_back(std::string(key), parse_value(*c.peer, key, pair.substr(equals + 1), text));
  }
  return c;
}

/// Ranks and threads to run with. Of several of each, those pairs that use more cores than the largest alone are left
/// out.
std::vector<std::pair<int, int>> layouts(const CompetitorWishes &wishes)
{
  std::vector<std::pair<int, int>> list;
  const int                        most =
    std::max(*std::max_element(wishes.ranks.begin(), wishes.ranks.end()), *std::max_element(wishes.threads.begin(), wishes.threads.end()));
  const bool only = wishes.ranks.size() == 1 && wishes.threads.size() == 1;
  for (int r : wishes.ranks)
    for (int t : wishes.threads)
      if (only || r * t <= most) list.emplace_back(r, t);
  return list;
}

bool fits_a_layout(const Peer &peer, const CompetitorWishes &wishes)
{
  const auto all = layouts(wishes);
  return std::any_of(all.begin(), all.end(), [&peer](const auto &layout) { return peer.limits(layout.first, layout.second).empty(); });
}

void add_layouts(const Competitor &c, const CompetitorWishes &wishes, std::vector<Competitor> &list, std::vector<std::string> &notes)
{
  std::string limits;
  bool        added = false;
  for (auto [r, t] : layouts(wishes)) {
    const std::string limit = c.peer->limits(r, t);
    if (!limit.empty()) {
      limits = limit;
      continue;
    }
    list.push_back(c);
    list.back().name.ranks   = r;
    list.back().name.threads = t;
    added                    = true;
  }
  if (!added) notes.push_back(c.name.name + " takes no part: " + limits + ".");
}

} // namespace

std::vector<Competitor> choose_competitors(const CompetitorWishes &wishes, std::vector<std::string> &notes)
{
  std::vector<Competitor> chosen, list;
  const bool              no_types = wishes.types == std::vector<std::string>{"none"};
  const bool              no_peers = wishes.peers == std::vector<std::string>{"none"};
  if (!no_types)
    for (const std::string &text : wishes.types) chosen.push_back(parse_type(Role::type, wishes, text));
  if (wishes.types.empty())
    for (const Peer *p : peers_of(Role::type, wishes)) chosen.push_back(parse_type(Role::type, wishes, std::string(p->name())));
  if (wishes.raw)
    for (std::size_t k = 0, n = chosen.size(); k < n; ++k) {
      const CompetitorName &name = chosen[k].name;
      if (name.name == "aijauto") continue; // is no format of its own, but others in turn
      chosen.push_back(parse_type(Role::raw, wishes, "raw:" + name.name + (name.options.empty() ? "" : ":" + name.options)));
    }
  for (const std::string &name : no_peers ? std::vector<std::string>{} : wishes.peers) {
    const Peer &peer = find(Role::peer, wishes, name);
    if (!peer.unavailable().empty()) throw InputError("The peer " + name + " cannot take part. " + peer.unavailable() + ".");
    chosen.push_back({&peer, {name, "", Role::peer}, {}});
  }
  if (wishes.peers.empty())
    for (const Peer *p : peers_of(Role::peer, wishes)) {
      if (p->unavailable().empty()) chosen.push_back({p, {std::string(p->name()), "", Role::peer}, {}});
      else if (p->solver_options().empty() && fits_a_layout(*p, wishes))
        notes.push_back(std::string(p->name()) + " takes no part. " + p->unavailable() + ".");
    }
  for (const Competitor &c : chosen) add_layouts(c, wishes, list, notes);
  if (list.empty())
    throw InputError("Nobody is left to be measured. Name types with --types or peers with --peers; petscspmv-bench list shows them.");
  return list;
}

} // namespace petscspmv::bench
