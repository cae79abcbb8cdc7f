/// Escapes quoted file content, so that messages are valid UTF-8 without control characters.
#include <io/shown.hpp>

#include <fmt/format.h>

namespace upsweep::io {

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

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result;
  for (auto rest = text; !rest.empty();) {
    if (text.size() - rest.size() >= most) return result + "...";
    auto const here = rest;
    if (auto const c = take_character(rest); c && *c >= 0x20 && *c != 0x7f) {
      result += here.substr(0, here.size() - rest.size());
      continue;
    }
    rest = here.substr(1);
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(here[0]));
  }
  return result;
}

}  // namespace upsweep::io
