#pragma once

/// \file generator.hpp
/// Matrices by name and size: "7pt:160", "fem:200k,b=3,order=shuffled", "twin:cant". The same text gives the same
/// matrix.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// A parameter of a generator: a number between min and max, or one of the words in `choices`.
struct Parameter {
  std::string_view              key;
  std::string_view              default_value;
  double                        min = 0;
  double                        max = 0;
  std::string_view              help;
  std::vector<std::string_view> choices = {};
};

/// What follows the generator's name, checked against its parameters.
class Arguments {
public:
  std::vector<std::int64_t> sizes; ///< as many as the generator takes
  std::string               word;  ///< for a generator that takes a name instead of sizes

  double             number(std::string_view key) const;
  std::int64_t       integer(std::string_view key) const { return std::int64_t(number(key)); }
  const std::string &choice(std::string_view key) const;
  std::uint64_t      seed() const { return std::uint64_t(integer("seed")); }

  void set(std::string_view key, std::string value) { values_.emplace_back(key, std::move(value)); }

private:
  std::vector<std::pair<std::string_view, std::string>> values_;
};

struct Generator {
  std::string_view       name;
  std::string_view       help;
  std::string_view       size_help;      ///< "n or nx x ny"
  std::size_t            dimensions = 1; ///< sizes it takes; a single one is repeated. 0: a name
  std::string_view       default_size;
  std::vector<Parameter> parameters; ///< besides seed and shuffle, which all have

  Size (*predict)(const Arguments &);
  CsrMatrix (*generate)(const Arguments &);
};

/// All generators, in the order to list them.
std::span<const Generator> generators();

/// A matrix that was asked for, with arguments that are right.
struct GeneratorCall {
  const Generator *generator;
  Arguments        arguments;

  Size      predict() const { return generator->predict(arguments); }
  CsrMatrix generate() const;
};

/// True if `text` begins with the name of a generator and is not the name of a file.
bool is_generator(std::string_view text);

/// Reads "name:size,key=value,...". Throws InputError that says what is wrong and lists what there is.
GeneratorCall parse_generator(std::string_view text);

/// Product of sizes. Throws InputError beyond 10^12, so that what generators compute from it fits 64 bits.
std::int64_t checked_product(std::initializer_list<std::int64_t> sizes);

/// A number with an optional k, M or G: "200k". Throws InputError that names `what`.
std::int64_t parse_count(std::string_view text, std::string_view what);

/// "rows, columns": words to choose from, for messages.
std::string join(std::span<const std::string_view> words);

} // namespace petscspmv::bench
