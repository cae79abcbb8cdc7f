/// Escapes quoted file content, so that messages are valid UTF-8 without control characters.
#include <io/shown.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>

namespace upsweep::io {
namespace {

/// C0 and C1, of which the second begin sequences for a terminal in one character, and the
/// characters that change the direction of text.
bool is_control(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/// A character, or a byte that is no UTF-8.
struct unit {
  std::optional<char32_t> character;
  std::string_view bytes;
};
unit take_unit(std::string_view& text) {
  auto const here = text;
  auto const c = take_character(text);
  if (!c) text = here.substr(1);
  return {c, here.substr(0, here.size() - text.size())};
}

void append(std::string& out, std::string_view bytes, bool are_shown) {
  if (are_shown)
    out += bytes;
  else
    for (char const c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::optional<char32_t> take_character(std::string_view& text) noexcept {
  auto const lead = static_cast<unsigned char>(text.front());
  std::size_t const bytes = lead < 0x80   ? 1
                            : lead < 0xc2 ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  char32_t c = bytes == 1 ? lead : lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    auto const next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    c = c << 6 | (next & 0x3fu);
  }
  text.remove_prefix(bytes);
  return c;
}

void append_character(std::string& out, char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  auto const continued = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    continued(6);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    continued(12);
    continued(6);
  }
  continued(0);
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result;
  for (auto rest = text; !rest.empty();) {
    if (text.size() - rest.size() >= most) return result + "...";
    auto const [c, bytes] = take_unit(rest);
    append(result, bytes, c && !is_control(*c));
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  for (auto rest = text; !rest.empty();) {
    bool const ends_line = rest.starts_with("\r\n");
    auto const [c, bytes] = take_unit(rest);
    // A byte that is no UTF-8 may be Latin-1, whose C1 characters are those below 0xa0.
    auto const value = c ? *c : static_cast<unsigned char>(bytes[0]);
    append(result, bytes, value == '\n' || value == '\t' || ends_line || !is_control(value));
  }
  return result;
}

bool shows_on_terminal() noexcept {
  return ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace upsweep::io
