/// Writes tables of results as text, CSV, TSV, raw, .npy, or one JSON object per row.
#pragma once

#include <cli/options.hpp>
#include <io/output.hpp>
#include <io/output_file.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace upsweep::cli {

/// Where the fields of a key that is written come from.
struct written_key {
  std::optional<std::size_t> of_input = {};  ///< a key of the input
  bool is_number = false;                    ///< otherwise: a text of a number
};

/// How keys are written as values of JSON.
struct keys_as_json {
  std::vector<written_key> keys = {};  ///< may be shorter than those that are written: strings
  std::function<io::key_kind(std::size_t)> kind_in_input = {};  ///< asked when rows are written
  io::number_spelling numbers = {};                             ///< of written numbers
  io::missing_words missing = {};

  /// Of keys of an open input.
  static keys_as_json of(io::input const& in, input_flags const& reading,
                         std::vector<written_key> keys);
  /// The kinds of `count` keys, of which the first `joined` are not asked for.
  [[nodiscard]] std::vector<io::key_kind> kinds(std::size_t joined, std::size_t count) const;
  /// Appends the value of a key that is of this kind.
  void append(io::key_kind kind, std::string_view field, std::string& object) const;
};

/// The first `count` keys of the input, without the first `skipped`.
[[nodiscard]] std::vector<written_key> keys_of_input(std::size_t count, std::size_t skipped = 0);

/// One value as JSON: a number that reads back equal, a boolean, or one of the strings "nan", "inf"
/// and "-inf".
[[nodiscard]] nlohmann::ordered_json json_of(io::typed_column values, std::size_t row);

/// Writes JSON values, one per line or as one array, to the output given by -o. A file is written
/// atomically.
class json_lines {
 public:
  json_lines(output_flags const& flags, bool is_array);
  /// An array if --to or the file's name asks for one.
  explicit json_lines(output_flags const& flags);
  void append(nlohmann::ordered_json const& object);
  /// The same for the text of an object.
  void append_text(std::string_view object);
  [[nodiscard]] bool is_shown() const noexcept {
    return out_.is_standard_output() && io::shows_on_terminal();
  }
  /// Writes the lines appended so far.
  void flush();
  void commit();

 private:
  io::output_file out_;
  bool is_array_, is_empty_ = true;
  std::string lines_;
};

/// The options for writing what `in` becomes: in its format, delimiter and byte order, unless the
/// flags give another format.
[[nodiscard]] io::output_options options_like(io::input const& in, input_flags const& reading,
                                              output_flags const& writing);

/// The same for rows of these keys of the input. Text has no header row: what has one becomes TSV.
[[nodiscard]] io::output_options options_of_rows(io::input const& in, input_flags const& reading,
                                                 output_flags const& writing,
                                                 std::vector<written_key> const& keys);

/// How a table is written.
struct written_as {
  io::container format = io::container::text;
  char delimiter = ',';
  bool has_header = false;

  static written_as of(io::input const& in) { return {in->format, in->delimiter, in->has_header}; }
};
/// The options for writing rows of so many keys and results of an input that is written so: a
/// single result as a bare number, unless the flags give a format.
[[nodiscard]] io::output_options options_of_results(written_as const& in, std::size_t fields,
                                                    output_flags const& writing);

/// Has the first `keys` key columns read as they will be written, unless no text is written;
/// returns whether.
bool join_keys(io::input& in, std::size_t keys, output_flags const& writing,
               io::output_options const& options);

/// The same for keys that are read one by one: values of JSON that become JSON stay as they are,
/// except that the first `compared` have one spelling for equal strings.
void keep_tokens(io::input& in, std::size_t keys, std::size_t compared, output_flags const& writing,
                 io::output_options const& options);

/// The types of keys in a file whose columns have types.
[[nodiscard]] std::vector<std::optional<io::dtype>> types_of(std::vector<written_key> const& keys,
                                                             io::input const& in);

/// Rows of keys and results.
class result_table {
 public:
  /// Writes in the format of `options` unless --json is given, which needs different names. Throws
  /// usage_error.
  result_table(output_flags const& flags, io::output_options const& options,
               std::vector<io::column_info> columns, std::vector<std::string> keys,
               keys_as_json as_json = {});
  void write(io::chunk const& rows);
  void commit();

 private:
  [[nodiscard]] std::string const& name(std::size_t field) const;
  void expect_different_names() const;
  void append_member(io::chunk const& rows, std::size_t row, std::size_t i,
                     std::span<io::key_kind const> kinds, std::string& object) const;

  std::vector<io::column_info> columns_;
  std::vector<std::string> keys_;
  std::vector<std::size_t> order_;
  std::vector<std::string> labels_;  // of JSON: the text before each value of a row
  keys_as_json as_json_;
  std::unique_ptr<io::writer> out_;
  std::optional<json_lines> json_;
};

}  // namespace upsweep::cli
