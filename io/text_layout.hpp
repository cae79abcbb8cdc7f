/// Decides from the first records of a text whether there is a header, the names of the columns,
/// and which of them are read.
#pragma once

#include <io/input.hpp>
#include <io/text_parser.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// The first one or two records of a file, unquoted, as needed to tell a header from data.
using first_records = std::vector<std::vector<std::string>>;

struct text_layout {
  bool has_header = false;
  bool hash_first = false;  ///< CSV whose first record begins with '#', perhaps a comment
  text_form form = text_form::records;
  std::optional<std::size_t>
      unclear;  ///< a field of the first record that is neither a value nor a name, or
                ///< with `numbers_as_names` a number that may be a name
  bool numbers_as_names = false;
  std::size_t width = 0;           ///< fields of the first record
  std::vector<std::string> names;  ///< names of all columns
  std::vector<std::size_t> values;
  std::vector<bool> numeric;  ///< of each of `values`: input_options::as_numbers
  std::vector<bool> as_text;  ///< of each of `values`: input_options::as_text
  std::vector<std::size_t> keys;
  std::vector<std::size_t> key_counts;  ///< how many of `keys` each of input_options::keys gave
  bool every_field = false;             ///< a choice goes up to the last column: "all", "3-"
};

/// True if the first record alone does not decide: it may be a header, or the first line of a table
/// or of a list of numbers.
[[nodiscard]] bool second_record_matters(std::vector<std::string> const& first,
                                         input_options const& options, bool white_space);

/// Decides by the rules of input.hpp, and replaces computed columns in `options`. Throws
/// usage_error if a column does not exist or none was chosen of several, data_error if columns of
/// an empty file were chosen by name. `name` is the file's name in messages.
[[nodiscard]] text_layout find_layout(first_records const& records, input_options& options,
                                      bool white_space, std::string const& name);

/// A sentence to append to a message about columns if the first record may be a comment.
[[nodiscard]] std::string comment_hint(bool hash_first);

/// "a, b, c", shortened when there are many.
[[nodiscard]] std::string list_of(std::vector<std::string> const& names);

}  // namespace upsweep::io
