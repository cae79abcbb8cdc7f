/// Characters, and text of files in error messages and on a terminal.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_latin_letter(char c) noexcept {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}
/// Whether `text` is `small`, a word in lower case, in any case.
[[nodiscard]] constexpr bool is_word(std::string_view text, std::string_view small) noexcept {
  return std::ranges::equal(text, small, [](char a, char b) {
    return a == b || (is_latin_letter(b) && (a | 0x20) == b);
  });
}
template <class Part>
[[nodiscard]] constexpr bool contains(std::string_view text, Part part) noexcept {
  return text.find(part) != std::string_view::npos;
}
/// Removes `front` from the beginning of `text`; false if it begins otherwise.
constexpr bool take(std::string_view& text, std::string_view front) noexcept {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}
constexpr bool take(std::string_view& text, char front) noexcept {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(1);
  return true;
}
/// Removes the digits at the beginning of `text` and returns them.
constexpr std::string_view take_digits(std::string_view& text) noexcept {
  auto const digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

/// Removes the first character of `text`, which must not be empty, and returns it. Returns nothing
/// and changes nothing if the bytes are not UTF-8. Overlong forms of three and four bytes and
/// surrogates are accepted; they do no harm in a message.
[[nodiscard]] std::optional<char32_t> take_character(std::string_view& text) noexcept;

/// Appends a character as UTF-8; what is none becomes U+FFFD.
void append_character(std::string& out, char32_t c);

/// The first 40 or so bytes of `text`, with control characters and invalid UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

/// `text` with \x.. for every control character but newline and tab, and for those of Unicode that
/// reverse text: a name or a line of a file must not move the cursor, change the title of the
/// window or hide what follows.
[[nodiscard]] std::string printable(std::string_view text);

/// Whether standard output is a terminal.
[[nodiscard]] bool shows_on_terminal() noexcept;

}  // namespace upsweep::io
