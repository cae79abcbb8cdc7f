/// Decides from the first records of a file whether there is a header, the names of the columns,
/// and which of them are read: those that a user chooses by a name, a position from 1, a range of
/// either, or "all".
#pragma once

#include <io/error.hpp>
#include <io/input.hpp>
#include <io/records.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {

/// A column that the file does not have, with the names of those that it has.
class no_such_column : public usage_error {
 public:
  no_such_column(std::string const& sentence, std::string column, std::vector<std::string> names)
      : usage_error(sentence), column_(std::move(column)), names_(std::move(names)) {}
  [[nodiscard]] std::string const& column() const noexcept { return column_; }
  [[nodiscard]] std::vector<std::string> const& names() const noexcept { return names_; }

 private:
  std::string column_;
  std::vector<std::string> names_;
};

/// The columns of a file, among which `find_columns` chooses.
struct column_table {
  std::vector<std::string> names;  ///< empty if the columns have none
  std::size_t width = 0;
  std::string file;
  std::string there;  ///< what the file has, for messages: "it has columns a, b."
};

struct chosen_columns {
  std::vector<std::size_t> columns;  ///< indices from 0, in the order of the file
  bool open = false;                 ///< up to the last column: "all" or "3-"
  bool all = false;
};

/// The columns that `wanted` chooses. A name takes precedence over what else it may mean. A range
/// "2-4", "3-", "price-qty" includes both ends. Throws usage_error if a column does not exist, if a
/// name occurs twice, or if a range is reversed.
[[nodiscard]] chosen_columns find_columns(std::string const& wanted, column_table const& table);
/// The columns that each of `wanted` chooses. Throws usage_error also if one of the last `single`
/// chooses several.
[[nodiscard]] std::vector<chosen_columns> find_each(std::vector<std::string> const& wanted,
                                                    std::size_t single, column_table const& table);

/// True if `wanted` needs a header: it is neither a position, nor a range of them, nor "all".
[[nodiscard]] bool chooses_by_name(std::string_view wanted) noexcept;
/// True if `wanted` is a single position, from 1.
[[nodiscard]] bool is_position(std::string_view wanted) noexcept;

/// The first records of a file, unquoted: as many as tell a header from data.
using first_records = std::vector<std::vector<std::string>>;

enum class header_verdict : std::uint8_t {
  data,
  header,
  strange,  ///< a field is neither a number nor a name: "$1.50"
  numbers,  ///< numbers may be names of columns, as years are
  as_good   ///< nothing tells, or what tells disagrees
};

struct header_guess {
  header_verdict what = header_verdict::data;
  std::size_t field = 0;  ///< of the first record, about which a message is
};

/// Evidence for a header is a name over a number or a time. Evidence for data is a number over a
/// number, a field over one of the same form ("2025-06-24"), and a field that repeats. Missing
/// values are no evidence, nor are true and false. The first record with evidence decides, unless a
/// name is repeated later. At most `most` records or `most_bytes` are read.
class header_evidence {
 public:
  static constexpr std::size_t most = 100, most_bytes = std::size_t{1} << 18;

  header_evidence(std::vector<std::string> const& first, input_options const& options,
                  bool white_space);

  /// Shows the next record.
  void add(std::vector<std::string> const& record);
  /// True if later records cannot change the guess, or are not read for it.
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  /// By the records so far.
  [[nodiscard]] header_guess guess() const;

 private:
  void weigh(std::size_t field, std::string const& below);
  [[nodiscard]] bool speaks_for_names() const;
  /// Finds numbers that may be names, over the second record, which is `written` so.
  void look_for_numbered(std::vector<std::string> const& below,
                         std::vector<std::string> const& written);

  input_options const& options_;
  bool white_space_, settled_ = false, has_index_ = false;
  std::vector<std::string> first_;
  std::vector<bool> seen_;  // of each field: a value below it
  std::size_t records_ = 1, bytes_ = 0;
  // The first field that speaks for each: a name over a number, or over a time or amount; numbers
  // over numbers, and fields that are alike.
  std::optional<std::size_t> over_number_ = {}, for_header_ = {}, for_numbers_ = {}, for_data_ = {};
  std::optional<std::size_t> strange_ = {}, numbers_ = {};
  std::ptrdiff_t more_names_ = 0;  // names over measures, less numbers over values
};

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
