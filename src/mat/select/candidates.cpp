#include "select/candidates.hpp"

#include "core/precision.hpp"

namespace petscspmv::select {

std::vector<Variation> variations(const OptionValues &options)
{
  std::vector<Variation> all;
  const auto counts = [](const OptionSpec &spec) { return spec.key != "isa" && !loses_bits(spec) && spec.counts_in(MemorySpace::host); };
  const auto add    = [&](const OptionSpec &spec, std::int64_t value) {
    if (value != options[spec.key] && value >= spec.min && value <= spec.max) all.push_back({spec.key, value});
  };
  for (const bool internal : {false, true})
    for (const OptionSpec &spec : options.table())
      if (counts(spec) && !spec.choices.empty() && spec.internal == internal)
        for (std::int64_t value = spec.max; value >= spec.min; --value) add(spec, value);
  for (const OptionSpec &spec : options.table()) {
    const std::int64_t now = options[spec.key];
    if (!counts(spec) || !spec.choices.empty() || now <= 0) continue; // 0 stands for a number that the type finds
    for (const std::int64_t value : {now / 2, now * 2, now / 4, now * 4}) add(spec, value);
  }
  return all;
}

std::string text_of(const OptionValues &options)
{
  std::string text;
  for (const OptionSpec &spec : options.table())
    if (options[spec.key] != spec.default_value) text += (text.empty() ? "" : " ") + std::string(spec.key) + "=" + options.text(spec);
  return text.empty() ? "defaults" : text;
}

} // namespace petscspmv::select
