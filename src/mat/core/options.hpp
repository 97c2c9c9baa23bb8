#pragma once

/// \file options.hpp
/// The options of a format as a table, so that PETSc's option database, -help, -mat_view, the documentation and the
/// tests all read the same lines.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "execution.hpp"

namespace petscspmv {

/// One option of a format. `-mat_<format>_<key>` on the command line, unless it is internal.
struct OptionSpec {
  std::string_view key;
  std::int64_t     default_value;
  std::int64_t     min;
  std::int64_t     max;
  std::string_view help; ///< one line, begins with a capital letter, no full stop

  /// Names of the values min, min + 1, ... up to max; empty for a plain number.
  std::span<const std::string_view> choices = {};

  /// Whether it is nothing for users: tests and the bench set it by its key, and PETSc's database has no name
  /// for it.
  bool internal = false;
  /// The only one in which it has an effect; empty if it has one in both.
  std::optional<MemorySpace> only = {};

  bool counts_in(MemorySpace space) const { return only.value_or(space) == space; }
};

/// The same option, which is nothing for users.
constexpr OptionSpec internal(OptionSpec spec)
{
  spec.internal = true;
  return spec;
}

/// The same option, without an effect on a device.
constexpr OptionSpec host_only(OptionSpec spec)
{
  spec.only = MemorySpace::host;
  return spec;
}

/// The same option, without an effect on the host.
constexpr OptionSpec device_only(OptionSpec spec)
{
  spec.only = MemorySpace::device;
  return spec;
}

/// The values of a format's options: the defaults until set() changes them. Every value is in its range.
class OptionValues {
public:
  OptionValues() = default;
  /// `prefix` stands before each key in messages, "-mat_aijspec_" for instance.
  explicit OptionValues(std::span<const OptionSpec> table, std::string prefix = "") : table_(table), prefix_(std::move(prefix))
  {
    values_.reserve(table.size());
    for (const OptionSpec &spec : table) values_.push_back(spec.default_value);
  }

  std::span<const OptionSpec> table() const { return table_; }

  /// The value of `key`. Throws FormatError for a key that the format does not have.
  std::int64_t operator[](std::string_view key) const { return values_[index_of(key)]; }

  /// Throws FormatError for an unknown key and for a value out of range; the old value stays.
  void set(std::string_view key, std::int64_t value)
  {
    const std::size_t i    = index_of(key);
    const OptionSpec &spec = table_[i];
    if (value < spec.min || value > spec.max)
      throw FormatError("Option " + prefix_ + std::string(key) + " is " + std::to_string(value) + ", but must lie between " +
                        std::to_string(spec.min) + " and " + std::to_string(spec.max) + "; leave it out to get the default, " +
                        std::to_string(spec.default_value) + ".");
    values_[i] = value;
  }

  /// The value as a person writes it: the name of a choice, or the number.
  std::string text(const OptionSpec &spec) const
  {
    const std::int64_t value = (*this)[spec.key];
    return spec.choices.empty() ? std::to_string(value) : std::string(spec.choices[static_cast<std::size_t>(value - spec.min)]);
  }

  /// Bytes of the values.
  std::size_t bytes_taken() const { return values_.capacity() * sizeof(values_[0]); }

  friend bool operator==(const OptionValues &a, const OptionValues &b) { return a.values_ == b.values_; }

private:
  std::size_t index_of(std::string_view key) const
  {
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (table_[i].key == key) return i;
    std::string known;
    for (const OptionSpec &spec : table_) known += (known.empty() ? "" : ", ") + std::string(spec.key);
    throw FormatError("There is no option " + prefix_ + std::string(key) + "; the keys after " + prefix_ +
                      " are: " + (known.empty() ? "none" : known) + ".");
  }

  std::span<const OptionSpec> table_;
  std::string                 prefix_;
  std::vector<std::int64_t>   values_;
};

} // namespace petscspmv
