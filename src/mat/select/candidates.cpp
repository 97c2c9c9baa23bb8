#include "select/candidates.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace petscspmv::select {

std::vector<Variation> variations(int type, std::span<const OptionSpec> options, MemorySpace space)
{
  std::vector<Variation> all;
  const auto             add = [&](const OptionSpec &spec, std::int64_t value) {
    if (value == spec.default_value || value < spec.min || value > spec.max) return;
    const auto same = [&](const Variation &v) { return v.key == spec.key && v.value == value; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back({type, spec.key, value});
  };
  const auto  counts = [space](const OptionSpec &spec) { return spec.key != "isa" && spec.counts_in(space); };
  std::size_t most   = 0;
  for (const OptionSpec &spec : options) most = std::max(most, spec.choices.size());
  for (std::size_t round = 0; round < most; ++round)
    for (const OptionSpec &spec : options)
      if (counts(spec) && round < spec.choices.size()) add(spec, spec.max - static_cast<std::int64_t>(round));
  for (const OptionSpec &spec : options)
    if (counts(spec) && spec.choices.empty())
      for (const std::int64_t value : {spec.default_value / 2, spec.default_value * 2, spec.default_value / 4, spec.default_value * 4})
        if (value > 0) add(spec, value);
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

std::string written(const OptionValues &options)
{
  std::string text;
  for (const OptionSpec &spec : options.table())
    if (options[spec.key] != spec.default_value)
      text += (text.empty() ? "" : " ") + std::string(spec.key) + "=" + std::to_string(options[spec.key]);
  return text;
}

OptionValues read_options(std::span<const OptionSpec> table, const std::string &text)
{
  OptionValues       options(table);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    long long  value  = 0;
    char       rest   = 0;
    if (equals == std::string::npos || std::sscanf(word.c_str() + equals + 1, "%lld%c", &value, &rest) != 1)
      throw FormatError("'" + word + "' is no option with its number.");
    options.set(word.substr(0, equals), value);
  }
  return options;
}

std::string written(const Choice &choice)
{
  char times[64];
  std::snprintf(times, sizeof times, " %.4g %.4g ", choice.product, choice.build);
  return choice.type + times + written(choice.options);
}

std::string detail::read_times(const std::string &text, Choice &choice)
{
  std::istringstream words(text);
  std::string        options;
  words >> choice.type >> choice.product >> choice.build;
  if (!words || !(choice.product > 0) || !(choice.build >= 0)) throw FormatError("'" + text + "' is no type with its times.");
  std::getline(words, options);
  return options;
}

} // namespace petscspmv::select
