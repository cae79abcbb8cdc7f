/// Text of a file as a sentence may quote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// Removes the first character of `text`, which is not empty, and returns it; does nothing where
/// the bytes are no UTF-8. Overlong forms of three and four bytes, and surrogates, pass: they
/// matter to nobody here.
[[nodiscard]] std::optional<char32_t> take_character(std::string_view& text) noexcept;

/// About 40 bytes of `text`, control characters and bytes that are no UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace upsweep::io
