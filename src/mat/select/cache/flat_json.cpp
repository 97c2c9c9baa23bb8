#include "select/cache/flat_json.hpp"

#include <cstdio>

namespace petscspmv::select {

namespace {

void append_quoted(std::string &text, std::string_view value)
{
  text += '"';
  for (const char c : value)
    if (c == '"' || c == '\\') (text += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      text += code;
    } else text += c;
  text += '"';
}

/// Reads from the front of what is left; each function returns false at the first thing that does not belong there.
class Reader {
public:
  explicit Reader(std::string_view text) : left_(text) { }

  bool object(FlatObject &object)
  {
    if (!mark('{')) return false;
    if (mark('}')) return end();
    do {
      std::string name, value;
      if (!string(name) || !mark(':') || !(string(value) || number(value))) return false;
      object[name] = value;
    } while (mark(','));
    return mark('}') && end();
  }

private:
  void skip()
  {
    while (!left_.empty() && (left_.front() == ' ' || left_.front() == '\t' || left_.front() == '\r')) left_.remove_prefix(1);
  }

  bool end()
  {
    skip();
    return left_.empty();
  }

  bool mark(char c)
  {
    skip();
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }

  bool string(std::string &value)
  {
    if (!mark('"')) return false;
    while (!left_.empty() && left_.front() != '"') {
      char c = left_.front();
      left_.remove_prefix(1);
      if (c == '\\' && !escape(c)) return false;
      value += c;
    }
    return mark('"');
  }

  /// Of \uXXXX only what the writer writes: characters below 0x20.
  bool escape(char &c)
  {
    if (left_.empty()) return false;
    c = left_.front();
    left_.remove_prefix(1);
    if (c == '"' || c == '\\' || c == '/') return true;
    unsigned code = 0;
    if (c != 'u' || left_.size() < 4 || std::sscanf(std::string(left_.substr(0, 4)).c_str(), "%4x", &code) != 1 || code >= 0x80)
      return false;
    left_.remove_prefix(4);
    c = static_cast<char>(code);
    return true;
  }

  bool number(std::string &value)
  {
    skip();
    while (!left_.empty() && std::string_view("+-.0123456789eE").find(left_.front()) != std::string_view::npos) {
      value += left_.front();
      left_.remove_prefix(1);
    }
    return !value.empty();
  }

  std::string_view left_;
};

} // namespace

std::string to_flat_json(const FlatObject &object)
{
  std::string text = "{";
  for (const auto &[name, value] : object) {
    if (text.size() > 1) text += ',';
    append_quoted(text, name);
    text += ':';
    append_quoted(text, value);
  }
  return text + "}";
}

std::optional<FlatObject> from_flat_json(std::string_view line)
{
  FlatObject object;
  return Reader(line).object(object) ? std::optional(object) : std::nullopt;
}

} // namespace petscspmv::select
