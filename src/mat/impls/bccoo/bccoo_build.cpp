// Writing the tiles of a plan, and new values into them.

#include <atomic>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/bccoo/bccoo_content.hpp"
#include "impls/bccoo/bccoo_host.hpp"
#include "kernels/coding/encoder.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::bccoo {
namespace {

/// Tiles that a thread does one after the other: they often share a table that is looked up through a hash.
constexpr std::int64_t batch = 32;

} // namespace

template <class Scalar, class Index>
HostMatrix<Scalar, Index>::HostMatrix(const View &a, const OptionValues &o, const Execution &execution)
  : Format<Scalar, Index>(a, execution), options_(o), threads_(std::max(1, std::min(execution.threads, runtime::max_threads()))),
    isa_(kernels::chosen_isa(o[kernels::isa_option])), plan_(a, o, threads_), kernel_(multiply_kernel<Scalar>(isa_, plan_.grid.shape))
{
  write(a);
}

template <class Scalar, class Index> Layout<Scalar> HostMatrix<Scalar, Index>::layout() const
{
  const auto &g = plan_.grid;
  return {g.shape,
          g.rows,
          g.cols,
          g.block_rows(),
          g.slices,
          plan_.tiles.data(),
          plan_.tiles.size(),
          plan_.filled.empty() ? nullptr : plan_.filled.data(),
          plan_.segments,
          structure_.data(),
          columns_.data(),
          tables_.data()};
}

/// Memory for all that the plan knows the size of.
template <class Scalar, class Index> void HostMatrix<Scalar, Index>::allocate()
{
  try {
    structure_ = kernels::Arena(plan_.structure_bytes, 0);
    columns_   = kernels::Arena(plan_.column_bytes, most_tile_blocks * sizeof(Local)); // a tile may have fewer blocks than the one before
    values_    = kernels::Arena(plan_.value_bytes, kernels::coded_slack);
    scratch_.raise(scratch_bytes(1));
  } catch (const std::bad_alloc &) {
    throw MemoryError("bccoo takes " + std::to_string(plan_.footprint().total()) + " bytes for the entries on this process, in blocks of " +
                      std::to_string(plan_.grid.shape.rows) + " x " + std::to_string(plan_.grid.shape.cols) +
                      ", and there is not so much memory; use more processes, or -mat_type aijspec.");
  }
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::write(const View &a)
{
  allocate();
  tables_.clear();
  for (const auto &t : plan_.tables) tables_.push_back(t.data());
  tables_.push_back(nullptr);
  const Shape shape = plan_.grid.shape;
  std::byte  *next  = values_.data();
  for (Tile &t : plan_.tiles) {
    t.value = next;
    next += kernels::coded_bytes<Scalar>(t.coding, t.blocks * static_cast<std::size_t>(shape.values()));
  }
  write_tiles<true>(a);
  deal();
}

/// Values, and flags, masks and columns with them if `all` is asked for. False if values do not fit their coding.
template <class Scalar, class Index> template <bool all> bool HostMatrix<Scalar, Index>::write_tiles(const View &a)
{
  std::atomic<bool> fits{true};
  kernels::try_each_batch(threads_, std::ssize(plan_.tiles), batch, [&](std::int64_t first, std::int64_t last) {
    typename Plan::Reader         reader(a, plan_.grid);
    Content<Scalar, Index>        content;
    kernels::ValueEncoder<Scalar> encoder;
    for (std::int64_t i = first; i < last && fits.load(std::memory_order_relaxed); ++i) {
      const Tile &t = plan_.tiles[static_cast<std::size_t>(i)];
      content.template read<all>(a.val, plan_, reader, t);
      if constexpr (all) {
        content.write_structure(t, plan_.grid.shape, structure_.data() + t.structure);
        content.write_columns(t, plan_.grid, columns_.data() + t.column);
      }
      auto *const to = const_cast<std::byte *>(t.value); // ours: the layout only looks at it
      if (!encoder.encode(t.coding, kernels::table_of(plan_.tables, t), content.values, to)) fits.store(false, std::memory_order_relaxed);
    }
  });
  return fits.load();
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::take_values(const View &a)
{
  if (write_tiles<false>(a)) return;
  plan_ = Plan(a, options_, threads_);
  write(a);
}

/// Gives each thread tiles with about as many values.
template <class Scalar, class Index> void HostMatrix<Scalar, Index>::deal()
{
  const auto   parts = static_cast<int>(std::clamp<std::int64_t>(std::ssize(plan_.tiles), 1, threads_));
  std::int64_t done  = 0;
  shares_.assign(1, 0);
  for (std::size_t i = 0; i < plan_.tiles.size(); ++i) {
    while (std::ssize(shares_) < parts && done * parts >= plan_.blocks * std::ssize(shares_)) shares_.push_back(i);
    done += plan_.tiles[i].blocks;
  }
  shares_.resize(static_cast<std::size_t>(parts) + 1, plan_.tiles.size());
}

#define INSTANTIATE(S, I) \
  template HostMatrix<S, I>::HostMatrix(const View &, const OptionValues &, const Execution &); \
  template void      HostMatrix<S, I>::take_values(const View &); \
  template Layout<S> HostMatrix<S, I>::layout() const;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::bccoo
