/// What the first records of a text say: is there a header, what are the columns called, and which
/// of them were chosen.
#pragma once

#include <io/input.hpp>
#include <io/text_parser.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// The first records of a file, unquoted, with what is needed to tell a header from data.
using first_records = std::vector<std::vector<std::string>>;

struct text_layout {
  bool has_header = false;
  bool hash_first = false;  ///< CSV whose first record begins with '#', so perhaps with a comment
  text_form form = text_form::records;
  std::optional<std::size_t>
      unclear;            ///< a field of the first record that is neither a value nor a name
  std::size_t width = 0;  ///< fields of the first record
  std::vector<std::string> names;  ///< of all columns
  std::vector<std::size_t> values;
  std::vector<std::size_t> keys;
};

/// True when the first record alone does not decide: it may be a header, or the first line of a
/// table or of a list of numbers.
[[nodiscard]] bool second_record_matters(std::vector<std::string> const& first,
                                         input_options const& options, bool white_space);

/// Decides by the rules of input.hpp. Throws usage_error for a column that is not there or must be
/// chosen, data_error for an empty file whose columns are asked for by name. `name` is what errors
/// call the file.
[[nodiscard]] text_layout find_layout(first_records const& records, input_options const& options,
                                      bool white_space, std::string const& name);

/// What to add to a sentence about columns when the first record may be a comment.
[[nodiscard]] std::string comment_hint(bool hash_first);

/// "a, b, c", shortened when there are many.
[[nodiscard]] std::string list_of(std::vector<std::string> const& names);

}  // namespace upsweep::io
