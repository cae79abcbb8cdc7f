/// Entities for the characters of markup.
#include <text/markup.hpp>

namespace upsweep::text {

std::string escaped(std::string_view text) {
  std::string safe;
  for (char const c : text)
    safe += c == '<'   ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '&' ? "&amp;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return safe;
}

}  // namespace upsweep::text
