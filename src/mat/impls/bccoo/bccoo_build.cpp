// Writing the tiles of a plan, and new values into them.

#include <atomic>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/bccoo/bccoo_columns.hpp"
#include "impls/bccoo/bccoo_content.hpp"
#include "impls/bccoo/bccoo_impl.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv {

using bccoo::Content;
using bccoo::Tile;

namespace {

/// Tiles that a thread does one after the other: they often share a table that is looked up through a hash.
constexpr std::int64_t batch = 32;

} // namespace

template <class Scalar, class Index>
Bccoo<Scalar, Index>::Impl::Impl(const View &a, const OptionValues &o, const Execution &execution)
  : options(o), threads(std::max(1, std::min(execution.threads, runtime::max_threads()))), isa(kernels::chosen_isa(o["isa"])),
    plan(a, o, threads), kernel(bccoo::multiply_kernel<Scalar>(isa, plan.grid.shape))
{
  write(a);
}

template <class Scalar, class Index> bccoo::Layout<Scalar> Bccoo<Scalar, Index>::Impl::layout() const
{
  const auto &g = plan.grid;
  return {g.shape,
          g.rows,
          g.cols,
          g.block_rows(),
          g.slices,
          plan.tiles.data(),
          plan.tiles.size(),
          plan.filled.empty() ? nullptr : plan.filled.data(),
          plan.segments,
          structure.data(),
          columns.data(),
          tables.data()};
}

/// Memory for all that the plan knows the size of.
template <class Scalar, class Index> void Bccoo<Scalar, Index>::Impl::allocate()
{
  try {
    structure = kernels::Arena(plan.structure_bytes, 0);
    columns   = kernels::Arena(plan.column_bytes, 0);
    values    = kernels::Arena(plan.value_bytes, kernels::coded_slack);
    scratch.renew([this] { return new_scratch(); });
    pass_part.forget();
  } catch (const std::bad_alloc &) {
    throw MemoryError("bccoo takes " + std::to_string(plan.footprint().total()) + " bytes for the entries on this process, in blocks of " +
                      std::to_string(plan.grid.shape.rows) + " x " + std::to_string(plan.grid.shape.cols) +
                      ", and there is not so much memory; use more processes, or -mat_type aijspec.");
  }
}

/// Flags, masks, columns and values of all tiles.
template <class Scalar, class Index> void Bccoo<Scalar, Index>::Impl::write(const View &a)
{
  allocate();
  tables.clear();
  for (const auto &t : plan.tables) tables.push_back(t.data());
  tables.push_back(nullptr);
  const bccoo::Shape shape = plan.grid.shape;
  std::byte         *next  = values.data();
  for (Tile &t : plan.tiles) {
    t.value = next;
    next += kernels::coded_bytes<Scalar>(t.coding, t.blocks * static_cast<std::size_t>(shape.values()));
  }
  kernels::try_each_batch(threads, std::ssize(plan.tiles), batch, [&](std::int64_t first, std::int64_t last) {
    typename Plan::Reader         reader(a, plan.grid);
    Content<Scalar, Index>        content;
    kernels::ValueEncoder<Scalar> encoder;
    for (std::int64_t i = first; i < last; ++i) {
      const Tile &t = plan.tiles[static_cast<std::size_t>(i)];
      content.read(a.val, plan, reader, t);
      content.write_structure(t, shape, structure.data() + t.structure);
      bccoo::write_columns(
        t, content.columns, [&](std::size_t b) { return content.ends[b] != 0; }, columns.data() + t.column);
      encode(encoder, t, content.values);
    }
  });
  deal();
}

/// Writes the values of a tile; false if they do not fit its coding.
template <class Scalar, class Index>
bool Bccoo<Scalar, Index>::Impl::encode(kernels::ValueEncoder<Scalar> &encoder, const Tile &t, const std::vector<Scalar> &from) const
{
  return encoder.encode(t.coding, kernels::table_of(plan.tables, t), from,
                        const_cast<std::byte *>(t.value)); // ours: the layout only looks at it
}

template <class Scalar, class Index> void Bccoo<Scalar, Index>::Impl::refresh(const View &a)
{
  std::atomic<bool> fits{true};
  kernels::try_each_batch(threads, std::ssize(plan.tiles), batch, [&](std::int64_t first, std::int64_t last) {
    typename Plan::Reader         reader(a, plan.grid);
    Content<Scalar, Index>        content;
    kernels::ValueEncoder<Scalar> encoder;
    for (std::int64_t i = first; i < last && fits.load(std::memory_order_relaxed); ++i) {
      const Tile &t = plan.tiles[static_cast<std::size_t>(i)];
      content.read_values(a.val, plan, reader, t);
      if (!encode(encoder, t, content.values)) fits.store(false, std::memory_order_relaxed);
    }
  });
  if (fits.load()) return;
  plan = Plan(a, options, threads);
  write(a);
}

/// Gives each thread tiles with about as many values.
template <class Scalar, class Index> void Bccoo<Scalar, Index>::Impl::deal()
{
  const auto   parts = static_cast<int>(std::clamp<std::int64_t>(std::ssize(plan.tiles), 1, threads));
  std::int64_t done  = 0;
  shares.assign(1, 0);
  for (std::size_t i = 0; i < plan.tiles.size(); ++i) {
    while (std::ssize(shares) < parts && done * parts >= plan.blocks * std::ssize(shares)) shares.push_back(i);
    done += plan.tiles[i].blocks;
  }
  shares.resize(static_cast<std::size_t>(parts) + 1, plan.tiles.size());
}

#define INSTANTIATE(S, I) template struct Bccoo<S, I>::Impl;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
