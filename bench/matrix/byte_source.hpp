#pragma once

/// \file byte_source.hpp
/// Bytes of a file, gzipped or not, or of a buffer (for tests and the fuzzer).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace petscspmv::bench {

class ByteSource {
public:
  virtual ~ByteSource() = default;

  /// Fills `buffer` as far as there are bytes; returns how many there were. Fewer than `size` only at the end.
  /// Throws InputError if the file cannot be read or its compressed data are damaged or cut off.
  virtual std::size_t read(char *buffer, std::size_t size) = 0;

  /// An upper bound of the number of bytes, from the size of the file.
  virtual std::uint64_t most_bytes() const = 0;

  /// What messages call it: the path.
  virtual const std::string &name() const = 0;
};

/// Throws InputError if there is no such file, if it may not be read, or if it is a pipe, which could not be read
/// again.
std::unique_ptr<ByteSource> open_file(const std::string &path);

/// Reads `bytes`, which must outlive it.
std::unique_ptr<ByteSource> open_bytes(std::string_view bytes, std::string name);

/// Line after line, without its end.
class LineReader {
public:
  explicit LineReader(ByteSource &source) : source_(source) { }

  /// The next line; valid until the next call. Returns false at the end of the file.
  bool next(std::string_view &line);

  /// Counts from 1; that of the line which next() returned last.
  std::int64_t number() const { return number_; }

  ByteSource &source() { return source_; }

private:
  [[noreturn]] void too_long() const;
  bool              refill();

  ByteSource  &source_;
  std::string  buffer_;
  std::size_t  begin_  = 0;
  bool         ended_  = false;
  std::int64_t number_ = 0;
};

} // namespace petscspmv::bench
