#include "generators/generator.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

constexpr double kLargestSize = 1e12;

const std::vector<Parameter> kCommonParameters = {
  {"seed", "1", 0, 9e15, "seed of the random numbers"},
  {"shuffle", "none", 0, 0, "random order of the rows, or of rows and columns alike", {"none", "rows", "both"}},
};

std::vector<std::string_view> split(std::string_view text, char separator)
{
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<Parameter> all_parameters(const Generator &g)
{
  std::vector<Parameter> all = g.parameters;
  all.insert(all.end(), kCommonParameters.begin(), kCommonParameters.end());
  return all;
}

void check_value(const std::string &call, const Parameter &p, std::string_view value)
{
  const std::string what = "In '" + call + "', " + std::string(p.key) + " is '" + std::string(value) + "'";
  if (!p.choices.empty()) {
    if (std::find(p.choices.begin(), p.choices.end(), value) == p.choices.end())
      throw InputError(what + ", but must be one of: " + join(p.choices) + ".");
    return;
  }
  double number       = 0;
  const auto [end, e] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (e != std::errc() || end != value.data() + value.size() || !(number >= p.min && number <= p.max)) {
    const auto text = [](double v) {
      std::string t = std::to_string(v);
      t.erase(t.find_last_not_of('0') + 1);
      return t.back() == '.' ? t.substr(0, t.size() - 1) : t;
    };
    throw InputError(what + ", but must be a number between " + text(p.min) + " and " + text(p.max) + " (" + std::string(p.help) + ").");
  }
}

void read_sizes(const std::string &call, const Generator &g, std::string_view text, Arguments &arguments)
{
  if (g.dimensions == 0) {
    arguments.word = text;
    return;
  }
  for (std::string_view part : split(text, 'x')) arguments.sizes.push_back(parse_count(part, "the size in '" + call + "'"));
  if (arguments.sizes.size() == 1) arguments.sizes.resize(g.dimensions, arguments.sizes[0]);
  if (arguments.sizes.size() != g.dimensions)
    throw InputError("'" + call + "' has " + std::to_string(arguments.sizes.size()) + " sizes; " + std::string(g.name) + " takes " +
                     std::string(g.size_help) + ".");
}

void read_pair(const std::string &call, const std::vector<Parameter> &parameters, std::string_view pair, Arguments &arguments)
{
  const std::size_t             equals = pair.find('=');
  const std::string_view        key    = pair.substr(0, equals);
  std::vector<std::string_view> known;
  for (const Parameter &p : parameters) {
    known.push_back(p.key);
    if (equals == std::string_view::npos || p.key != key) continue;
    check_value(call, p, pair.substr(equals + 1));
    arguments.set(p.key, std::string(pair.substr(equals + 1)));
    return;
  }
  throw InputError("In '" + call + "', '" + std::string(pair) + "' is not key=value with one of the keys: " + join(known) + ".");
}

} // namespace

double Arguments::number(std::string_view key) const
{
  const std::string &text  = choice(key);
  double             value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

const std::string &Arguments::choice(std::string_view key) const
{
  // The last one given counts; the defaults were set first.
  const auto found = std::find_if(values_.rbegin(), values_.rend(), [key](const auto &v) { return v.first == key; });
  if (found == values_.rend()) throw std::logic_error("no parameter " + std::string(key));
  return found->second;
}

CsrMatrix GeneratorCall::generate() const
{
  CsrMatrix          a     = generator->generate(arguments);
  const std::string &order = arguments.choice("shuffle");
  if (order == "none") return a;
  if (order == "both" && a.rows != a.cols)
    throw InputError("shuffle=both wants a square matrix, and " + std::string(generator->name) + " made one of " + std::to_string(a.rows) +
                     " x " + std::to_string(a.cols) + "; use shuffle=rows.");
  Random     random(arguments.seed(), hash64(0x5f1e));
  const auto rows = random_permutation<Index>(a.rows, random);
  return permuted(a, rows, order == "both" ? rows : std::vector<Index>{});
}

std::int64_t checked_product(std::initializer_list<std::int64_t> sizes)
{
  double product = 1;
  for (std::int64_t s : sizes) product *= double(s);
  if (product > kLargestSize) throw InputError("A grid with more than 10^12 nodes was asked for; choose a smaller one.");
  return std::int64_t(product);
}

std::string join(std::span<const std::string_view> words)
{
  std::string text;
  for (std::string_view w : words) text += (text.empty() ? "" : ", ") + std::string(w);
  return text;
}

std::int64_t parse_count(std::string_view text, std::string_view what)
{
  double      value = 0;
  const char *last  = text.data() + text.size();
  auto [end, e]     = std::from_chars(text.data(), last, value);
  if (e == std::errc() && end + 1 == last) {
    const double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 0;
    value *= unit;
    end += unit > 0;
  }
  if (e != std::errc() || end != last || !(value >= 1 && value <= kLargestSize) || value != std::floor(value))
    throw InputError("'" + std::string(text) + "' is given for " + std::string(what) +
                     ", but it must be a whole number between 1 and 10^12; k, M and G may follow, as in 200k.");
  return std::int64_t(value);
}

bool is_generator(std::string_view text)
{
  const std::string_view name = text.substr(0, text.find_first_of(":,"));
  return std::any_of(generators().begin(), generators().end(), [name](const Generator &g) { return g.name == name; });
}

GeneratorCall parse_generator(std::string_view text)
{
  const std::string             call(text);
  const std::string_view        name = text.substr(0, text.find_first_of(":,"));
  std::vector<std::string_view> known;
  for (const Generator &g : generators()) {
    known.push_back(g.name);
    if (g.name != name) continue;
    GeneratorCall result{&g, {}};
    const auto    parameters = all_parameters(g);
    for (const Parameter &p : parameters) result.arguments.set(p.key, std::string(p.default_value));
    std::vector<std::string_view> parts;
    if (name.size() < text.size()) parts = split(text.substr(name.size() + 1), ',');
    const bool sized = !parts.empty() && text[name.size()] == ':' && parts[0].find('=') == std::string_view::npos;
    read_sizes(call, g, sized ? parts[0] : g.default_size, result.arguments);
    for (std::size_t k = sized; k < parts.size(); ++k) read_pair(call, parameters, parts[k], result.arguments);
    return result;
  }
  throw InputError("There is no file and no generator '" + call + "'. The generators are: " + join(known) + ".");
}

} // namespace petscspmv::bench
