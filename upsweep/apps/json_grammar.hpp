/// JSON's grammar as rules of a few neighboring tokens, and the inside of strings and scalars.
/// Source: RFC 8259.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <string_view>

namespace upsweep::detail {

inline constexpr std::size_t no_json_fault = static_cast<std::size_t>(-1);

/// 1 for braces and 2 for square brackets, negative for closing ones, 0 for other bytes.
[[nodiscard]] constexpr int json_bracket(char c) {
  return c == '{' ? 1 : c == '}' ? -1 : c == '[' ? 2 : c == ']' ? -2 : 0;
}
/// Whether a value may begin with a token of this kind, and end with one. (Whether a scalar is one
/// is json_fault_in's to say.)
[[nodiscard]] constexpr bool json_begins_value(char kind) {
  return kind != '}' && kind != ']' && kind != ':' && kind != ',';
}
[[nodiscard]] constexpr bool json_ends_value(char kind) {
  return kind != '{' && kind != '[' && kind != ':' && kind != ',';
}

/// Whether a token `kind` may follow the tokens `before` and `previous`, in braces (1), in
/// square brackets (2) or in neither (0). 0 means no token.
[[nodiscard]] constexpr bool json_follows(std::size_t container, char before, char previous,
                                          char kind) {
  if (previous == '\0') return json_begins_value(kind);
  if (container == 0) return false;  // there is a value already
  if (container == 2) {
    if (previous == '[') return kind == ']' || json_begins_value(kind);
    if (previous == ',') return json_begins_value(kind);
    return previous != ':' && (kind == ',' || kind == ']');
  }
  if (previous == '{') return kind == '"' || kind == '}';
  if (previous == ',') return kind == '"';
  if (previous == ':') return json_begins_value(kind);
  bool const is_name = previous == '"' && (before == '{' || before == ',');
  return is_name ? kind == ':' : kind == ',' || kind == '}';
}

[[nodiscard]] constexpr bool json_digit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool json_ends_scalar(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ':' || c == '"' ||
         json_bracket(c) != 0;
}

/// The end of the token that begins at `begin`, after its last byte.
[[nodiscard]] inline std::size_t json_token_end(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  if (text[begin] == '"') {
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2u : 1u;
    return i < text.size() ? i + 1 : text.size();
  }
  if (json_bracket(text[begin]) != 0 || text[begin] == ':' || text[begin] == ',') return i;
  while (i < text.size() && !json_ends_scalar(text[i])) ++i;
  return i;
}

/// The first byte that is wrong in the string, number or word at `begin`, or no_json_fault. The
/// size of the text means that the end is missing.
[[nodiscard]] inline std::size_t json_fault_in_string(std::string_view text, std::size_t begin) {
  auto const is_hex = [](char c) {
    return json_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
  };
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '"') return no_json_fault;
    if (static_cast<unsigned char>(text[i]) < 0x20) return i;
    if (text[i] != '\\') continue;
    if (++i == text.size()) return i;
    if (text[i] == 'u') {
      for (std::size_t const end = i + 4; i < end;)
        if (++i == text.size() || !is_hex(text[i])) return i;
    } else if (std::string_view("\"\\/bfnrt").find(text[i]) == std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}
[[nodiscard]] inline std::size_t json_fault_in_scalar(std::string_view text, std::size_t begin) {
  std::size_t const end = json_token_end(text, begin);
  for (std::string_view const word : {"true", "false", "null"})
    if (text[begin] == word[0]) {
      std::size_t j = 0;
      while (j < word.size() && begin + j < end && text[begin + j] == word[j]) ++j;
      return j == word.size() && begin + j == end ? no_json_fault : begin + j;
    }
  std::size_t i = begin;
  auto const digits = [&] {
    std::size_t const first = i;
    while (i < end && json_digit(text[i])) ++i;
    return i > first;
  };
  if (text[i] == '-') ++i;
  if (i < end && text[i] == '0')
    ++i;
  else if (!digits())
    return i;
  if (i < end && text[i] == '.' && (++i, !digits())) return i;
  if (i < end && (text[i] | 0x20) == 'e') {
    ++i;
    if (i < end && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return i;
  }
  return i == end ? no_json_fault : i;
}
[[nodiscard]] inline std::size_t json_fault_in(std::string_view text, std::size_t begin) {
  char const kind = text[begin];
  if (kind == '"') return json_fault_in_string(text, begin);
  if (json_bracket(kind) != 0 || kind == ':' || kind == ',') return no_json_fault;
  return json_fault_in_scalar(text, begin);
}

}  // namespace upsweep::detail
