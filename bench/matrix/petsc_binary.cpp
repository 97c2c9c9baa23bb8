#include "matrix/petsc_binary.hpp"

#include <bit>
#include <cmath>

#include "matrix/builder.hpp"

namespace petscspmv::bench {

namespace {

constexpr std::int64_t kMatrixClass = 1211216;                      ///< MAT_FILE_CLASSID
constexpr std::int64_t kFirstClass = 1211211, kLastClass = 1211228; ///< of what PETSc writes to files

/// Big-endian numbers.
class NumberReader {
public:
  explicit NumberReader(ByteSource &source) : source_(source) { }

  void set_integer_bytes(int bytes) { integer_bytes_ = bytes; }
  int  integer_bytes() const { return integer_bytes_; }

  std::int64_t integer(const char *what)
  {
    const std::uint64_t bits = number(integer_bytes_, what);
    return integer_bytes_ == 4 ? std::int64_t(std::int32_t(std::uint32_t(bits))) : std::int64_t(bits);
  }

  double real(const char *what) { return std::bit_cast<double>(number(8, what)); }

  /// True if nothing follows that is read with integer().
  bool at_end()
  {
    if (end_ - begin_ < std::size_t(integer_bytes_)) refill();
    return end_ - begin_ < std::size_t(integer_bytes_);
  }

private:
  std::uint64_t number(int bytes, const char *what)
  {
    if (end_ - begin_ < std::size_t(bytes)) refill();
    if (end_ - begin_ < std::size_t(bytes))
      throw InputError("'" + source_.name() + "' ends at byte " + std::to_string(offset_ + end_) + ", where " + what +
                       " was expected. The file is cut off.");
    std::uint64_t bits = 0;
    for (int k = 0; k < bytes; ++k) bits = bits << 8 | static_cast<unsigned char>(buffer_[begin_++]);
    return bits;
  }

  void refill()
  {
    const std::string rest = buffer_.substr(begin_, end_ - begin_);
    offset_ += begin_;
    buffer_ = rest;
    buffer_.resize(rest.size() + (1 << 16));
    begin_ = 0;
    end_   = rest.size() + source_.read(buffer_.data() + rest.size(), 1 << 16);
  }

  ByteSource   &source_;
  std::string   buffer_;
  std::size_t   begin_ = 0, end_ = 0;
  std::uint64_t offset_        = 0;
  int           integer_bytes_ = 4;
};

Size read_head(NumberReader &numbers, ByteSource &source)
{
  if (numbers.integer("the class of the object") != kMatrixClass) {
    // With 64-bit integers the first half of the class is 0.
    numbers.set_integer_bytes(4);
    if (numbers.integer("the class of the object") != kMatrixClass)
      throw InputError("'" + source.name() + "' does not begin with the number " + std::to_string(kMatrixClass) +
                       ", as matrices in PETSc's binary files do.");
    numbers.set_integer_bytes(8);
  }
  Size size;
  size.rows     = numbers.integer("the number of rows");
  size.cols     = numbers.integer("the number of columns");
  size.nonzeros = numbers.integer("the number of nonzeros");
  if (size.nonzeros == -1) throw InputError("'" + source.name() + "' holds a dense matrix; this bench measures products with sparse ones.");
  if (size.rows < 0 || size.cols < 0 || size.nonzeros < 0)
    throw InputError("'" + source.name() + "' has the sizes " + std::to_string(size.rows) + " x " + std::to_string(size.cols) + " with " +
                     std::to_string(size.nonzeros) + " nonzeros, which cannot be. The file is damaged.");
  check_sizes(size);
  const auto          bytes  = std::uint64_t(numbers.integer_bytes());
  const std::uint64_t needed = 4 * bytes + std::uint64_t(size.rows) * bytes + std::uint64_t(size.nonzeros) * (bytes + 8);
  if (source.most_bytes() < needed)
    throw InputError("'" + source.name() + "' should have " + std::to_string(needed) + " bytes by its sizes, " + std::to_string(size.rows) +
                     " x " + std::to_string(size.cols) + " with " + std::to_string(size.nonzeros) + " nonzeros, but has at most " +
                     std::to_string(source.most_bytes()) + ". The file is cut off.");
  return size;
}

/// A file does not say whether its values are real: complex ones would be read as twice as many, and half of them be
/// left over.
void check_end(NumberReader &numbers, const ByteSource &source)
{
  if (numbers.at_end()) return;
  const std::int64_t next = numbers.integer("the class of the next object");
  if (next < kFirstClass || next > kLastClass)
    throw InputError("'" + source.name() +
                     "' goes on after as many real values as the matrix has nonzeros, and not with another object: the values are complex "
                     "numbers, and this bench measures products with real matrices only.");
}

} // namespace

bool is_petsc_binary(std::string_view b)
{
  using namespace std::string_view_literals;
  constexpr auto mark = "\x00\x12\x7b\x50"sv;
  return b.starts_with(mark) || (b.starts_with("\0\0\0\0"sv) && b.substr(4).starts_with(mark));
}

Size peek_petsc_binary(ByteSource &source)
{
  NumberReader numbers(source);
  return read_head(numbers, source);
}

CsrMatrix read_petsc_binary(ByteSource &source)
{
  NumberReader              numbers(source);
  const Size                size = read_head(numbers, source);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size.rows));
  std::int64_t              sum = 0;
  for (std::int64_t &length : lengths) {
    length = numbers.integer("the length of a row");
    if (length < 0 || length > size.nonzeros - sum)
      throw InputError("'" + source.name() + "': the length of row " + std::to_string(&length - lengths.data()) + " is " +
                       std::to_string(length) + ", which does not fit " + std::to_string(size.nonzeros) + " nonzeros in all.");
    sum += length;
  }
  if (sum != size.nonzeros)
    throw InputError("'" + source.name() + "': the lengths of the rows add up to " + std::to_string(sum) + ", not to " +
                     std::to_string(size.nonzeros) + " nonzeros.");
  std::vector<Triplet> entries(static_cast<std::size_t>(size.nonzeros));
  auto                 entry = entries.begin();
  for (std::int64_t r = 0; r < size.rows; ++r)
    for (std::int64_t k = lengths[std::size_t(r)]; k > 0; --k, ++entry) {
      const std::int64_t col = numbers.integer("a column");
      if (col < 0 || col >= size.cols)
        throw InputError("'" + source.name() + "': row " + std::to_string(r) + " has column " + std::to_string(col) +
                         ", but they are numbered 0 to " + std::to_string(size.cols - 1) + ".");
      *entry = {Index(r), Index(col), 0};
    }
  for (Triplet &t : entries) {
    t.val = numbers.real("a value");
    if (!std::isfinite(t.val))
      throw InputError("'" + source.name() + "': a value in row " + std::to_string(t.row) + " is not a finite number.");
  }
  check_end(numbers, source);
  return from_triplets(Index(size.rows), Index(size.cols), entries);
}

} // namespace petscspmv::bench
