/// Writes tables of results as text, CSV, TSV, raw, .npy, or one JSON object per row.
#pragma once

#include <cli/options.hpp>
#include <io/output.hpp>
#include <io/output_file.hpp>
#include <io/printable.hpp>

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>

namespace upsweep::cli {

/// One value as JSON: a number that reads back equal, a boolean, or one of the strings "nan", "inf"
/// and "-inf".
[[nodiscard]] nlohmann::ordered_json json_of(io::typed_column values, std::size_t row);

/// Writes JSON texts, one per line or as one array, to the output given by -o. A file is written
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

/// How a table is written.
struct written_as {
  io::container format = io::container::text;
  char delimiter = ',';
  bool has_header = false;
  std::vector<std::optional<io::dtype>> key_types = {};  ///< see io::output_options
};
/// The options for writing rows of so many keys and results of an input that is written so: a
/// single result as a bare number, unless the flags give a format.
[[nodiscard]] io::output_options options_of_results(written_as const& in, std::size_t fields,
                                                    output_flags const& writing);

/// Has the first `keys` key columns read as they will be written, unless no text is written;
/// returns whether.
bool join_keys(io::input& in, std::size_t keys, output_flags const& writing,
               io::output_options const& options);

/// The same for keys that are read one by one: values of JSON that become JSON stay as they are.
void keep_tokens(io::input& in, std::size_t keys, output_flags const& writing,
                 io::output_options& options);

/// Rows of keys and results.
class result_table {
 public:
  /// Writes in the format of `options` unless --json is given, which needs different names. Throws
  /// usage_error.
  result_table(output_flags const& flags, io::output_options const& options,
               std::vector<io::column_info> columns, std::vector<std::string> keys);
  void write(io::chunk const& rows);
  void commit();

 private:
  [[nodiscard]] std::string const& name(std::size_t field) const;
  void expect_different_names() const;
  void append_member(io::chunk const& rows, std::size_t row, std::size_t i,
                     std::string& object) const;

  std::vector<io::column_info> columns_;
  std::vector<std::string> keys_;
  std::vector<std::size_t> order_;
  std::vector<std::string> labels_;  // of JSON: what stands before each value of a row
  std::vector<std::optional<io::dtype>> key_types_;
  std::size_t tokens_ = 0;  // how many keys are values of JSON
  std::optional<io::output> out_;
  std::optional<json_lines> json_;
};

}  // namespace upsweep::cli
