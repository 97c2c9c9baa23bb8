#pragma once

/// \file candidates.hpp
/// What a search may try: other values of a type's options, made from its table alone.

#include <string>
#include <vector>

#include "core/options.hpp"

namespace petscspmv::select {

/// One option with another value than it has.
struct Variation {
  std::string_view key;
  std::int64_t     value;
};

/// The variations of `options` on the host: each name of an option with names; half, twice, a quarter and four times the
/// value of a number. Options that users may need come first, then internal ones with names, then numbers, which
/// make less of a difference. The instruction set is left out, as the widest is the default.
std::vector<Variation> variations(const OptionValues &options);

/// "tile=chunk strips=never", the values that are not the defaults; "defaults" if all are.
std::string text_of(const OptionValues &options);

} // namespace petscspmv::select
