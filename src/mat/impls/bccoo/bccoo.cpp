#include "impls/bccoo/bccoo_host.hpp"

#include <string>

#include "core/for_each_type.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::bccoo {
namespace {

constexpr std::array<std::string_view, 9> sides{"auto", "1", "2", "3", "4", "5", "6", "7", "8"};

/// Adds the parts of every cut block row in their order, and writes what no tile has written.
template <class Scalar> void finish(const Layout<Scalar> &m, const std::vector<CutRow> &cut_rows, const Task<Scalar> &task)
{
  const int  h     = m.shape.rows;
  const auto empty = [&](Local segment, std::int64_t end) { // rows before a segment without blocks
    task.update.empty(segment > 0 ? (m.block_row(segment - 1) + 1) * h : 0, end);
  };
  for (const CutRow &c : cut_rows) {
    Scalar             sum[longest_side] = {};
    const std::int64_t row               = m.block_row(c.segment) * h;
    for (std::int64_t p = c.first_part; p < c.first_part + c.parts; ++p)
      for (int i = 0; i < h; ++i) sum[i] += task.part[p * h + i];
    empty(c.segment, row);
    task.update(row, sum, std::min<std::int64_t>(h, task.rows - row));
  }
  empty(m.segments, task.rows);
}

/// Rows first .. last - 1: the sums of all slices, in their order.
template <class Scalar>
void add_slices(const Layout<Scalar> &m, const Scalar *waiting, std::int64_t first, std::int64_t last,
                const kernels::RowUpdate<Scalar> &update)
{
  constexpr std::int64_t block = 64;
  const std::int64_t     slice = std::int64_t(m.block_rows) * m.shape.rows;
  for (; first < last; first += block) {
    const std::int64_t n          = std::min(block, last - first);
    Scalar             sum[block] = {};
    for (int s = 0; s < m.slices; ++s)
      for (std::int64_t i = 0; i < n; ++i) sum[i] += waiting[s * slice + first + i];
    update(first, sum, n);
  }
}

} // namespace

constexpr std::array<OptionSpec, 7> option_table{{
  {"block_rows", 0, 0, longest_side, "Rows of a block; auto looks at how full blocks would be in some of the rows", sides},
  {"block_columns", 0, 0, longest_side, "Columns of a block; auto as for rows", sides},
  internal({"slices", 0, 0, tuning::most_slices, "Vertical slices (BCCOO+), whose sums are added at the end; 0 for as many as pay"}),
  kernels::values_option,
  kernels::table_option,
  internal(host_only({"tile", 0, 0, most_tile_values,
                      "Values of a tile, zeros in blocks included, at most; 0 for a number that suits the size of the matrix"})),
  kernels::isa_option,
}};

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  return Plan<Scalar, Index>(a, options, 1).footprint().total();
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return std::make_unique<HostMatrix<Scalar, Index>>(a, options, execution);
}

/// The vectors take turns at a few tiles, which a cache keeps meanwhile.
template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                              int n)
{
  using Update                   = kernels::RowUpdate<Scalar>;
  const auto             m       = layout();
  const kernels::Scratch scratch = scratch_.borrow(scratch_bytes(n));
  const std::size_t      parts   = plan_.parts();
  Scalar *const sums = reinterpret_cast<Scalar *>(scratch.data()), *const waiting = sums + static_cast<std::size_t>(n) * parts;
  const auto task = [&](int c) -> Task<Scalar> {
    Scalar *const own = sums + static_cast<std::size_t>(c) * parts;
    if (m.slices > 1) return {x, Update(1, 0, waiting), plan_.waiting(), plan_.ahead, own};
    return {x + c * ldx, Update(alpha, beta, y + c * ldy), m.rows, plan_.ahead, own};
  };
  kernels::for_each_part(static_cast<int>(shares_.size()) - 1, [&](int share) {
    const std::size_t last = shares_[static_cast<std::size_t>(share) + 1];
    for (std::size_t first = shares_[static_cast<std::size_t>(share)], end; first < last; first = end) {
      end = n == 1 ? last : std::min(first + tuning::batch_tiles, last);
      for (int c = 0; c < n; ++c) kernel_(m, first, end, task(c));
    }
  });
  for (int c = 0; c < n; ++c) finish(m, plan_.cut_rows, task(c));
  if (m.slices == 1) return;
  kernels::for_each_part(threads_, [&](int part) {
    const auto at = [&](int p) { return std::int64_t(m.rows) * p / threads_; };
    add_slices(m, waiting, at(part), at(part + 1), Update(alpha, beta, y));
  });
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (alpha == Scalar(0)) kernels::scale(plan_.grid.rows, beta, y);
  else multiply_pass(alpha, x, 0, beta, y, 0, 1);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                              std::int64_t ldy, int columns)
{
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(op, alpha, xc, beta, yc); };
  const bool pays   = alpha != Scalar(0) && plan_.grid.slices == 1;
  kernels::in_passes(pays, columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    scratch_.raise(scratch_bytes(kernels::pass_columns));
    multiply_pass(alpha, xs, ldx, beta, ys, ldy, n);
  });
}

template <class Scalar, class Index> Footprint HostMatrix<Scalar, Index>::footprint() const
{
  const auto taken = [](const auto &...arrays) { return (bytes_taken(arrays) + ...); };
  Footprint  f     = plan_.footprint();
  f.scratch        = scratch_.bytes();
  f.tell_kept(sizeof(*this) + options_.bytes_taken() + structure_.bytes_taken() + columns_.bytes_taken() + values_.bytes_taken() +
              taken(tables_, shares_, plan_.tiles, plan_.filled, plan_.cut_rows, plan_.tables));
  return f;
}

template <class Scalar, class Index> Facts HostMatrix<Scalar, Index>::facts() const
{
  static constexpr std::array<std::string_view, 2> widths{"16 bits", "32 bits"};
  Facts                                            facts = facts_of_blocks(plan_.grid.shape, plan_.blocks, plan_.zeros);
  facts.insert(facts.end(),
               {{"slices", std::to_string(plan_.grid.slices)},
                {"block rows with blocks", std::to_string(plan_.segments) + " of " + std::to_string(plan_.grid.all_block_rows())},
                {"block rows that are cut", std::to_string(plan_.cut_rows.size())},
                {"tiles", kernels::counted_codings(plan_.tiles)},
                {"columns of tiles", kernels::counted(plan_.tiles, widths, [](const Tile &t) { return static_cast<int>(t.columns); })},
                {"tables of values", std::to_string(plan_.tables.size())},
                {"instruction set", std::string(kernels::isa_facts[isa_])},
                {"threads", std::to_string(threads_)}});
  return facts;
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const
{
  const auto m  = layout();
  const int  w  = m.shape.cols;
  const auto at = [&](const Tile &t, std::size_t b) { // the column of a block
    const std::byte *const columns = m.column + t.column;
    return t.least * w + (t.columns == Columns::bits16 ? static_cast<Local>(NarrowColumns<1>{columns}[b]) * w
                                                       : static_cast<Local>(WideColumns{columns}[b]));
  };
  for (const Tile &t : plan_.tiles)
    kernels::with_coding(t.coding, t.value, m.table[t.table], [&](const auto &values) {
      const TileView view(t, m.shape, m.structure);
      view.for_each_segment(t, [&](std::uint32_t k, std::uint32_t first, std::uint32_t end) {
        const auto row = static_cast<Local>(m.block_row(t.segment + static_cast<Local>(k)) % m.block_rows * m.shape.rows);
        for (std::uint32_t b = first; b < end; ++b)
          view.for_each_entry(m.shape, b, [&](int q) {
            visit(row + m.shape.row(q), at(t, b) + m.shape.col(q), values[std::int64_t(b) * m.shape.values() + q]);
          });
      });
    });
}

#define INSTANTIATE(S, I) \
  template class HostMatrix<S, I>; \
  template std::size_t     predicted_bytes(const CsrView<S, I> &, const OptionValues &); \
  template FormatPtr<S, I> on_host(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::bccoo
