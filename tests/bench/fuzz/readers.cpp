/// \file readers.cpp
/// All that reads what a user hands in, fed with anything: Matrix Market and PETSc binary files, names of generators,
/// lines of results. Every input must end in a matrix, a record, or an InputError.

#include <cstdint>

#include "generators/generator.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/petsc_binary.hpp"
#include "records/json.hpp"

using namespace petscspmv::bench;

namespace {

constexpr std::int64_t kLargest = 1 << 22; ///< rows or columns; a larger matrix would only test the allocator

void must_be_sound(const CsrMatrix &a)
{
  if (a.row_ptr.size() != std::size_t(a.rows) + 1 || std::size_t(a.row_ptr.back()) != a.col.size() || a.val.size() != a.col.size()) abort();
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      if (a.col[k] < 0 || a.col[k] >= a.cols || (k > a.row_ptr[r] && a.col[k - 1] >= a.col[k])) abort();
}

/// The rule that leads to InputError may differ, but nothing else may be thrown.
template <class Work> void guarded(Work &&work)
{
  try {
    work();
  } catch (const InputError &) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  guarded([&] {
    const Size head = peek_matrix_market(*open_bytes(text, "input"));
    if (head.rows > kLargest || head.cols > kLargest) return;
    must_be_sound(read_matrix_market(*open_bytes(text, "input")));
  });
  guarded([&] {
    const Size head = peek_petsc_binary(*open_bytes(text, "input"));
    if (head.rows > kLargest || head.cols > kLargest) return;
    must_be_sound(read_petsc_binary(*open_bytes(text, "input")));
  });
  guarded([&] {
    const GeneratorCall call = parse_generator(text);
    const Size          head = call.predict();
    if (head.rows + head.cols + head.nonzeros < 100000 && head.rows >= 0 && head.nonzeros >= 0) must_be_sound(call.generate());
  });
  guarded([&] { to_json(from_json(text)); });
  return 0;
}
