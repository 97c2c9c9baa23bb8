// What options and sizes ask of tiles and chunks.

#include <algorithm>
#include <limits>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/cache.hpp"

namespace petscspmv::ccoo {

Rules::Rules(const OptionValues &options, std::int64_t bytes, const tuning::Cost &cost_from_memory)
  : tile(options[tile_option]), rows(static_cast<int>(options["rows"])), region(tuning::region_rows), chunk(options["chunk"]),
    most_chunk(tuning::most_chunk_entries), piece(tuning::piece_entries), panel(tuning::panel_columns), longest(options["longest"]),
    node(static_cast<int>(options["node"])), narrowest(options[columns_option]), strips(options[strips_option]),
    stores(options[stores_option]), ahead(bytes > kernels::tiles_ahead_bytes), row_after_row(bytes > kernels::memory_bytes),
    cost(cost_from_memory)
{
  if (rows == 0) rows = tuning::tile_rows;
  if (!ahead) cost.byte /= 4;
  coding        = kernels::coding_rules(options, cost.decode, cost_from_memory.byte / (kernels::comes_from_afar(bytes) ? 1 : 4));
  coding.losing = kernels::losing_coding(options);
}

Rules Rules::on_device(const OptionValues &options, std::int64_t bytes)
{
  constexpr int lanes = DeviceGroup::rows;
  Rules         rules(options, bytes, tuning::device_cost);
  if (rules.tile == TileChoice::gather) rules.tile = TileChoice::chunk;
  rules.on_host = false;
  rules.region  = tuning::device_region_rows;
  rules.rows    = std::max((rules.rows + lanes - 1) / lanes * lanes, tuning::device_tile_rows);
  rules.chunk = rules.most_chunk = rules.piece = device_chunk_entries;
  rules.panel                                  = std::numeric_limits<Local>::max();
  rules.whole         = bytes <= tuning::device_small_bytes ? tuning::device_whole_row_of_small : tuning::device_whole_row;
  rules.alike         = tuning::device_chunks_alike;
  rules.longest       = std::numeric_limits<std::int64_t>::max();
  rules.narrowest     = std::max(rules.narrowest, Columns::bits16);
  rules.row_after_row = false;
  rules.cost          = tuning::device_cost;
  rules.coding.decode = rules.cost.decode;
  rules.coding.byte   = rules.cost.byte;
  rules.coding.limit  = tuning::device_table;
  return rules;
}

std::int64_t long_limit(const Rules &rules, std::int64_t rows, std::int64_t entries)
{
  if (rules.longest > 0) return rules.longest;
  return std::clamp(tuning::long_factor * entries / std::max<std::int64_t>(rows, 1), tuning::least_long, tuning::most_long);
}

} // namespace petscspmv::ccoo
