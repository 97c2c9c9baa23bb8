#include "select/cache/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "select/cache/flat_json.hpp"

namespace petscspmv::select {

namespace {

/// Of the lines' meaning: entries of other versions are passed over, and go when the file is replaced.
constexpr const char *version = "1";

/// Holds the lock of a file until it ends. The lock is a file beside it, for the file itself is replaced.
class Lock {
public:
  explicit Lock(const std::string &path) : descriptor_(open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600))
  {
    // Others hold it for milliseconds; who waits longer than a second waits for one that hangs.
    constexpr int tries = 100, microseconds = 10000;
    for (int k = 0; descriptor_ >= 0 && !held_ && k < tries; ++k) {
      held_ = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
      if (!held_) usleep(microseconds);
    }
  }
  ~Lock()
  {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Lock(const Lock &)            = delete;
  Lock &operator=(const Lock &) = delete;

  bool held() const { return held_; }

private:
  int  descriptor_;
  bool held_ = false;
};

std::string problem(const std::string &what, const std::string &path)
{
  return "The cache of tuning results " + path + " " + what + "; results of this run are not kept.";
}

} // namespace

std::string Cache::default_path()
{
  const char       *xdg = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  const std::string folder = xdg && xdg[0] == '/' ? xdg : home && home[0] == '/' ? std::string(home) + "/.cache" : "";
  return folder.empty() ? "" : folder + "/petscspmv/tuning.jsonl";
}

std::string to_line(const CacheEntry &e)
{
  return to_flat_json({{"version", version},
                       {"matrix", e.key.matrix},
                       {"type", e.key.type},
                       {"machine", e.key.machine},
                       {"options", e.options},
                       {"description", e.description}});
}

std::optional<CacheEntry> from_line(const std::string &line)
{
  const auto object = from_flat_json(line);
  if (!object) return std::nullopt;
  const auto at = [&](const char *name) {
    const auto found = object->find(name);
    return found == object->end() ? std::string() : found->second;
  };
  if (at("version") != version || at("matrix").empty() || at("type").empty() || !object->contains("options")) return std::nullopt;
  return CacheEntry{{at("matrix"), at("type"), at("machine")}, at("options"), at("description")};
}

std::vector<CacheEntry> Cache::entries() const
{
  std::vector<CacheEntry> list;
  if (path_.empty()) return list;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);)
    if (auto entry = from_line(line)) list.push_back(std::move(*entry));
  return list;
}

std::optional<CacheEntry> Cache::find(const CacheKey &key) const
{
  for (auto &entry : entries())
    if (entry.key == key) return entry;
  return std::nullopt;
}

std::string Cache::store(const std::vector<CacheEntry> &more)
{
  std::error_code error;
  if (path_.empty()) return "There is no place for tuning results: neither XDG_CACHE_HOME nor HOME is set.";
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  const Lock lock(path_);
  if (!lock.held()) return problem("cannot be locked", path_);
  std::vector<CacheEntry> all = entries();
  for (const CacheEntry &entry : more) {
    std::erase_if(all, [&](const CacheEntry &old) { return old.key == entry.key; });
    all.push_back(entry);
  }
  if (all.size() > most_entries) all.erase(all.begin(), all.end() - most_entries);
  return replace(all);
}

std::string Cache::clear()
{
  if (path_.empty() || !std::filesystem::exists(path_)) return "";
  const Lock lock(path_);
  return lock.held() ? replace({}) : problem("cannot be locked", path_);
}

std::string Cache::replace(const std::vector<CacheEntry> &list)
{
  const std::string fresh = path_ + ".new"; // only the process that has the lock writes it
  {
    std::ofstream file(fresh, std::ios::trunc);
    for (const CacheEntry &entry : list) file << to_line(entry) << '\n';
    file.close();
    if (file && std::rename(fresh.c_str(), path_.c_str()) == 0) return "";
  }
  const std::string why = std::strerror(errno);
  std::remove(fresh.c_str());
  return problem("cannot be written (" + why + ")", path_);
}

} // namespace petscspmv::select
