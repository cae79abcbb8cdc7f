/// Text of a file as a sentence may quote it.
#pragma once

#include <string>
#include <string_view>

namespace upsweep::cli::io {

/// At most 40 bytes of `text`, control characters as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace upsweep::cli::io
