/// Shows a position of an expression: the text around it, and a caret under it.
#include <cli/expression/node.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep::cli {

namespace {

/// Characters of UTF-8, which are columns of a terminal in most scripts.
std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The last or first `most` characters of `text`.
std::string_view last_of(std::string_view text, std::size_t most) {
  while (count_characters(text) > most) text.remove_prefix(1);
  return text;
}
std::string_view first_of(std::string_view text, std::size_t most) {
  while (count_characters(text) > most) text.remove_suffix(1);
  return text;
}

}  // namespace

std::size_t character_at(expression_text const& source, std::size_t at) {
  return count_characters(std::string_view(source.text).substr(0, at)) + 1;
}

std::string caret_at(expression_text const& source, std::size_t at) {
  constexpr std::size_t most = 35;  // on either side
  std::string_view const text = source.text;
  if (text.empty()) return "";
  at = std::min(at, text.size());
  auto const before = last_of(text.substr(0, at), most), after = first_of(text.substr(at), most);
  std::string const shown = (before.size() < at ? "..." : "") + io::shown(before);
  return fmt::format("\n  {}{}{}\n  {}^", shown, io::shown(after),
                     at + after.size() < text.size() ? "..." : "",
                     std::string(count_characters(shown), ' '));
}

void refuse(expression_text const& source, std::size_t at, std::string const& what) {
  throw io::usage_error(fmt::format("{}: {} at character {}.{}", source.where, what,
                                    character_at(source, at), caret_at(source, at)));
}

}  // namespace upsweep::cli
