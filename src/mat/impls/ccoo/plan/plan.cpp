#include "impls/ccoo/plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/cutter.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/local_number.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::ccoo {

namespace {

/// Least and most column of a chunk, and how its columns are written.
template <class View, class Index> void set_columns(const View &a, Index begin, Columns narrowest, Chunk &c)
{
  const Index *const col   = a.col + begin;
  Index              least = col[0], most = col[0];
  for (std::uint32_t i = 1; i < c.entries; ++i) { // std::minmax_element takes four times as long
    least = std::min(least, col[i]);
    most  = std::max(most, col[i]);
  }
  c.least                        = static_cast<Local>(least);
  c.most                         = static_cast<Local>(most);
  const std::int64_t span        = std::int64_t(c.most) - c.least;
  bool               consecutive = span + 1 == std::int64_t(c.entries);
  for (std::uint32_t i = 0; consecutive && i < c.entries; ++i) consecutive = col[i] == static_cast<Index>(c.least) + static_cast<Index>(i);
  c.columns = consecutive ? Columns::consecutive : columns_for(span, narrowest);
}

/// Entries of a chunk that are in another cache line of x than the one before.
template <class View, class Index> std::int64_t far_entries(const View &a, Index begin, const Chunk &c)
{
  std::int64_t far = 0;
  for (Index i = begin + 1; i < begin + static_cast<Index>(c.entries); ++i) far += is_far(a.col[i - 1], a.col[i]);
  return far;
}

} // namespace

template <class Scalar, class Index, class Group>
Plan<Scalar, Index, Group>::Plan(const View &a, const Rules &r)
  : rules(r), rows(kernels::local_number(a.rows, "rows", "ccoo")), cols(kernels::local_number(a.cols, "columns", "ccoo"))
{
}

template <class Scalar, class Index, class Group>
void Plan<Scalar, Index, Group>::take(const View &a, const std::vector<Region *> &regions, int threads)
{
  std::vector<RowRange> chunked;
  for (const Region *r : regions) chunked.insert(chunked.end(), r->chunked.begin(), r->chunked.end());
  join(regions, threads);
  take_chunks(a, chunked, threads);
}

/// Puts what regions have one behind the other, by all threads: what one of them wrote takes another one long to read.
template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::join(const std::vector<Region *> &regions, int threads)
{
  struct Place {
    std::size_t                tile, run; // the first
    std::vector<std::uint32_t> pattern;   // numbers
  };
  std::vector<Place> places;
  Place              next{};
  for (Region *r : regions) {
    places.push_back(next);
    for (std::size_t k = 0; k < r->pool.size(); ++k) places.back().pattern.push_back(pool.add(r->pool, k));
    next.tile += r->tiles.size();
    next.run += r->runs.size();
    add_tables(std::move(r->tables), r->tiles);
  }
  tiles.resize(next.tile);
  runs.resize(next.run);
  kernels::try_each_ticket(threads, std::ssize(regions), [&](std::int64_t ticket) {
    const Place &p = places[static_cast<std::size_t>(ticket)];
    Region      &r = *regions[static_cast<std::size_t>(ticket)];
    for (Tile &t : r.tiles) t.diagonal.run += p.run;
    for (Run &run : r.runs) run.pattern = p.pattern[run.pattern];
    std::copy(r.tiles.begin(), r.tiles.end(), tiles.begin() + static_cast<std::ptrdiff_t>(p.tile));
    std::copy(r.runs.begin(), r.runs.end(), runs.begin() + static_cast<std::ptrdiff_t>(p.run));
    r = {};
  });
}

template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::add_tables(std::vector<std::vector<Scalar>> &&more)
{
  std::move(more.begin(), more.end(), std::back_inserter(tables));
}

template <class Scalar, class Index, class Group>
template <class Pieces>
void Plan<Scalar, Index, Group>::add_tables(std::vector<std::vector<Scalar>> &&more, Pieces &&pieces)
{
  if (more.empty()) return;
  for (auto &p : pieces)
    if constexpr (requires { p.table; }) p.table += static_cast<std::uint32_t>(tables.size());
  add_tables(std::move(more));
}

/// Rows in chunks; those without entries between two chunks are tiles.
template <class Scalar, class Index, class Group>
void Plan<Scalar, Index, Group>::take_chunks(const View &a, const std::vector<RowRange> &ranges, int threads)
{
  std::vector<Cutter<Scalar, Index>> parts(ranges.size(), {a, rules});
  kernels::try_each_ticket(threads, std::ssize(ranges), [&](std::int64_t ticket) {
    const auto k = static_cast<std::size_t>(ticket);
    parts[k].cut(ranges[k]);
  });
  std::vector<std::size_t> first{0}; // chunk of each part
  for (const auto &part : parts) {
    first.push_back(first.back() + part.chunks.size());
    for (const auto &[row, n] : part.gaps) tiles.push_back({row, n});
  }
  chunks.resize(first.back());
  chunk_begin.resize(first.back());
  kernels::try_each_ticket(threads, std::ssize(ranges), [&](std::int64_t ticket) { // what one thread wrote takes another one long to copy
    const auto k = static_cast<std::size_t>(ticket);
    std::copy(parts[k].chunks.begin(), parts[k].chunks.end(), chunks.begin() + static_cast<std::ptrdiff_t>(first[k]));
    std::copy(parts[k].begin.begin(), parts[k].begin.end(), chunk_begin.begin() + static_cast<std::ptrdiff_t>(first[k]));
    parts[k].chunks = {};
    parts[k].begin  = {};
  });
  code_chunks(a, threads);
}

/// Chunks from i on that are coded alike: neighbours, and not after `end`.
template <class Scalar, class Index, class Group> std::size_t Plan<Scalar, Index, Group>::end_of_alike(std::size_t i, std::size_t end) const
{
  end = std::min(end, i + static_cast<std::size_t>(rules.alike));
  for (++i; i < end && chunk_begin[i] == chunk_begin[i - 1] + static_cast<Index>(chunks[i - 1].entries);) ++i;
  return i;
}

template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::code_chunks(const CsrView<Scalar, Index> &a, int threads)
{
  constexpr std::size_t                         of_each = tuning::region_chunks;
  const std::size_t                             regions = (chunks.size() + of_each - 1) / of_each;
  std::vector<std::vector<std::vector<Scalar>>> of_region(regions);
  const auto region = [&](std::size_t k) { return std::span(chunks).subspan(k * of_each, std::min(of_each, chunks.size() - k * of_each)); };
  kernels::try_each_ticket(threads, static_cast<std::int64_t>(regions), [&](std::int64_t ticket) {
    const auto                    k = static_cast<std::size_t>(ticket);
    kernels::TableBuilder<Scalar> builder(rules.coding);
    kernels::CodingChoice         choice;
    std::size_t                   alike = 0; // chunks with that choice end here
    for (Chunk &c : region(k)) {
      const auto  i     = static_cast<std::size_t>(&c - chunks.data());
      const Index begin = chunk_begin[i];
      set_columns(a, begin, rules.narrowest, c);
      if constexpr (requires { rules.ahead; }) c.scattered = rules.ahead && kernels::is_scattered(far_entries(a, begin, c), c.entries);
      if (i >= alike) {
        alike  = end_of_alike(i, std::min(chunks.size(), (k + 1) * of_each));
        choice = builder.choose({a.val + begin, static_cast<std::size_t>(chunk_begin[alike - 1] - begin) + chunks[alike - 1].entries});
      }
      c.coding = choice.coding;
      c.table  = choice.table;
      c.cost   = static_cast<float>(c.entries * rules.cost.entry + c.segments * rules.cost.segment +
                                  rules.coding.template cost<Scalar>(c.coding, c.entries));
    }
    of_region[k] = std::move(builder).tables();
  });
  for (std::size_t k = 0; k < regions; ++k) add_tables(std::move(of_region[k]), region(k));
}

#define INSTANTIATE(S, I) \
  template struct Plan<S, I, HostGroup>; \
  template struct Plan<S, I, DeviceGroup>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
