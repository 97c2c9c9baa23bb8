#pragma once

/// \file places.hpp
/// What each chunk of a plan has on a device, and where that is among what all have.
///
/// Where something of a chunk is follows from the chunks before it. So each thread adds up what some chunks take, and
/// when it is known what comes before these, places them: 30,000 chunks by one thread took 1.3 to 1.8 ms (16 cores
/// beside an H200).

#include <algorithm>
#include <numeric>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/hot_columns.hpp"
#include "impls/ccoo/device/host_kind.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar> using Chunks = Part<ChunkKind, Scalar>;

/// What some chunks take of what all have one after the other.
struct ChunkSums {
  std::size_t columns = 0, values = 0; ///< bytes
  std::size_t gaps = 0, cuts = 0;

  ChunkSums &operator+=(const ChunkSums &s)
  {
    columns += s.columns;
    values += s.values;
    gaps += s.gaps;
    cuts += s.cuts;
    return *this;
  }
};

/// Puts the chunks of a plan into an image, without their ends, columns and values.
template <class Scalar, class Index> class ChunkPlaces {
  using Plan = ccoo::Plan<Scalar, Index, DeviceGroup>;
  struct Known : ChunkShape, ChunkCounts { };

public:
  /// After m.hot.
  ChunkPlaces(const Plan &plan, Chunks<Scalar> &m) : plan_(plan), m_(m) { }

  void run(int threads)
  {
    const std::int64_t n = std::ssize(plan_.chunks);
    add_tables();
    m_.chunk.resize(plan_.chunks.size());
    m_.origin.resize(plan_.chunks.size());
    std::vector<ChunkSums> before(static_cast<std::size_t>((n + batch - 1) / batch) + 1);
    std::vector<Known>     facts(before.size());
    kernels::try_each_batch(threads, n, batch, [&](std::int64_t first, std::int64_t last) {
      const auto k = static_cast<std::size_t>(first / batch);
      for (std::int64_t i = first; i < last; ++i) look(plan_.chunks[static_cast<std::size_t>(i)], before[k + 1], facts[k]);
    });
    for (std::size_t k = 1; k < before.size(); ++k) before[k] += before[k - 1];
    for (const Known &s : facts) add(s);
    make_room(before.back());
    kernels::try_each_batch(threads, n, batch, [&](std::int64_t first, std::int64_t last) {
      ChunkSums at = before[static_cast<std::size_t>(first / batch)];
      for (std::int64_t i = first; i < last; ++i) {
        place(static_cast<std::size_t>(i), at);
        at += sums_of(plan_.chunks[static_cast<std::size_t>(i)]);
      }
    });
    order_cuts();
  }

private:
  static constexpr std::int64_t batch = 512;

  bool is_wide(const ccoo::Chunk &c) const { return m_.hot.empty() ? c.columns == Columns::bits32 : may_be_hot(c); }
  /// A part of a row that neither begins nor ends here.
  static bool is_middle(const ccoo::Chunk &c) { return c.continues && c.segments == 1 && !c.ends; }
  static bool cuts_row(const ccoo::Chunk &c) { return !c.ends && !is_middle(c); }

  ChunkSums sums_of(const ccoo::Chunk &c) const
  {
    return {static_cast<std::size_t>(device_chunk_entries) * (is_wide(c) ? 4 : 2), coded_bytes<Scalar>(c.coding),
            c.gaps ? c.segments : std::size_t(0), cuts_row(c)};
  }
  void look(const ccoo::Chunk &c, ChunkSums &sums, Known &facts) const
  {
    sums += sums_of(c);
    facts.all_raw = facts.all_raw && c.coding == kernels::plain_coding;
    facts.entries_in_chunks += c.entries;
    facts.most_ends = std::max(facts.most_ends, c.segments - !c.ends);
  }
  void add(const Known &s)
  {
    m_.all_raw = m_.all_raw && s.all_raw;
    m_.entries_in_chunks += s.entries_in_chunks;
    m_.most_ends = std::max(m_.most_ends, s.most_ends);
  }

  void add_tables()
  {
    for (const auto &t : plan_.tables) {
      first_of_table_.push_back(counted(m_.table.size(), "values in tables"));
      m_.table.insert(m_.table.end(), t.begin(), t.end());
    }
  }

  void make_room(const ChunkSums &all)
  {
    counted(all.columns / piece, "columns");
    counted(all.values / piece, "values");
    counted(all.gaps, "gaps between rows");
    m_.cut.resize(all.cuts);
    m_.gap.resize(all.gaps);
    m_.end    = in_small_pages(Room<std::uint16_t>(plan_.chunks.size() * lanes));
    m_.column = Room<std::byte>(all.columns);
    m_.value  = Room<std::byte>(all.values);
  }

  /// Chunk i, behind others that take so much.
  void place(std::size_t i, const ChunkSums &before)
  {
    const ccoo::Chunk &c       = plan_.chunks[i];
    const auto         number  = static_cast<std::uint32_t>(i);
    const bool         one_row = c.segments == 1 && c.entries == device_chunk_entries;
    m_.chunk[i]                = {.row             = c.row,
                                  .least           = c.least,
                                  .column          = static_cast<std::uint32_t>(before.columns / piece),
                                  .value           = static_cast<std::uint32_t>(before.values / piece),
                                  .table           = kernels::table_limit(c.coding) > 0 ? first_of_table_[c.table] : 0,
                                  .gap             = static_cast<std::uint32_t>(before.gaps),
                                  .cut             = static_cast<std::uint32_t>(before.cuts) - c.continues,
                                  .segments        = static_cast<std::uint16_t>(c.segments),
                                  .coding          = static_cast<std::uint8_t>(c.coding),
                                  .wide            = is_wide(c),
                                  .continues       = c.continues,
                                  .goes_on         = !c.ends,
                                  .scattered_lanes = one_row,
                                  .gaps            = c.gaps};
    m_.origin[i]               = {static_cast<std::int64_t>(plan_.chunk_begin[i]), c.entries, 0};
    if (c.continues && !is_middle(c)) m_.cut[before.cuts - 1].last = number;
    if (cuts_row(c)) m_.cut[before.cuts].first = number; // the row is not known yet
  }

  void order_cuts()
  {
    m_.cut_order.resize(m_.cut.size());
    std::iota(m_.cut_order.begin(), m_.cut_order.end(), 0U);
    const auto few = std::stable_partition(m_.cut_order.begin(), m_.cut_order.end(), [this](std::uint32_t k) {
      return m_.cut[k].last - m_.cut[k].first <= tuning::device_short_cut;
    });
    m_.short_cuts  = static_cast<std::uint32_t>(few - m_.cut_order.begin());
  }

  const Plan                &plan_;
  Chunks<Scalar>            &m_;
  std::vector<std::uint32_t> first_of_table_;
};

} // namespace petscspmv::ccoo::image
