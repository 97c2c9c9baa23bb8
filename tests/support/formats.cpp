#include "support/formats.hpp"

#include <algorithm>

#include "core/precision.hpp"

namespace petscspmv::test {

std::string describe(const OptionValues &options)
{
  std::string text;
  for (const OptionSpec &spec : options.table()) text += std::string(spec.key) + "=" + options.text(spec) + " ";
  return text;
}

std::vector<OptionValues> option_variants(std::span<const OptionSpec> table, MemorySpace space, int random_ones)
{
  Random<double>            random(4711);
  std::vector<OptionValues> variants;
  for (int k = 0; k < 3 + random_ones; ++k) {
    OptionValues options(table);
    for (const OptionSpec &spec : table) {
      if (spec.key == "isa" || loses_bits(spec) || !spec.counts_in(space) || k == 0) continue;
      options.set(spec.key, k == 1 ? spec.min : k == 2 ? spec.max : random.integer(spec.min, std::min(spec.max, spec.min + 11)));
    }
    if (std::find(variants.begin(), variants.end(), options) == variants.end()) variants.push_back(std::move(options));
  }
  return variants;
}

} // namespace petscspmv::test
