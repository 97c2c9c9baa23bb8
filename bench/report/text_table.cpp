#include "report/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "measure/quantiles.hpp"

namespace petscspmv::bench {

namespace {

std::string padded(const std::string &text, std::size_t width, bool left)
{
  const std::string space(width - std::min(width, text.size()), ' ');
  return left ? text + space : space + text;
}

/// Three digits that count, and a unit from a list of steps of 1000.
std::string scaled(double value, std::initializer_list<std::pair<double, const char *>> units)
{
  for (auto [unit, name] : units)
    if (std::fabs(value) >= 0.9995 * unit || unit == (units.end() - 1)->first) {
      const double v = value / unit;
      return fixed(v, std::fabs(v) >= 99.95 ? 0 : std::fabs(v) >= 9.995 ? 1 : 2) + " " + name;
    }
  return "";
}

} // namespace

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings))
{
  for (std::string &h : headings_) {
    left_.push_back(h.starts_with('<'));
    if (left_.back()) h.erase(0, 1);
  }
}

std::vector<std::size_t> TextTable::widths() const
{
  std::vector<std::size_t> widths(headings_.size());
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    widths[c] = headings_[c].size();
    for (const auto &row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

std::string TextTable::terminal() const
{
  const auto  width = widths();
  std::string text;
  const auto  line = [&](const std::vector<std::string> &cells) {
    std::string row;
    for (std::size_t c = 0; c < cells.size(); ++c) row += (c ? "  " : "") + padded(cells[c], width[c], left_[c]);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  };
  line(headings_);
  for (const auto &row : rows_) line(row);
  return text;
}

std::string TextTable::markdown() const
{
  const auto  width = widths();
  std::string text;
  const auto  line = [&](const std::vector<std::string> &cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) text += "| " + padded(cells[c], width[c], left_[c]) + " ";
    text += "|\n";
  };
  line(headings_);
  for (std::size_t c = 0; c < headings_.size(); ++c)
    text += left_[c] ? "|:" + std::string(width[c] + 1, '-') : "|" + std::string(width[c] + 1, '-') + ":";
  text += "|\n";
  for (const auto &row : rows_) line(row);
  return text;
}

std::string fixed(double value, int digits)
{
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string mean_and_least(const std::vector<double> &gains)
{
  if (gains.empty()) return "-";
  return fixed(geometric_mean(gains), 2) + "x, " + fixed(*std::min_element(gains.begin(), gains.end()), 2) + "x";
}

std::string duration(double seconds)
{
  if (seconds == 0) return "0";
  return scaled(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}

std::string count(std::int64_t n)
{
  if (n < 10000) return std::to_string(n);
  return scaled(double(n), {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}});
}

std::string percent(double share)
{
  return share > 0 ? fixed(100 * share, 0) + " %" : "";
}

std::string bytes_text(double bytes)
{
  if (bytes == 0) return "0";
  return scaled(bytes, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
}

} // namespace petscspmv::bench
