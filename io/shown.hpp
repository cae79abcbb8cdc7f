/// Quotes text of a file in an error message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// Removes the first character of `text`, which must not be empty, and returns it. Returns nothing
/// and changes nothing if the bytes are not UTF-8. Overlong forms of three and four bytes and
/// surrogates are accepted; they do no harm in a message.
[[nodiscard]] std::optional<char32_t> take_character(std::string_view& text) noexcept;

/// Appends a character as UTF-8; what is none becomes U+FFFD.
void append_character(std::string& out, char32_t c);

/// The first 40 or so bytes of `text`, with control characters and invalid UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace upsweep::io
