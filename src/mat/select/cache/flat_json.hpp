#pragma once

/// \file flat_json.hpp
/// One line of JSON that is an object of strings and numbers: all that the cache of tuning results needs.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace petscspmv::select {

/// Names and values; a number as it is written.
using FlatObject = std::map<std::string, std::string>;

/// {"name":"value",...}, every value a string. Without a line's end.
std::string to_flat_json(const FlatObject &object);

/// Nothing if the line is no such object: a nested one, half of one, or something else altogether. Values may be
/// strings or numbers.
std::optional<FlatObject> from_flat_json(std::string_view line);

} // namespace petscspmv::select
