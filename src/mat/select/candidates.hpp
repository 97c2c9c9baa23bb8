#pragma once

/// \file candidates.hpp
/// What the tuner may try: types with values of their options, made from the tables of options alone.

#include <string>
#include <vector>

#include "core/format.hpp"

namespace petscspmv::select {

/// One option of a type with another value than the default; no key: the type with its defaults. Taken on top of the
/// best options that were found for the type before, so that changes that help add up.
struct Variation {
  int              type  = 0; ///< number in the list of types
  std::string_view key   = {};
  std::int64_t     value = 0;
};

/// The variations of a type: for an option with names, each of them; for a number, a quarter, a half, two and four
/// times its default. Left out are the instruction set, of which the widest is the default, and what has no effect in
/// `space`. In the order in which they are worth trying if nothing else is known of them: names before numbers, which
/// make less of a difference; the last name of each option, then the one before of each.
std::vector<Variation> variations(int type, std::span<const OptionSpec> options, MemorySpace space);

/// `base` with the variation. Same exceptions as OptionValues::set.
OptionValues with(const OptionValues &base, const Variation &variation);

/// "tile=chunk strips=never", the values that are not the defaults; "defaults" if all are.
std::string text_of(const OptionValues &options);

/// The same with numbers for names, to be read again; empty if all are the defaults.
std::string written(const OptionValues &options);

/// The defaults of `table` with what written() has given. Throws FormatError for a text that it has not.
OptionValues read_options(std::span<const OptionSpec> table, const std::string &text);

/// One of several types, as a search has found it.
struct Choice {
  std::string  type;
  double       product = 0; ///< that it takes, in products of the first type
  double       build   = 0; ///< the same; 0 for the first type if there was no time to try another
  OptionValues options;
};

namespace detail {

/// Reads all but the options, and returns these. Throws FormatError.
std::string read_times(const std::string &text, Choice &choice);

} // namespace detail

/// "ccoo 0.31 25 strips=2", and back. Throws FormatError for a text that is none of these types.
std::string                                 written(const Choice &choice);
template <class Scalar, class Index> Choice read_choice(std::span<const FormatType<Scalar, Index>> types, const std::string &text)
{
  Choice     choice;
  const auto options = detail::read_times(text, choice);
  for (const auto &type : types)
    if (type.name == choice.type) {
      choice.options = read_options(type.options, options);
      return choice;
    }
  throw FormatError("'" + text + "' is none of the types.");
}

} // namespace petscspmv::select
