/// Strings and values of JSON as text, and how a file of JSON begins.
#include <io/error.hpp>
#include <io/json_records.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {
namespace {

/// The code unit of the escape "uXXXX" with which `text` begins; nothing if it begins otherwise.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 5 || text[0] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  std::from_chars(text.data() + 1, text.data() + 5, unit, 16);
  return unit;
}

/// Two strings would become one if their bytes were replaced.
[[noreturn]] void refuse_as_json(std::string_view text) {
  throw data_error(fmt::format(
      "'{}' is not UTF-8, and JSON has only that; convert the input first, for example: iconv -f "
      "latin1 -t utf-8 FILE | upsweep ...",
      shown(text)));
}

}  // namespace

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
    if (auto const at = from.find(c); at != std::string_view::npos) {
      out += to[at];
      continue;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    out += "u00";
    out += digits[static_cast<unsigned char>(c) / 16];
    out += digits[static_cast<unsigned char>(c) % 16];
  }
  out += '"';
  return out;
}

bool append_json_number(std::string& out, std::string_view number) {
  if (is_telephone(number)) return false;
  auto const take_digits = [&number] {
    auto const digits = number.substr(0, number.find_first_not_of("0123456789"));
    number.remove_prefix(digits.size());
    return digits;
  };
  bool const negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  auto const whole = take_digits();
  std::string_view decimals, exponent;
  if (number.starts_with('.')) {
    number.remove_prefix(1);
    decimals = take_digits();
  }
  if ((whole.empty() && decimals.empty()) || (whole.size() > 1 && whole[0] == '0')) return false;
  if (number.starts_with('e') || number.starts_with('E')) {
    exponent = number;
    number.remove_prefix(1);
    if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
    if (take_digits().empty()) return false;
  }
  if (!number.empty()) return false;
  if (negative) out += '-';
  out += whole.empty() ? "0" : whole;
  if (!decimals.empty()) (out += '.') += decimals;
  out += exponent;
  return true;
}

void append_token(std::string& out, field const& from) {
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

std::optional<bool> looks_like_json(std::string_view text) noexcept {
  constexpr std::string_view spaces = " \t\r\n";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
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
