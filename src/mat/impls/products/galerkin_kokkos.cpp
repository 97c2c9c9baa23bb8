#include <type_traits>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/products/galerkin.hpp"
#include "kernels/kokkos/format.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv {
namespace products {
namespace {

using namespace kernels; // its lists

/// The numbers in the rows of B that a list of A names.
template <class Index> struct NamedRows {
  Pattern<Index> a, b;

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t list, const Add &add) const
  {
    for (Index e = a.row_ptr[list]; e < a.row_ptr[list + 1]; ++e)
      for (Index f = b.row_ptr[a.col[e]]; f < b.row_ptr[a.col[e] + 1]; ++f) add(b.col[f]);
  }
};

/// The rows of B that each list of A names, together: those of A B if A's numbers are columns. Counts products.
template <class Memory, class Exec, class Index>
Lists<Index> joined(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, std::int64_t lists, const Pattern<Index> &b,
                    double *products)
{
  Room<Memory> temporary;
  const auto   most = room_for<Memory, Exec, Index>(
    exec, temporary, lists, KOKKOS_LAMBDA(const std::int64_t k) {
        std::int64_t n = 0;
        for (Index e = a.row_ptr[k]; e < a.row_ptr[k + 1]; ++e) n += b.size(a.col[e]);
      return n;
    });
  *products       = static_cast<double>(most.size);
  const auto made = distinct(exec, room, lists, most, NamedRows<Index>{a, b});
  exec.fence("petscspmv: the room of a product's structure is given back");
  return made;
}

template <class Index> struct Ascending {
  KOKKOS_FUNCTION bool operator()(Index a, Index b) const { return a < b; }
};

/// to[k] = from[entry[k]].
template <class Exec, class Index> void pick(const Exec &exec, std::int64_t n, const Index *from, const Index *entry, Index *to)
{
  each(
    exec, n, KOKKOS_LAMBDA(const std::int64_t k) { to[k] = from[entry[k]]; });
}

/// The list of each entry.
template <class Exec, class Index> void lists_of_entries(const Exec &exec, Index lists, const Index *start, Index *list)
{
  each(
    exec, lists, KOKKOS_LAMBDA(const std::int64_t k) {
      for (Index e = start[k]; e < start[k + 1]; ++e) list[e] = static_cast<Index>(k);
    });
}

/// Cuts lists into pieces of so many numbers. Returns how many there are.
template <class Exec, class Index> Index cut(const Exec &exec, Index lists, const Pattern<Index> &of, Index piece, Index *pieces)
{
  return static_cast<Index>(sum_before(
    exec, lists, pieces, KOKKOS_LAMBDA(const std::int64_t k) { return std::int64_t((of.size(k) + piece - 1) / piece); }));
}

/// Where pieces begin: [pieces + 1]; and their numbers.
template <class Exec, class Index>
void number_pieces(const Exec &exec, Index lists, const Pattern<Index> &of, Index piece, const Index *pieces, Index *begin, Index *number)
{
  each(
    exec, lists + 1, KOKKOS_LAMBDA(const std::int64_t k) {
      const Index end = k < lists ? pieces[k + 1] : pieces[k] + 1; // one more, where the last one ends
      for (Index w = pieces[k]; w < end; ++w) {
        begin[w]  = of.row_ptr[k] + (w - pieces[k]) * piece;
        number[w] = w;
      }
    });
}

/// Where sums of all pieces but the first of each list are: [lists + 1]. Returns how many there are.
template <class Exec, class Index>
std::int64_t place_parts(const Exec &exec, Index lists, const Index *pieces, const Pattern<Index> &c, Index block, Index *start)
{
  return sum_before(
    exec, lists, start, KOKKOS_LAMBDA(const std::int64_t k) {
      const Index some = pieces[k + 1] - pieces[k];
      return some > 1 ? std::int64_t(some - 1) * c.size(k) * block * block : 0;
    });
}

/// What values are made of. Patterns without another word are of nodes.
template <class S, class Index> struct Structure {
  Index          rows = 0, row_block = 1, col_block = 1;
  Pattern<Index> p;
  Pattern<Index> ap;
  S             *ap_value;             ///< row by row, each with all its columns
  Pattern<Index> by_column;            ///< P's entries, ascending, in each of its columns of nodes
  const Index   *row_of     = nullptr; ///< of each entry of P
  const Index   *pieces     = nullptr; ///< [columns of nodes + 1] pieces of by_column's lists
  Index          piece      = 1;       ///< entries of each piece but the last of a list
  const Index   *part_start = nullptr; ///< [columns of nodes + 1] where sums of second and later pieces are in `part`
  S             *part       = nullptr;
  Pattern<Index> c;
  const Index   *c_row_ptr = nullptr; ///< of rows

  /// Where row r of A P begins.
  KOKKOS_FUNCTION std::int64_t ap_row(std::int64_t r) const
  {
    const std::int64_t v = r / row_block;
    return (std::int64_t(ap.row_ptr[v]) * row_block + (r % row_block) * ap.size(v)) * col_block;
  }
};

/// Adds factor times a row that has n nodes of columns to one that has `size`, of which these are some. The lanes of a thread of a
/// team have entries each, and wait for each other at the end: the next row may be added.
template <class Member, class S, class Index>
KOKKOS_FUNCTION void add_row(const Member &member, S factor, const S *row, const Index *nodes, Index n, S *to, const Index *others,
                             Index size, Index col_block)
{
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n * col_block), [&](const Index k) {
    to[place_of(others, size, nodes[k / col_block]) * col_block + k % col_block] += factor * row[k];
  });
}

template <class Member, class S, class Index> KOKKOS_FUNCTION void set_zero(const Member &member, S *row, Index n)
{
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n), [&](const Index k) { row[k] = S(0); });
}

/// Row r of A P.
template <class S, class Index> struct MultiplyAp {
  Structure<S, Index> s;
  Pattern<Index>      a;
  const S            *a_value;
  const Index        *p_row_ptr;
  const S            *p_value;

  template <class Member> KOKKOS_FUNCTION void row(const Member &member, std::int64_t r) const
  {
    const std::int64_t v    = r / s.row_block;
    const Index        size = s.ap.size(v);
    S *const           sums = s.ap_value + s.ap_row(r);
    set_zero(member, sums, size * s.col_block);
    for (Index e = a.row_ptr[r]; e < a.row_ptr[r + 1]; ++e) {
      const Index column = a.col[e], u = column / s.row_block;
      add_row(member, a_value[e], p_value + p_row_ptr[column], s.p.col + s.p.row_ptr[u], s.p.size(u), sums, s.ap.col + s.ap.row_ptr[v],
              size, s.col_block);
    }
  }
};

/// Rows of P^T (A P), piece by piece of a list: the sums of the first are C's, those of the others `part`.
template <class S, class Index> struct MultiplyPtap {
  Structure<S, Index> s;
  Index               columns; ///< of nodes
  const Index        *p_row_ptr;
  const S            *p_value;
  S                  *c;

  template <class Member> KOKKOS_FUNCTION void row(const Member &member, std::int64_t row) const
  {
    const auto  piece     = static_cast<Index>(row / s.col_block);
    const Index component = static_cast<Index>(row % s.col_block), q = place_of(s.pieces, columns + 1, piece + 1) - 1;
    const Index size = s.c.size(q), number = piece - s.pieces[q], begin = s.by_column.row_ptr[q] + number * s.piece;
    const Index end  = begin + s.piece < s.by_column.row_ptr[q + 1] ? begin + s.piece : s.by_column.row_ptr[q + 1];
    S *const    sums = number == 0 ? c + s.c_row_ptr[q * s.col_block + component]
                                   : s.part + s.part_start[q] + (std::int64_t(number - 1) * s.col_block + component) * size * s.col_block;
    set_zero(member, sums, size * s.col_block);
    for (Index t = begin; t < end; ++t) {
      const Index        entry = s.by_column.col[t], v = s.row_of[entry];
      const std::int64_t place = std::int64_t(entry - s.p.row_ptr[v]) * s.col_block + component;
      for (std::int64_t r = std::int64_t(v) * s.row_block; r < std::int64_t(v + 1) * s.row_block; ++r)
        add_row(member, p_value[p_row_ptr[r] + place], s.ap_value + s.ap_row(r), s.ap.col + s.ap.row_ptr[v], s.ap.size(v), sums,
                s.c.col + s.c.row_ptr[q], size, s.col_block);
    }
  }
};

/// Adds the sums of later pieces to those of the first, in order.
template <class S, class Index> struct AddPieces {
  Structure<S, Index> s;
  S                  *c;

  template <class Member> KOKKOS_FUNCTION void row(const Member &member, std::int64_t i) const
  {
    const std::int64_t q       = i / s.col_block;
    const Index        entries = s.c.size(q) * s.col_block;
    for (Index number = 1; number < s.pieces[q + 1] - s.pieces[q]; ++number) {
      const S *const sums = s.part + s.part_start[q] + (std::int64_t(number - 1) * s.col_block + i % s.col_block) * entries;
      S *const       to   = c + s.c_row_ptr[i];
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, entries), [&](const Index k) { to[k] += sums[k]; });
    }
  }
};

/// Calls multiply.row() for n rows, by a thread of a team each; `lanes` of a device.
template <class Multiply> struct RowsOfTeam {
  Multiply     multiply;
  std::int64_t n;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const std::int64_t row = std::int64_t(member.league_rank()) * member.team_size() + member.team_rank();
    if (row < n) multiply.row(member, row);
  }
};

template <class Exec, class Multiply> void each_row(const Exec &exec, std::int64_t n, int lanes, const Multiply &multiply)
{
  constexpr int on_device = 128; // threads of a block
  if constexpr (is_host_space<Exec>) lanes = 1;
  const int          team  = team_size(exec, 0, on_device / lanes);
  const std::int64_t teams = (n + team - 1) / team;
  if (n > 0) Kokkos::parallel_for("petscspmv product", league_of_teams(exec, teams, team, lanes), RowsOfTeam<Multiply>{multiply, n});
}

/// About as many lanes as rows have entries, in the mean: a power of two.
inline int lanes_for(std::int64_t entries, std::int64_t rows)
{
  int lanes = 1;
  while (lanes < 32 && 3 * lanes * rows < 2 * entries) lanes *= 2;
  return lanes;
}

/// On the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosGalerkin final : public GalerkinProduct<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

public:
  KokkosGalerkin(const View &a, const View &p, Index row_block, Index col_block, const Execution &execution)
    : cols_(p.cols), memory_{execution.threads}
  {
    run([&](const auto &exec) {
      Room<Memory> temporary;
      double       of_ap, of_c;
      auto         a_nodes = nodes_of(exec, temporary, shown(a), a.rows / row_block, row_block, row_block, a.nonzeros());
      auto         p_nodes = nodes_of(exec, room_, shown(p), a.rows / row_block, row_block, col_block, p.nonzeros());
      const bool   dense   = a_nodes.size * row_block * row_block == a.nonzeros() && p_nodes.size * row_block * col_block == p.nonzeros();
      if (!dense) { // an entry that is not there must not come into being
        row_block = col_block = 1;
        p_nodes               = nodes_of(exec, room_, shown(p), a.rows, row_block, col_block, p.nonzeros());
      }
      const Index nodes = a.rows / row_block;
      s_.rows           = a.rows;
      s_.row_block      = row_block;
      s_.col_block      = col_block;
      s_.p              = p_nodes.pattern();
      const auto ap     = joined(exec, room_, dense ? a_nodes.pattern() : shown(a), nodes, s_.p, &of_ap);
      find_columns(exec, nodes, p_nodes.size);
      const auto c = structure_of_c(exec, p_nodes.size, ap.pattern(), &of_c);
      s_.ap        = ap.pattern();
      s_.ap_value  = room_.template take<S>(ap.size * row_block * col_block);
      s_.c         = c.pattern();
      c_           = expanded(exec, room_, s_.c, cols_, col_block, col_block);
      s_.c_row_ptr = c_.start;
      place_sums(exec);
      flops_ = 2. * row_block * col_block * (of_ap * row_block + of_c * col_block);
      exec.fence("petscspmv: the structure of a product is made");
    });
  }

  std::vector<Index> row_ptr() const override { return on_host_of(c_.start, std::int64_t(cols_) + 1); }
  std::vector<Index> col() const override { return on_host_of(c_.number, c_.size); }

  void values(const View &a, const View &p, Scalar *c) override
  {
    const auto *const a_value = reinterpret_cast<const S *>(a.val), *const p_value = reinterpret_cast<const S *>(p.val);
    Place::run(memory_.threads, [&](const auto &exec) {
      each_row(exec, s_.rows, p_lanes_, MultiplyAp<S, Index>{s_, shown(a), a_value, shown(p).row_ptr, p_value});
      S *const to = reinterpret_cast<S *>(c);
      each_row(exec, std::int64_t(pieces_) * s_.col_block, ap_lanes_,
               MultiplyPtap<S, Index>{s_, cols_ / s_.col_block, shown(p).row_ptr, p_value, to});
      if (parts_ > 0) each_row(exec, cols_, ap_lanes_, AddPieces<S, Index>{s_, to});
      exec.fence("petscspmv: a product is there");
    });
  }

  double flops() const override { return flops_; }

private:
  template <class Go> void run(const Go &go) const
  {
    memory_.taking([&] { Place::run(memory_.threads, go); });
  }

  static Pattern<Index> shown(const View &a)
  {
    return on_host ? Pattern<Index>{a.row_ptr, a.col} : Pattern<Index>{a.device_row_ptr, a.device_col};
  }

  /// P's entries by columns, of nodes.
  template <class Exec> void find_columns(const Exec &exec, Index nodes, std::int64_t entries)
  {
    Index *const row_of = room_.template take<Index>(entries);
    lists_of_entries(exec, nodes, s_.p.row_ptr, row_of);
    s_.row_of    = row_of;
    s_.by_column = grouped(exec, room_, entries, cols_ / s_.col_block, s_.p.col, Ascending<Index>()).pattern();
  }

  /// C's, of nodes: of pieces of columns first, so that no thread has a long list.
  template <class Exec> Lists<Index> structure_of_c(const Exec &exec, std::int64_t entries, const Pattern<Index> &ap, double *products)
  {
    constexpr Index many    = 1 << 16; // columns, with which there is work for all in long pieces
    const Index     columns = cols_ / s_.col_block;
    Index *const    node    = room_.template take<Index>(entries);
    Index *const    pieces  = room_.template take<Index>(columns + 1);
    double          again;
    Room<Memory>    temporary;
    pick(exec, entries, s_.row_of, s_.by_column.col, node);
    s_.piece            = columns > many ? 64 : 16;
    pieces_             = cut(exec, columns, s_.by_column, s_.piece, pieces);
    s_.pieces           = pieces;
    Index *const begin  = temporary.template take<Index>(pieces_ + 1);
    Index *const number = temporary.template take<Index>(pieces_ + 1);
    number_pieces(exec, columns, s_.by_column, s_.piece, pieces, begin, number);
    const auto of_pieces = joined(exec, temporary, {begin, node}, pieces_, ap, products);
    return joined(exec, room_, {pieces, number}, columns, of_pieces.pattern(), &again);
  }

  template <class Exec> void place_sums(const Exec &exec)
  {
    const Index  columns = cols_ / s_.col_block;
    Index *const start   = room_.template take<Index>(columns + 1);
    parts_               = place_parts(exec, columns, s_.pieces, s_.c, s_.col_block, start);
    s_.part              = room_.template take<S>(parts_);
    s_.part_start        = start;
  }

  std::vector<Index> on_host_of(const Index *from, std::int64_t n) const
  {
    std::vector<Index> to(static_cast<std::size_t>(n));
    memory_.copy(borrowed_array<Memory>(from, to.size()), borrowed_array<Kokkos::HostSpace>(to.data(), to.size()));
    memory_.wait();
    return to;
  }

  Index               cols_, pieces_ = 0;
  std::int64_t        parts_ = 0; ///< sums of pieces but the first
  KokkosMemory<Place> memory_;
  Room<Memory>        room_; ///< of all arrays that are kept
  Structure<S, Index> s_{};
  Lists<Index>        c_;                          ///< C, by rows
  int                 p_lanes_ = 1, ap_lanes_ = 1; ///< for rows of P and of A P
  double              flops_ = 0;
};

} // namespace
} // namespace products

template <class Scalar, class Index>
std::unique_ptr<GalerkinProduct<Scalar, Index>> make_galerkin_product(const CsrView<Scalar, Index> &a, const CsrView<Scalar, Index> &p,
                                                                      Index row_block, Index col_block, const Execution &execution)
{
  kernels::need_kokkos();
  if (execution.space == MemorySpace::host)
    return std::make_unique<products::KokkosGalerkin<Scalar, Index, kernels::KokkosHost>>(a, p, row_block, col_block, execution);
  if (!runtime::has_device()) throw FormatError(runtime::device_problem());
  if constexpr (!kernels::is_host_space<Kokkos::DefaultExecutionSpace>)
    return std::make_unique<products::KokkosGalerkin<Scalar, Index, kernels::KokkosDevice>>(a, p, row_block, col_block, execution);
  throw FormatError(runtime::device_problem());
}

#define INSTANTIATE(S, I) \
  template std::unique_ptr<GalerkinProduct<S, I>> make_galerkin_product(const CsrView<S, I> &, const CsrView<S, I> &, I, I, \
                                                                        const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
