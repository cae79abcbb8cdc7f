/// Text of files on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace upsweep::io {

/// `text` with \x.. for every control character but newline and tab, and for those of Unicode that
/// reverse text: a name or a line of a file must not move the cursor, change the title of the
/// window or hide what follows.
[[nodiscard]] std::string printable(std::string_view text);

/// Whether standard output is a terminal.
[[nodiscard]] bool shows_on_terminal() noexcept;

}  // namespace upsweep::io
