#include "records/results_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <sstream>

#include "records/json.hpp"

namespace petscspmv::bench {

namespace {

std::string read_text(const std::string &path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw InputError("The results '" + path + "' cannot be read: " + (errno ? std::strerror(errno) : "it is no file") + ".");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writes all of `text` to the end of the file, or throws.
void append_text(const std::string &path, const std::string &text)
{
  std::ofstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0); // one write for all of it; has no effect on an open file
  file.open(path, std::ios::binary | std::ios::app);
  if (!file.write(text.data(), std::streamsize(text.size())) || !file.flush())
    throw InputError("The results '" + path + "' cannot be written: " + std::strerror(errno) +
                     ". Give another place with --output, or make room.");
}

/// A measurement, the program and the machine.
std::string identity(const Record &r)
{
  return key_of(r) + "\n" + r.versions.commit + "\n" + hardware_of(r);
}

} // namespace

std::vector<Record> read_results(const std::string &path)
{
  const std::string   text = read_text(path);
  std::vector<Record> records;
  std::int64_t        line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break; // cut off
    ++line;
    const std::string_view content = std::string_view(text).substr(begin, end - begin);
    begin                          = end + 1;
    if (content.empty()) continue;
    try {
      records.push_back(from_json(content));
    } catch (const InputError &e) {
      throw InputError("'" + path + "', line " + std::to_string(line) + ": " + e.what() + ".");
    }
  }
  return records;
}

std::vector<Record> latest(const std::vector<Record> &records)
{
  std::map<std::string, std::size_t> last;
  for (std::size_t k = 0; k < records.size(); ++k) last[key_of(records[k])] = k;
  std::vector<Record> result;
  for (std::size_t k = 0; k < records.size(); ++k)
    if (last[key_of(records[k])] == k) result.push_back(records[k]);
  return result;
}

ResultsFile::ResultsFile(std::string path, IfExists policy) : path_(std::move(path))
{
  const bool exists = std::filesystem::exists(path_);
  if (exists && policy == IfExists::refuse)
    throw InputError("The results '" + path_ +
                     "' exist already. Go on with them (--resume), replace them (--replace), or give another "
                     "name (--output).");
  if (exists && policy == IfExists::resume) {
    earlier_ = read_results(path_);
    for (const Record &r : earlier_) held_.insert(identity(r));
    // What a kill left of a line would spoil the next one.
    std::string text;
    for (const Record &r : earlier_) text += to_json(r) + "\n";
    const std::string whole = path_ + ".part";
    std::filesystem::remove(whole);
    append_text(whole, text);
    std::filesystem::rename(whole, path_);
    return;
  }
  std::filesystem::remove(path_);
  append_text(path_, "");
}

bool ResultsFile::holds(const std::vector<Record> &planned) const
{
  return std::all_of(planned.begin(), planned.end(), [this](const Record &p) { return held_.contains(identity(p)); });
}

void ResultsFile::append(const std::vector<Record> &records)
{
  std::string text;
  for (const Record &r : records) text += to_json(r) + "\n";
  append_text(path_, text);
}

} // namespace petscspmv::bench
