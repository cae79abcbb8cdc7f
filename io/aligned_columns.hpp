/// Finds fields with blanks, and missing ones, in tables whose columns are aligned by blanks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// In a row of `docker ps`, the field below a name is not that of the same number: other fields
/// have blanks, or are empty.
struct shifted_columns {
  std::size_t first = 0;  ///< the first column that may be shifted
  std::size_t row = 0;    ///< counted from 0
  std::size_t column = 0, field = 0;
  std::string name, text;  ///< of that column, and of the field below it
};

/// `rows` are whole lines. A field that begins exactly below the name of another number is evidence
/// if two blanks or more precede it, or if all of several longer rows agree. Rows with tabs have
/// none.
[[nodiscard]] std::optional<shifted_columns> find_shift(std::string_view header,
                                                        std::string_view rows, char comment);

}  // namespace upsweep::io
