#include "matrix/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "matrix/builder.hpp"

namespace petscspmv::bench {

namespace {

enum class Field { real, pattern };
enum class Symmetry { general, symmetric, skew };

struct Head {
  bool         coordinate = true;
  Field        field      = Field::real;
  Symmetry     symmetry   = Symmetry::general;
  std::int64_t rows = 0, cols = 0, entries = 0;
};

[[noreturn]] void fail(LineReader &lines, const std::string &sentence)
{
  throw InputError("'" + lines.source().name() + "', line " + std::to_string(lines.number()) + ": " + sentence);
}

std::string quoted(std::string_view text)
{
  constexpr std::size_t most = 60;
  std::string           clean;
  for (char c : text.substr(0, most)) clean += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + clean + (text.size() > most ? "...'" : "'");
}

/// Takes the next word off the line; empty if there is none.
std::string_view next_word(std::string_view &line)
{
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(begin);
  const std::size_t      end  = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

/// "+1" is "1", which is all that from_chars reads; "+-1" is no number.
void drop_plus(std::string_view &word)
{
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
}

bool parse_integer(std::string_view word, std::int64_t &value)
{
  drop_plus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

bool parse_real(std::string_view word, double &value)
{
  drop_plus(word);
  std::string fortran; // 1.0D+00
  if (word.find_first_of("dD") != std::string_view::npos) {
    fortran = word;
    std::replace_if(
      fortran.begin(), fortran.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    word = fortran;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // Too small to be represented is as good as 0; from_chars leaves the value alone then.
  if (error == std::errc::result_out_of_range && end == word.data() + word.size() &&
      (word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos))
    value = 0;
  else if (error != std::errc()) return false;
  return end == word.data() + word.size() && !word.empty() && std::isfinite(value);
}

bool next_content_line(LineReader &lines, std::string_view &line)
{
  while (lines.next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '%') return true;
  }
  return false;
}

Head read_banner(LineReader &lines)
{
  std::string_view line;
  if (!lines.next(line)) throw InputError("'" + lines.source().name() + "' is empty.");
  std::string banner(line);
  std::transform(banner.begin(), banner.end(), banner.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  std::string_view       rest = banner;
  const std::string_view mark = next_word(rest), object = next_word(rest), layout = next_word(rest), field = next_word(rest),
                         symmetry = next_word(rest);

  const std::string expected =
    "expected '%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric|hermitian'";
  if (mark != "%%matrixmarket" || object != "matrix") fail(lines, expected + ", found " + quoted(line) + ".");
  Head head;
  head.coordinate = layout == "coordinate";
  if (!head.coordinate && layout != "array") fail(lines, expected + ", found " + quoted(layout) + " for the layout.");
  if (field == "complex") fail(lines, "the matrix is complex; this bench measures products with real matrices only.");
  head.field = field == "pattern" ? Field::pattern : Field::real;
  if (field != "real" && field != "integer" && field != "double" && !(field == "pattern" && head.coordinate))
    fail(lines, expected + ", found " + quoted(field) + " for the field.");
  if (symmetry == "symmetric" || symmetry == "hermitian") head.symmetry = Symmetry::symmetric; // values are real
  else if (symmetry == "skew-symmetric") head.symmetry = Symmetry::skew;
  else if (symmetry != "general") fail(lines, expected + ", found " + quoted(symmetry) + " for the symmetry.");
  return head;
}

std::int64_t array_entries(const Head &head)
{
  if (head.symmetry == Symmetry::general) return head.rows * head.cols;
  return head.symmetry == Symmetry::symmetric ? head.rows * (head.rows + 1) / 2 : head.rows * (head.rows - 1) / 2;
}

Head read_head(LineReader &lines)
{
  Head              head = read_banner(lines);
  const std::string what = head.coordinate ? "three whole numbers, rows, columns and entries" : "two whole numbers, rows and columns";
  std::string_view  line;
  if (!next_content_line(lines, line))
    throw InputError("'" + lines.source().name() + "' ends after line " + std::to_string(lines.number()) + "; expected a line with " +
                     what + ".");
  std::string_view rest = line;
  const bool       good = parse_integer(next_word(rest), head.rows) && parse_integer(next_word(rest), head.cols) &&
                    (!head.coordinate || parse_integer(next_word(rest), head.entries)) && next_word(rest).empty();
  if (!good || head.rows < 0 || head.cols < 0 || head.entries < 0) fail(lines, "expected " + what + ", found " + quoted(line) + ".");
  if (head.symmetry != Symmetry::general && head.rows != head.cols)
    fail(lines,
         "a symmetric matrix must be square, and this is one of " + std::to_string(head.rows) + " x " + std::to_string(head.cols) + ".");
  check_sizes({head.rows, head.cols, 0});
  if (!head.coordinate && head.rows > 0 && head.cols > std::numeric_limits<std::int64_t>::max() / 2 / head.rows)
    fail(lines, "rows times columns is more than this bench can count.");
  if (!head.coordinate) head.entries = array_entries(head);
  return head;
}

class EntryReader {
public:
  EntryReader(LineReader &lines, const Head &head) : lines_(lines), head_(head)
  {
    // The head may promise anything: reserve no more than the file can hold, at two bytes an entry.
    const auto most = std::min<std::uint64_t>(std::uint64_t(head.entries), lines.source().most_bytes() / 2);
    entries_.reserve(most * (head.symmetry == Symmetry::general ? 1 : 2));
  }

  std::vector<Triplet> read()
  {
    std::string_view line;
    std::int64_t     count = 0;
    while (next_content_line(lines_, line)) {
      if (++count > head_.entries)
        fail(lines_, "the file should have ended: line " + std::to_string(size_line_) + " or so announced " +
                       std::to_string(head_.entries) + " entries.");
      head_.coordinate ? coordinate_line(line) : array_line(line);
    }
    if (count < head_.entries)
      throw InputError("'" + lines_.source().name() + "' ends after line " + std::to_string(lines_.number()) + " with " +
                       std::to_string(count) + " entries, but its head announced " + std::to_string(head_.entries) +
                       ". The file is cut off, or its head is wrong.");
    return std::move(entries_);
  }

private:
  void coordinate_line(std::string_view line)
  {
    std::string_view rest = line;
    std::int64_t     row = 0, col = 0;
    double           value = 1;
    const bool       good  = parse_integer(next_word(rest), row) && parse_integer(next_word(rest), col) &&
                      (head_.field == Field::pattern || parse_real(next_word(rest), value)) && next_word(rest).empty();
    if (!good)
      fail(lines_, std::string("expected ") + (head_.field == Field::pattern ? "row and column" : "row, column and one finite value") +
                     ", found " + quoted(line) + ".");
    in_range("row", row, head_.rows);
    in_range("column", col, head_.cols);
    in_lower_triangle(row, col);
    add(Index(row - 1), Index(col - 1), value);
  }

  /// Column by column; of a symmetric matrix from the diagonal down, of a skew one from below it.
  void array_line(std::string_view line)
  {
    std::string_view rest = line;
    double           value;
    if (!parse_real(next_word(rest), value) || !next_word(rest).empty())
      fail(lines_, "expected one finite value, found " + quoted(line) + ".");
    while (row_ >= head_.rows) row_ = first_row(++col_);
    add(Index(row_), Index(col_), value);
    ++row_;
  }

  std::int64_t first_row(std::int64_t col) const
  {
    return head_.symmetry == Symmetry::general ? 0 : col + (head_.symmetry == Symmetry::skew);
  }

  void in_range(const char *what, std::int64_t value, std::int64_t most)
  {
    if (value < 1 || value > most)
      fail(lines_,
           std::string("the ") + what + " is " + std::to_string(value) + ", but they are numbered 1 to " + std::to_string(most) + ".");
  }

  void in_lower_triangle(std::int64_t row, std::int64_t col)
  {
    if (head_.symmetry != Symmetry::general && row < col)
      fail(lines_, "of a symmetric matrix only the lower triangle belongs into the file, but this entry lies above the diagonal.");
    if (head_.symmetry == Symmetry::skew && row == col)
      fail(lines_, "a skew-symmetric matrix has nothing on its diagonal, but this entry lies there.");
  }

  void add(Index row, Index col, double value)
  {
    entries_.push_back({row, col, value});
    if (head_.symmetry == Symmetry::general || row == col) return;
    entries_.push_back({col, row, head_.symmetry == Symmetry::skew ? -value : value});
  }

  LineReader          &lines_;
  const Head          &head_;
  std::int64_t         size_line_ = lines_.number();
  std::int64_t         row_ = first_row(0), col_ = 0;
  std::vector<Triplet> entries_;
};

} // namespace

bool is_matrix_market(std::string_view first_bytes)
{
  constexpr std::string_view mark = "%%matrixmarket";
  return first_bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), first_bytes.begin(), [](char a, char b) {
           return a == char(std::tolower(static_cast<unsigned char>(b)));
         });
}

Size peek_matrix_market(ByteSource &source)
{
  LineReader lines(source);
  const Head head = read_head(lines);
  const bool both = head.symmetry != Symmetry::general;
  if (head.entries > std::numeric_limits<std::int64_t>::max() / 4)
    throw InputError("'" + source.name() + "' announces " + std::to_string(head.entries) + " entries, more than this bench can count.");
  return {head.rows, head.cols, head.entries * (both ? 2 : 1)};
}

CsrMatrix read_matrix_market(ByteSource &source)
{
  LineReader lines(source);
  const Head head = read_head(lines);
  return from_triplets(Index(head.rows), Index(head.cols), EntryReader(lines, head).read());
}

} // namespace petscspmv::bench
