#include "matrix/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <zlib.h>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

namespace {

constexpr std::size_t   kChunk        = 1 << 20;
constexpr std::size_t   kLongestLine  = 1024; ///< of Matrix Market files
constexpr std::uint64_t kGzipBestCase = 1032; ///< deflate cannot compress further

class FileBytes final : public ByteSource {
public:
  explicit FileBytes(const std::string &path) : path_(path)
  {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) throw InputError("'" + path + "' is a folder, not a file.");
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
      throw InputError("'" + path + "' is a pipe or a device, but what it gives has to be read more than once: write it to a file first.");
    size_ = std::filesystem::file_size(path, error);
    file_ = gzopen(path.c_str(), "rb");
    if (!file_) throw InputError("'" + path + "' cannot be opened: " + std::strerror(errno) + ".");
    gzbuffer(file_, 1 << 17);
  }
  ~FileBytes() override { gzclose(file_); }
  FileBytes(const FileBytes &)            = delete;
  FileBytes &operator=(const FileBytes &) = delete;

  std::size_t read(char *buffer, std::size_t size) override
  {
    std::size_t got = 0;
    while (got < size) {
      const int n = gzread(file_, buffer + got, unsigned(std::min(size - got, kChunk)));
      int       code;
      if (n < 0 || (gzerror(file_, &code), code == Z_BUF_ERROR)) {
        const std::string words = gzerror(file_, &code);
        throw InputError("'" + path_ + "' is damaged or cut off: its gzipped data cannot be read to the end (" + words + ").");
      }
      if (n == 0) break;
      got += std::size_t(n);
    }
    return got;
  }

  std::uint64_t      most_bytes() const override { return gzdirect(file_) ? size_ : size_ * kGzipBestCase; }
  const std::string &name() const override { return path_; }

private:
  std::string   path_;
  gzFile        file_;
  std::uint64_t size_;
};

class BufferBytes final : public ByteSource {
public:
  BufferBytes(std::string_view bytes, std::string name) : size_(bytes.size()), rest_(bytes), name_(std::move(name)) { }

  std::size_t read(char *buffer, std::size_t size) override
  {
    const std::size_t n = std::min(size, rest_.size());
    std::copy_n(rest_.data(), n, buffer);
    rest_.remove_prefix(n);
    return n;
  }

  std::uint64_t      most_bytes() const override { return size_; }
  const std::string &name() const override { return name_; }

private:
  std::uint64_t    size_;
  std::string_view rest_;
  std::string      name_;
};

} // namespace

std::unique_ptr<ByteSource> open_file(const std::string &path)
{
  return std::make_unique<FileBytes>(path);
}

std::unique_ptr<ByteSource> open_bytes(std::string_view bytes, std::string name)
{
  return std::make_unique<BufferBytes>(bytes, std::move(name));
}

void LineReader::too_long() const
{
  throw InputError("'" + source_.name() + "', line " + std::to_string(number_ + 1) + ": the line is longer than " +
                   std::to_string(kLongestLine) + " characters; this is not a Matrix Market file.");
}

bool LineReader::refill()
{
  if (ended_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > kLongestLine) too_long();
  const std::size_t old = buffer_.size();
  buffer_.resize(old + kChunk);
  const std::size_t got = source_.read(buffer_.data() + old, kChunk);
  buffer_.resize(old + got);
  ended_ = got < kChunk;
  return got > 0;
}

bool LineReader::next(std::string_view &line)
{
  std::size_t end;
  while ((end = buffer_.find('\n', begin_)) == std::string::npos && refill()) { }
  if (end == std::string::npos && begin_ == buffer_.size()) return false;
  if (end == std::string::npos) end = buffer_.size();
  if (end - begin_ > kLongestLine) too_long();
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  begin_ = std::min(end + 1, buffer_.size());
  ++number_;
  return true;
}

} // namespace petscspmv::bench
