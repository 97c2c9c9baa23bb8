#pragma once

/// \file options.hpp
/// The options of a format as a table, so that PETSc's option database, -help, -mat_view, the documentation and the
/// tests all read the same lines.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "execution.hpp"

namespace petscspmv {

/// The number of an enumerator, which is that of its name, too. With auto, which is nothing, before them: one more.
template <class E> constexpr std::int64_t number_of(E value)
{
  return static_cast<std::int64_t>(value);
}
template <class E> constexpr std::int64_t number_of(std::optional<E> value)
{
  return value ? number_of(*value) + 1 : 0;
}

/// A thing for each enumerator, the first `n`: a name, a cost.
template <class E, class T, std::size_t n> struct PerValue : std::array<T, n> {
  constexpr const T &operator[](E value) const { return this->at(static_cast<std::size_t>(number_of(value))); }
};

/// Each is said with its enumerator. A constant that has one twice, or leaves one out before others, does not compile.
template <class E, class T, std::size_t n> constexpr PerValue<E, T, n> per_value(const std::pair<E, T> (&all)[n])
{
  PerValue<E, T, n>   things{};
  std::array<bool, n> has{};
  for (const auto &[value, thing] : all) {
    const auto k = static_cast<std::size_t>(number_of(value));
    if (has.at(k)) throw FormatError("An enumerator is there twice.");
    has[k]           = true;
    things.data()[k] = thing;
  }
  return things;
}
template <class E, std::size_t n> constexpr auto names(const std::pair<E, std::string_view> (&all)[n])
{
  return per_value<E, std::string_view>(all);
}

/// The same names behind "auto".
template <class E, std::size_t n> constexpr auto or_auto(const PerValue<E, std::string_view, n> &names)
{
  PerValue<std::optional<E>, std::string_view, n + 1> all{{"auto"}};
  for (std::size_t k = 0; k < n; ++k) all.data()[k + 1] = names.data()[k];
  return all;
}

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

  /// A value as a person writes it: the name of a choice, or the number.
  std::string text(std::int64_t value) const
  {
    return choices.empty() ? std::to_string(value) : std::string(choices[static_cast<std::size_t>(value - min)]);
  }
};

/// An option whose values are enumerators of E, or auto and these (std::optional). It is declared where E is, once, and
/// whoever reads or sets it names it so; `names` live for ever.
template <class E> struct Choice : OptionSpec {
  template <std::size_t n>
  constexpr Choice(std::string_view key, const PerValue<E, std::string_view, n> &names, E otherwise, std::string_view help)
    : OptionSpec{key, number_of(otherwise), 0, std::int64_t(n) - 1, help, names}
  {
  }

  constexpr std::string_view name(E value) const { return choices[static_cast<std::size_t>(number_of(value))]; }

  /// The enumerator of a number from 0 to `max`.
  static constexpr E value(std::int64_t number)
  {
    if constexpr (requires { typename E::value_type; }) return number == 0 ? E() : E(static_cast<typename E::value_type>(number - 1));
    else return static_cast<E>(number);
  }
};

/// The same option, which is nothing for users.
template <class Spec = OptionSpec> constexpr Spec internal(Spec spec)
{
  spec.internal = true;
  return spec;
}

/// The same option, without an effect on a device.
template <class Spec = OptionSpec> constexpr Spec host_only(Spec spec)
{
  spec.only = MemorySpace::host;
  return spec;
}

/// The same option, without an effect on the host.
template <class Spec = OptionSpec> constexpr Spec device_only(Spec spec)
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
  std::int64_t         operator[](std::string_view key) const { return values_[index_of(key)]; }
  template <class E> E operator[](const Choice<E> &option) const { return option.value((*this)[option.key]); }

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
  template <class E> void set(const Choice<E> &option, std::type_identity_t<E> value) { set(option.key, number_of(value)); }

  std::string text(const OptionSpec &spec) const { return spec.text((*this)[spec.key]); }

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
