#pragma once

/// \file cache.hpp
/// What searches have found, in a file, so that the same matrix next time needs none.
///
/// A line of JSON for each entry. A file is never written to but replaced by a new one, under a lock: readers see the
/// old one or the new one. Whatever goes wrong, no folder, no room, a file that is something else, costs a search and
/// no more. A process that ends while it writes leaves the old file.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace petscspmv::select {

/// What must be the same for a result to hold.
struct CacheKey {
  std::string matrix;  ///< fingerprint
  std::string type;    ///< "ccoo", with the number that its table of options has
  std::string machine; ///< processor, ranks and threads, scalars and integers

  bool operator==(const CacheKey &) const = default;
};

struct CacheEntry {
  CacheKey    key;
  std::string options;     ///< "tile=1 strips=2", as numbers; empty: the defaults
  std::string description; ///< for people: sizes, seconds, date
};

class Cache {
public:
  /// `path` is the file's. Nothing is touched yet.
  explicit Cache(std::string path) : path_(std::move(path)) { }

  /// $XDG_CACHE_HOME/petscspmv/tuning.jsonl, or ~/.cache/...; empty if neither is known.
  static std::string default_path();

  const std::string &path() const { return path_; }

  /// Entries in the order in which they were stored; lines that are none are passed over.
  std::vector<CacheEntry>   entries() const;
  std::optional<CacheEntry> find(const CacheKey &key) const;

  /// Stores them, each in the place of an older one with the same key; at most `most_entries` stay, the newest. Returns
  /// what went wrong, as a sentence, or nothing.
  std::string store(const std::vector<CacheEntry> &more);

  /// Removes all entries. The same return.
  std::string clear();

  static constexpr std::size_t most_entries = 10000;

private:
  std::string replace(const std::vector<CacheEntry> &entries);

  std::string path_;
};

/// The line of an entry, and back.
std::string               to_line(const CacheEntry &entry);
std::optional<CacheEntry> from_line(const std::string &line);

} // namespace petscspmv::select
