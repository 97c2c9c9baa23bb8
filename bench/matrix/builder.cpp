#include "matrix/builder.hpp"

#include <limits>
#include <numeric>

namespace petscspmv::bench {

void check_sizes(const Size &size)
{
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  if (size.rows <= most && size.cols <= most && size.nonzeros <= most) return;
  throw InputError("A matrix of " + std::to_string(size.rows) + " x " + std::to_string(size.cols) + " with " +
                   std::to_string(size.nonzeros) + " nonzeros does not fit the " + std::to_string(8 * sizeof(Index)) +
                   "-bit integers of the PETSc that this bench was built with. Choose a smaller one" +
                   (sizeof(Index) == 4 ? ", or build with a PETSc that has 64-bit indices." : "."));
}

RowBuilder::RowBuilder(const Size &expected)
{
  check_sizes({expected.rows, expected.cols, 0});
  matrix_.rows = Index(expected.rows);
  matrix_.cols = Index(expected.cols);
  matrix_.row_ptr.reserve(std::size_t(expected.rows) + 1);
  matrix_.col.reserve(std::size_t(expected.nonzeros));
  matrix_.val.reserve(std::size_t(expected.nonzeros));
}

void RowBuilder::end_row()
{
  const auto by_col = [](const Entry &a, const Entry &b) { return a.col < b.col; };
  if (!std::is_sorted(row_.begin(), row_.end(), by_col)) std::sort(row_.begin(), row_.end(), by_col);
  const std::size_t row_start = matrix_.col.size();
  for (const Entry &e : row_) {
    if (matrix_.col.size() > row_start && matrix_.col.back() == e.col) {
      matrix_.val.back() += e.val;
    } else {
      matrix_.col.push_back(e.col);
      matrix_.val.push_back(e.val);
    }
  }
  row_.clear();
  check_sizes({0, 0, std::int64_t(matrix_.col.size())});
  matrix_.row_ptr.push_back(Index(matrix_.col.size()));
}

CsrMatrix from_triplets(Index rows, Index cols, const std::vector<Triplet> &triplets)
{
  std::vector<std::size_t> start(std::size_t(rows) + 1, 0);
  for (const Triplet &t : triplets) ++start[std::size_t(t.row) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::size_t> next(start.begin(), start.end() - 1), order(triplets.size());
  for (std::size_t k = 0; k < triplets.size(); ++k) order[next[std::size_t(triplets[k].row)]++] = k;

  RowBuilder builder({rows, cols, std::int64_t(triplets.size())});
  for (std::size_t r = 0; r < std::size_t(rows); ++r) {
    for (std::size_t k = start[r]; k < start[r + 1]; ++k) builder.add(triplets[order[k]].col, triplets[order[k]].val);
    builder.end_row();
  }
  return builder.take();
}

CsrMatrix permuted(const CsrMatrix &a, const std::vector<Index> &row_order, const std::vector<Index> &col_order)
{
  std::vector<Index> new_col(col_order.size());
  for (std::size_t j = 0; j < col_order.size(); ++j) new_col[std::size_t(col_order[j])] = Index(j);

  RowBuilder builder(size_of(a));
  for (Index i = 0; i < a.rows; ++i) {
    const Index r = row_order.empty() ? i : row_order[std::size_t(i)];
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      builder.add(new_col.empty() ? a.col[k] : new_col[std::size_t(a.col[k])], a.val[k]);
    builder.end_row();
  }
  return builder.take();
}

} // namespace petscspmv::bench
