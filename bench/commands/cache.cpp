/// \file cache.cpp
/// What searches have found and kept: to see, to remove, to take to another machine of the same make.

#include <fstream>
#include <iostream>

#include "commands/commands.hpp"
#include "matrix/csr.hpp"
#include "select/cache/cache.hpp"

namespace petscspmv::bench {

namespace {

void throw_if(const std::string &problem)
{
  if (!problem.empty()) throw InputError(problem);
}

void list(const select::Cache &cache)
{
  std::cout << cache.path() << "\n";
  for (const select::CacheEntry &e : cache.entries())
    std::cout << e.key.matrix << "  " << e.key.type << "  " << (e.options.empty() ? "defaults" : e.options) << "\n    " << e.description
              << "\n    " << e.key.machine << "\n";
}

void export_to(const select::Cache &cache, const std::string &file)
{
  std::ofstream out(file);
  for (const select::CacheEntry &e : cache.entries()) out << select::to_line(e) << "\n";
  if (!out.flush()) throw InputError("'" + file + "' cannot be written; give another place.");
}

void import_from(select::Cache &cache, const std::string &file)
{
  if (!std::ifstream(file)) throw InputError("There is no file '" + file + "'.");
  const auto entries = select::Cache(file).entries();
  if (entries.empty()) throw InputError("'" + file + "' has no results of searches; 'petscspmv-bench cache export' writes such files.");
  throw_if(cache.store(entries));
  std::cout << entries.size() << " results taken over into " << cache.path() << "\n";
}

} // namespace

int run_cache(const Invocation &invocation)
{
  select::Cache cache(select::Cache::default_path());
  if (cache.path().empty()) throw InputError("There is no cache: neither XDG_CACHE_HOME nor HOME is set.");
  const std::string &what = invocation.cache_action;
  if (what == "list") list(cache);
  else if (what == "clear") throw_if(cache.clear());
  else if (invocation.inputs.empty()) throw InputError("cache " + what + " needs a file.");
  else if (what == "export") export_to(cache, invocation.inputs.front());
  else import_from(cache, invocation.inputs.front());
  return kGood;
}

} // namespace petscspmv::bench
