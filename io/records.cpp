/// Splits white-space-separated lines and delimited records, in one pass over the bytes.
#include <io/records.hpp>

#include <io/json_records.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

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
    auto const* token = p;
    if (fields.size() + 1 == rules.columns)
      p = line_end(p, end);
    else
      while (p != end && !ends_token(*p)) ++p;
    field found{token, p, false};
    trim(found);
    fields.push_back(found);
  }
}

/// Scans a quoted field; `p` is at its opening quote. Returns the position after the closing quote,
/// or `end` if there is none.
char const* scan_quoted(char const* p, char const* end, bool last, field& out, bool& closed) {
  out = {p + 1, end, true};
  closed = false;
  for (++p; p != end;) {
    p = static_cast<char const*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return end;
    if (p + 1 == end && !last)
      return end;  // the next byte decides whether this quote closes the field or is doubled
    if (p + 1 != end && p[1] == '"') {
      p += 2;
      continue;
    }
    out.end = p;
    closed = true;
    return p + 1;
  }
  return end;
}

scan_result scan_fields(record_rules const& rules, char const* start, char const* end, bool last,
                        field_list& fields) {
  auto const* p = start;
  char const delimiter = rules.delimiter;
  for (;;) {
    if (p != end && *p == '"') {
      field quoted;
      bool closed = false;
      auto const* const opening = p;
      p = scan_quoted(p, end, last, quoted, closed);
      if (!closed)
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

void append_field(std::string& out, std::string_view text, char delimiter) {
  auto const is_space = [](char c) { return c == ' ' || c == '\t'; };
  bool quotes = !text.empty() && (is_space(text.front()) || is_space(text.back()));
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
  if (!line.starts_with('"')) return false;
  field quoted;
  bool closed = false;
  auto const* const end = line.data() + line.size();
  auto const* const after = scan_quoted(line.data(), end, true, quoted, closed);
  return closed && after == end;
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
    bool closed = false;
    auto const* const end = text.data() + text.size();
    at = static_cast<std::size_t>(scan_quoted(text.data(), end, false, quoted, closed) -
                                  text.data());
    if (!closed) return std::string_view::npos;
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

scan_result scan_lone_token(record_rules const& rules, char const* begin, char const* end,
                            bool last, field& token) {
  auto const* digit = begin;
  while (digit != end && *digit > ' ') ++digit;
  if (digit != begin && digit != end && *digit == '\n' &&
      *begin != rules.comment) {  // the common case
    token = {begin, digit, false};
    return {scanned::record, digit + 1, begin, nullptr};
  }
  auto result = scan_token(rules, begin, end, last, token);
  if (result.what != scanned::record) return result;
  auto const* p = result.next;
  while (p != end && *p != '\n' && is_blank(*p)) ++p;
  if (p != end && rules.comment != '\0' && *p == rules.comment) p = line_end(p, end);
  if (p == end)
    return {last ? scanned::record : scanned::incomplete, last ? p : result.start, result.start,
            nullptr};
  if (*p != '\n') return {scanned::crowded, result.start, result.start, p};
  result.next = p + 1;
  return result;
}

}  // namespace upsweep::io
