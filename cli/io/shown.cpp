/// Keeps terminals safe from what stands in damaged files.
#include "shown.hpp"

#include <fmt/format.h>

namespace upsweep::cli::io {

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result;
  for (char c : text.substr(0, most)) {
    auto const code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += c;
    }
  }
  if (text.size() > most) result += "...";
  return result;
}

}  // namespace upsweep::cli::io
