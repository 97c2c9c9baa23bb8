#include "impls/ccoo/plan/rules.hpp"

#include <algorithm>
#include <limits>

#include "impls/ccoo/plan/device_tuning.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/lanes/isa.hpp"

namespace petscspmv::ccoo {
namespace {

const tuning::Cost &host_cost(const OptionValues &options, bool complex)
{
  if (complex) return tuning::complex_cost;
  switch (kernels::chosen_isa(options[kernels::isa_option])) {
  case kernels::Isa::avx512:
    return kernels::is_last_cache_slow() ? tuning::avx512_slow_cache_cost : tuning::avx512_cost;
  case kernels::Isa::avx2:
    return tuning::avx2_cost;
  case kernels::Isa::portable:
    return tuning::portable_cost;
  }
  __builtin_unreachable();
}

} // namespace

Rules::Rules(const OptionValues &options, const tuning::Cost &from_memory)
  : tile(options[tile_option]), rows(static_cast<int>(options["rows"])), chunk(options["chunk"]), node(static_cast<int>(options["node"])),
    narrowest(options[columns_option]), cost(from_memory), coding(kernels::coding_rules(options, cost.decode, cost.byte))
{
  if (rows == 0) rows = tuning::tile_rows;
  coding.losing = kernels::losing_coding(options);
}

HostRules::HostRules(const OptionValues &options, std::int64_t bytes, bool complex)
  : Rules(options, host_cost(options, complex)), longest(options["longest"]), strips(options[strips_option]),
    stores(options[stores_option]), ahead(bytes > kernels::tiles_ahead_bytes), row_after_row(bytes > kernels::memory_bytes)
{
  if (!kernels::comes_from_afar(bytes)) coding.byte /= 4;
  if (!ahead) cost.byte /= 4;
}

std::int64_t HostRules::long_limit(std::int64_t tile_rows, std::int64_t entries) const
{
  if (longest > 0) return longest;
  return std::clamp(tuning::long_factor * entries / std::max<std::int64_t>(tile_rows, 1), tuning::least_long, tuning::most_long);
}

DeviceRules::DeviceRules(const OptionValues &options, std::int64_t bytes) : Rules(options, tuning::device_cost)
{
  constexpr int lanes = DeviceGroup::rows;
  if (tile == TileChoice::gather) tile = TileChoice::chunk;
  rows  = std::max((rows + lanes - 1) / lanes * lanes, tuning::device_tile_rows);
  chunk = most_chunk = piece = device_chunk_entries;
  region                     = tuning::device_region_rows;
  panel                      = std::numeric_limits<Local>::max();
  whole                      = bytes <= tuning::device_small_bytes ? tuning::device_whole_row_of_small : tuning::device_whole_row;
  alike                      = tuning::device_chunks_alike;
  narrowest                  = std::max(narrowest, Columns::bits16);
  coding.limit               = tuning::device_table;
}

} // namespace petscspmv::ccoo
