/// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace upsweep::text {

/// `text` with entities for the characters that HTML and SVG would take for markup.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace upsweep::text
