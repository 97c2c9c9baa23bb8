#include "glue/support/mirror_format.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <new>
#include <thread>

namespace petscspmv::test {

std::string MirrorJournal::letters() const
{
  std::string text;
  for (const Entry &entry : entries) text += entry.what;
  return text;
}

MirrorJournal &Journal()
{
  static MirrorJournal journal;
  return journal;
}

static void ThrowIf(Fault fault)
{
  if (fault == Fault::out_of_memory) throw std::bad_alloc();
  if (fault == Fault::memory_error) throw MemoryError("That takes 3 bytes; use more processes.");
  if (fault == Fault::format_error) throw FormatError("The number of rows is unlucky; take another one.");
  if (fault == Fault::runtime_error) throw std::runtime_error("the test has asked for this");
}

template <class Scalar, class Index> std::span<const OptionSpec> Mirror<Scalar, Index>::options()
{
  static constexpr std::array<std::string_view, 3> orders{"forward", "backward", "sideways"};
  static constexpr std::array<OptionSpec, 2>       table{{
          {"stride", 4, 1, 64, "A number that is only looked at"},
          {"order", 2, 1, 3, "A choice that is only looked at", orders},
  }};
  return table;
}

template <class Scalar, class Index> std::size_t Mirror<Scalar, Index>::predicted_bytes(const View &a, const OptionValues &)
{
  return std::size_t(a.nonzeros()) * (sizeof(Scalar) + sizeof(Index)) + (std::size_t(a.rows) + 1) * sizeof(Index);
}

template <class Scalar, class Index>
Mirror<Scalar, Index>::Mirror(const View &a, const OptionValues &options, const Execution &execution)
  : Format<Scalar, Index>(a, execution), rows_(a.rows), cols_(a.cols), threads_(execution.threads), order_(int(options["order"])),
    row_ptr_(std::size_t(a.rows) + 1, 0), col_(a.col, a.col + a.nonzeros()), val_(a.val, a.val + a.nonzeros())
{
  ThrowIf(Journal().build_fault);
  if (a.row_ptr) std::copy(a.row_ptr, a.row_ptr + a.rows + 1, row_ptr_.begin());
  Journal().entries.push_back({'b', std::size_t(rows_), std::size_t(a.nodes), threads_});
  Journal().alive++;
}

template <class Scalar, class Index> Mirror<Scalar, Index>::~Mirror()
{
  Journal().alive--;
}

template <class Scalar, class Index> void Mirror<Scalar, Index>::take_values(const View &a)
{
  const bool same = a.rows == rows_ && a.cols == cols_ && a.nonzeros() == Index(val_.size()) &&
                    std::equal(col_.begin(), col_.end(), a.col) && (!a.row_ptr || std::equal(row_ptr_.begin(), row_ptr_.end(), a.row_ptr));
  if (!same) Journal().broken_rules++;
  ThrowIf(Journal().refresh_fault);
  val_.assign(a.val, a.val + a.nonzeros());
  Journal().entries.push_back({'r', std::size_t(rows_), std::size_t(a.nodes), threads_});
}

template <class Scalar, class Index> void Mirror<Scalar, Index>::multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  Journal().entries.push_back({'m', std::size_t(rows_), 0, threads_});
  ThrowIf(Journal().multiply_fault);
  if (Journal().fast_order && order_ != Journal().fast_order) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (Index r = 0; r < rows_; ++r) {
    y[r] = beta == Scalar(0) ? Scalar(0) : beta * y[r];
    for (Index k = row_ptr_[r]; k < row_ptr_[r + 1]; ++k) y[r] += alpha * val_[k] * x[col_[k]];
  }
}

template <class Scalar, class Index> Footprint Mirror<Scalar, Index>::footprint() const
{
  return Footprint{{{"mirrored row pointer", row_ptr_.size() * sizeof(Index), false},
                    {"mirrored columns", col_.size() * sizeof(Index), false},
                    {"mirrored values", val_.size() * sizeof(Scalar), false}}};
}

template <class Scalar, class Index> Facts Mirror<Scalar, Index>::facts() const
{
  return {{"mirrored rows", std::to_string(rows_)}};
}

template class Mirror<double, std::int32_t>;
template class Mirror<double, std::int64_t>;
template class Mirror<std::complex<double>, std::int32_t>;
template class Mirror<std::complex<double>, std::int64_t>;

} // namespace petscspmv::test
