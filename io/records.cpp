/// Splits white-space-separated lines and delimited records, in one pass over the bytes; strings
/// and values of JSON as text, and how a file of JSON begins.
#include <io/records.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>

namespace upsweep::io {
namespace {

/// The highest bit of each byte of `text` that equals that byte of `wanted`; bits above the lowest
/// such bit may be wrong.
constexpr std::uint64_t matches(std::uint64_t text, std::uint64_t wanted) {
  std::uint64_t const difference = text ^ wanted;
  return (difference - 0x0101010101010101u) & ~difference & 0x8080808080808080u;
}

/// The first delimiter or newline at or after `p`, or `end`: eight bytes at a time, of which the
/// first has the lowest bits.
char const* field_end(char const* p, char const* end, char delimiter) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t const delimiters = 0x0101010101010101u * static_cast<unsigned char>(delimiter),
                        newlines = 0x0101010101010101u * '\n';
    for (; end - p >= 8; p += 8) {
      std::uint64_t text = 0;
      std::memcpy(&text, p, 8);
      std::uint64_t const found = matches(text, delimiters) | matches(text, newlines);
      if (found != 0) return p + std::countr_zero(found) / 8;
    }
  }
  while (p != end && *p != delimiter && *p != '\n') ++p;
  return p;
}

/// The first newline at or after `from`, or `end`.
char const* line_end(char const* from, char const* end) {
  auto const* found =
      static_cast<char const*>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
  return found == nullptr ? end : found;
}

constexpr bool ends_token(char c) {
  return is_blank(c) || c == '\n';
}

scan_result scan_line(record_rules const& rules, char const* begin, char const* end, bool last,
                      field_list& fields) {
  auto const* p = begin;
  auto const* start = begin;
  for (;;) {
    while (p != end && is_blank(*p)) ++p;
    bool const comment = p != end && rules.comment != '\0' && *p == rules.comment;
    if (comment) p = line_end(p, end);
    if (p == end) {
      if (!fields.empty() && last) return {scanned::record, p, start, nullptr};
      // The line may continue beyond `end`. `start` is past all complete blank lines and comments.
      return {last ? scanned::nothing : scanned::incomplete, last ? p : start, start, nullptr};
    }
    if (*p == '\n') {
      ++p;
      if (!fields.empty()) return {scanned::record, p, start, nullptr};
      start = p;
      continue;
    }
    field found{p, p, false};
    if (fields.size() + 1 == rules.columns) {
      found.end = p = line_end(p, end);
      trim(found);
    } else {
      while (p != end && !ends_token(*p)) ++p;
      found.end = p;
    }
    fields.push_back(found);
    if (p != end && *p == '\n') return {scanned::record, p + 1, start, nullptr};  // the usual end
  }
}

/// Scans a quoted field; `p` is at its opening quote. Returns the position after the closing quote,
/// or null if there is none. A quote at `end` closes the field, unless another one follows there.
char const* scan_quoted(char const* p, char const* end, field& out) {
  out = {p + 1, end, true};
  for (++p; p != end; p += 2) {
    p = static_cast<char const*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return nullptr;
    if (p + 1 != end && p[1] == '"') continue;
    out.end = p;
    return p + 1;
  }
  return nullptr;
}

scan_result scan_fields(record_rules const& rules, char const* start, char const* end, bool last,
                        field_list& fields) {
  auto const* p = start;
  char const delimiter = rules.delimiter;
  for (;;) {
    if (p != end && *p == '"') {
      field quoted;
      auto const* const opening = p;
      p = scan_quoted(p, end, quoted);
      if (p == nullptr)
        return {last ? scanned::unclosed_quote : scanned::incomplete, start, start, opening};
      while (p != end && is_blank(*p) && *p != delimiter) ++p;
      if (p != end && *p != delimiter && *p != '\n') return {scanned::bad_quote, opening, start, p};
      fields.push_back(quoted);
    } else {
      auto const* const begin = p;
      p = field_end(p, end, delimiter);
      field bare{begin, p, false};
      trim(bare);
      fields.push_back(bare);
    }
    if (p == end)
      return {last ? scanned::record : scanned::incomplete, last ? p : start, start, nullptr};
    if (*p++ == '\n') return {scanned::record, p, start, nullptr};
  }
}

/// The code unit of the escape "uXXXX" with which `text` begins; nothing if it begins otherwise.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 5 || text[0] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  std::from_chars(text.data() + 1, text.data() + 5, unit, 16);
  return unit;
}

/// Two strings would become one if their bytes were replaced.
[[noreturn]] void refuse_as_json(std::string_view text) {
  throw data_error(
      "'{}' is not UTF-8, and JSON has only that; convert the input first, for example: iconv -f "
      "latin1 -t utf-8 FILE | upsweep ...",
      shown(text));
}

}  // namespace

void append_unquoted(std::string& out, field const& from) {
  auto text = from.text();
  if (from.json == json_kind::escaped) return append_unescaped(out, text);
  if (from.quoted) {
    for (auto at = text.find('"'); at != std::string_view::npos; at = text.find('"')) {
      out += text.substr(0, at + 1);
      text.remove_prefix(at + 2);
    }
  }
  out += text;
}

std::string unquoted(field const& from) {
  std::string text;
  append_unquoted(text, from);
  return text;
}

std::vector<std::string> unquoted(field_list const& from) {
  std::vector<std::string> texts;
  for (auto const& each : from) texts.push_back(unquoted(each));
  return texts;
}

void append_field(std::string& out, std::string_view text, char delimiter) {
  if (delimiter == '\0') {
    for (char const c : text) out += contains("\t\r\n", c) ? ' ' : c;
    if (text.empty()) out += "NA";
    return;
  }
  bool quotes = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  for (char const c : text) quotes |= (c == delimiter) | (c == '"') | (c == '\r') | (c == '\n');
  if (!quotes) {
    out += text;
    return;
  }
  out += '"';
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

bool is_quoted(std::string_view line) noexcept {
  field quoted;
  auto const* const end = line.data() + line.size();
  return line.starts_with('"') && scan_quoted(line.data(), end, quoted) == end;
}

std::string without_quoted(std::string_view line) {
  std::string rest;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    bool const may_open = i == 0 || contains(" \t,;", line[i - 1]);
    if (line[i] == '"' && (inside || may_open))
      inside = !inside;
    else if (!inside)
      rest += line[i];
  }
  return inside ? std::string(line) : rest;
}

std::optional<separator_line> named_separator(std::string_view text) noexcept {
  auto const line = text.substr(0, text.find('\n'));
  if (line.size() == text.size()) return std::nullopt;
  auto bare = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  if (bare.size() == 7 && bare.front() == '"' && bare.back() == '"') bare = bare.substr(1, 5);
  bool const names = bare.size() == 5 && (bare.starts_with("sep=") || bare.starts_with("SEP="));
  if (!names) return std::nullopt;
  return separator_line{bare[4], line.size() + 1};
}

std::size_t first_line_end(std::string_view text) noexcept {
  std::size_t at = 0;
  if (text.starts_with('"')) {
    field quoted;
    auto const* const after = scan_quoted(text.data(), text.data() + text.size(), quoted);
    if (after == nullptr) return std::string_view::npos;
    at = static_cast<std::size_t>(after - text.data());
  }
  return text.find('\n', at);
}

scan_result scan_record(record_rules const& rules, char const* begin, char const* end, bool last,
                        field_list& fields) {
  fields.clear();
  if (rules.white_space) return scan_line(rules, begin, end, last, fields);
  for (auto const* p = begin;;) {
    auto const* const start = p;
    while (p != end && is_blank(*p) && *p != rules.delimiter) ++p;
    bool const comment = p == start && p != end && rules.comment != '\0' && *p == rules.comment;
    if (comment) p = line_end(p, end);
    if (p == end)
      return {last ? scanned::nothing : scanned::incomplete, last ? p : start, start, nullptr};
    if (*p != '\n') return scan_fields(rules, start, end, last, fields);
    ++p;
  }
}

scan_result scan_token(record_rules const& rules, char const* begin, char const* end, bool last,
                       field& token) {
  auto const* p = begin;
  for (;;) {
    while (p != end && ends_token(*p)) ++p;
    if (p == end) return {last ? scanned::nothing : scanned::incomplete, p, p, nullptr};
    if (rules.comment == '\0' || *p != rules.comment) break;
    auto const* const comment = p;
    p = line_end(p, end);
    if (p == end && !last) return {scanned::incomplete, comment, comment, nullptr};
  }
  auto const* const start = p;
  while (p != end && !ends_token(*p)) ++p;
  if (p == end && !last) return {scanned::incomplete, start, start, nullptr};
  token = {start, p, false};
  return {scanned::record, p, start, nullptr};
}

void expect_json_text(std::string_view text) {
  for (auto rest = text; !rest.empty();)
    if (!take_character(rest)) refuse_as_json(text);
}

void append_unescaped(std::string& out, std::string_view content) {
  for (auto at = content.find('\\'); at != std::string_view::npos; at = content.find('\\')) {
    out += content.substr(0, at);
    content.remove_prefix(at + 1);
    auto unit = code_unit(content);
    if (!unit) {
      constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
      out += to[from.find(content[0])];
      content.remove_prefix(1);
      continue;
    }
    content.remove_prefix(5);
    if (*unit >= 0xd800 && *unit < 0xe000) {  // half of a pair
      auto const low = content.starts_with('\\') ? code_unit(content.substr(1)) : std::nullopt;
      bool const pair = *unit < 0xdc00 && low && *low >= 0xdc00 && *low < 0xe000;
      if (pair) content.remove_prefix(6);
      unit = pair ? 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00) : 0xfffd;
    }
    append_character(out, *unit);
  }
  out += content;
}

std::string& append_json_text(std::string& out, std::string_view text) {
  auto const whole = text;
  out += '"';
  while (!text.empty()) {
    auto const plain = std::ranges::find_if(
        text, [](char c) { return static_cast<signed char>(c) < 0x20 || c == '"' || c == '\\'; });
    out.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) break;
    char const c = text[0];
    if (static_cast<signed char>(c) < 0) {
      auto const before = text;
      if (!take_character(text)) refuse_as_json(whole);
      out += before.substr(0, before.size() - text.size());
      continue;
    }
    text.remove_prefix(1);
    constexpr std::string_view from = "\"\\\b\f\n\r\t", to = "\"\\bfnrt";
    out += '\\';
    if (auto const at = from.find(c); at != std::string_view::npos)
      out += to[at];
    else
      out += fmt::format("u{:04x}", static_cast<int>(c));
  }
  out += '"';
  return out;
}

bool append_json_number(std::string& out, std::string_view number) {
  if (is_telephone(number)) return false;
  bool const negative = take(number, '-');
  if (!negative) take(number, '+');
  auto const whole = take_digits(number);
  std::string_view decimals, exponent;
  if (take(number, '.')) decimals = take_digits(number);
  if ((whole.empty() && decimals.empty()) || (whole.size() > 1 && whole[0] == '0')) return false;
  if (auto const rest = number; take(number, 'e') || take(number, 'E')) {
    exponent = rest;
    if (!take(number, '-')) take(number, '+');
    if (take_digits(number).empty()) return false;
  }
  if (!number.empty()) return false;
  if (negative) out += '-';
  out += whole.empty() ? "0" : whole;
  if (!decimals.empty()) (out += '.') += decimals;
  out += exponent;
  return true;
}

void append_token(std::string& out, field const& from, bool compared) {
  if (compared && from.json == json_kind::escaped) {
    auto const text = unquoted(from);
    if (text.find("\xef\xbf\xbd") == std::string::npos) {  // U+FFFD
      append_json_text(out, text);
      return;
    }
  }
  if (from.json == json_kind::none || from.json == json_kind::null) {
    out += "null";
  } else if (from.json == json_kind::text || from.json == json_kind::escaped) {
    out.append(from.begin - 1, from.end + 1);
  } else {
    // One line: a line break in a nested value stands between its tokens.
    auto const text = from.text();
    std::remove_copy_if(text.begin(), text.end(), std::back_inserter(out),
                        [](char c) { return c == '\n' || c == '\r'; });
  }
}

std::string text_of_token(std::string_view token) {
  if (token == "null") return "";
  if (!token.starts_with('"')) return std::string(token);
  token = token.substr(1, token.size() - 2);
  return unquoted({token.data(), token.data() + token.size(), false, json_kind::escaped});
}

std::optional<bool> looks_like_json(std::string_view text) noexcept {
  constexpr std::string_view spaces = " \t\r\n";
  auto const begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  if (text[0] != '{' && text[0] != '[') return false;
  auto const after = text.find_first_not_of(spaces, 1);
  if (after == std::string_view::npos) return std::nullopt;
  char const next = text[after];
  if (text[0] == '{') return next == '"' || next == '}';
  if (next == '{' || next == '[' || next == '"' || next == ']') return true;
  auto const end = text.find_first_not_of("0123456789+-.eE", after);
  auto const stop = text.find_first_not_of(spaces, end);
  if (stop == std::string_view::npos) return std::nullopt;
  return end != after && text[stop] == ',';
}

}  // namespace upsweep::io
