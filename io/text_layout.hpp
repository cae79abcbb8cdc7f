/// Decides from the first records of a text whether there is a header, the names of the columns,
/// and which of them are read.
#pragma once

#include <io/header_evidence.hpp>
#include <io/input.hpp>
#include <io/text_parser.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

struct text_layout {
  bool has_header = false;
  bool hash_first = false;  ///< CSV whose first record begins with '#', perhaps a comment
  text_form form = text_form::records;
  header_guess guess;     ///< of the header; unless it is `data` or `header`, only `width` is set
  std::string hint;       ///< what to do if the header is not clear
  std::size_t width = 0;  ///< fields of the first record
  std::vector<std::string> names;  ///< names of all columns
  std::vector<std::size_t> values;
  std::vector<column_use> uses;  ///< of each of `values`
  std::vector<bool> as_text;     ///< of each of `values`: input_options::as_text
  std::vector<std::size_t> keys;
  std::vector<std::size_t> key_counts;  ///< how many of `keys` each of input_options::keys gave
  [[nodiscard]] bool is_clear() const noexcept {
    return guess.what == header_verdict::data || guess.what == header_verdict::header;
  }
  bool every_field = false;  ///< a choice goes up to the last column: "all", "3-"
};

/// True if whether there is a header follows from the options, or, if a position beyond the last
/// column is chosen that is one of its fields, from the first record.
[[nodiscard]] bool knows_header(input_options const& options,
                                std::vector<std::string> const& first);

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
