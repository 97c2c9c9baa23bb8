#include "tune/candidates.hpp"

#include <algorithm>

namespace petscspmv::tune {

namespace {

/// How the help begins of options that have no effect on the host.
constexpr std::string_view on_device = "On a device:";

} // namespace

std::vector<Variation> variations(int type, std::span<const OptionSpec> options, MemorySpace space)
{
  std::vector<Variation> all;
  const auto             add = [&](const OptionSpec &spec, std::int64_t value) {
    if (value == spec.default_value || value < spec.min || value > spec.max) return;
    const auto same = [&](const Variation &v) { return v.key == spec.key && v.value == value; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back({type, spec.key, value});
  };
  for (const OptionSpec &spec : options) {
    if (spec.key == "isa" || (space == MemorySpace::host && spec.help.starts_with(on_device))) continue;
    if (!spec.choices.empty())
      for (std::int64_t value = spec.min; value <= spec.max; ++value) add(spec, value);
    else
      for (const std::int64_t value : {spec.default_value / 2, spec.default_value * 2, spec.default_value / 4, spec.default_value * 4})
        if (value > 0) add(spec, value);
  }
  return all;
}

OptionValues with(const OptionValues &base, const Variation &variation)
{
  OptionValues options = base;
  if (!variation.key.empty()) options.set(variation.key, variation.value);
  return options;
}

std::string text_of(const OptionValues &options)
{
  std::string text;
  for (const OptionSpec &spec : options.table())
    if (options[spec.key] != spec.default_value) text += (text.empty() ? "" : " ") + std::string(spec.key) + "=" + options.text(spec);
  return text.empty() ? "defaults" : text;
}

} // namespace petscspmv::tune
