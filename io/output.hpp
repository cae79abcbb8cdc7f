/// Writes columns of numbers as text, CSV, TSV, raw binary or .npy, atomically to a file, or to a
/// stream.
#pragma once

#include <io/container.hpp>
#include <io/dtype.hpp>
#include <io/number.hpp>
#include <io/output_file.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {

struct output_options {
  std::string path = "-";                   ///< "-" is standard output
  bool force = false;                       ///< may replace an existing file
  container format = container::automatic;  ///< by extension; text if the extension is unknown
  std::optional<dtype> type =
      {};  ///< type to which every value column is converted; a value must fit, else data_error
  compression compress = compression::none;
  byte_order endian = native_order;  ///< raw and .npy
  char delimiter = 0;                ///< 0 is ',' in CSV, tab in TSV and text
  bool header = true;                ///< CSV and TSV: write a header row
  std::vector<std::size_t> order =
      {};  ///< text, CSV, TSV: the fields of a row, as indices of the keys and, after them, the
           ///< columns; empty: all in that order
  std::vector<std::optional<dtype>> key_types =
      {};  ///< Parquet, Arrow: which keys are strings of numbers; may be shorter than the keys
  std::string number_format =
      {};  ///< of printf, such as "%.3f"; empty is the shortest text that reads back equal
  std::optional<std::vector<std::size_t>> shape =
      {};  ///< .npy: dimensions of one value column, in row-major order
};

/// The separator of fields of text, CSV and TSV.
[[nodiscard]] inline char separator_of(output_options const& options) noexcept {
  return options.delimiter != 0 ? options.delimiter : options.format == container::csv ? ',' : '\t';
}

/// One output, the base class of its writers. The path appears only when `commit` returns. After an
/// exception, SIGINT or SIGTERM the partial file is removed. Without `force` an existing file is
/// never replaced, even if it was created in the meantime: `commit` throws io_error. Devices and
/// pipes (/dev/null) are written directly. Throws usage_error, io_error (disk full, short write) or
/// pipe_closed.
class writer {
 public:
  /// Throws usage_error for options of text if the format is none.
  explicit writer(output_options chosen);
  virtual ~writer() = default;
  writer(writer const&) = delete;
  writer& operator=(writer const&) = delete;

  /// Declares the names and types of the columns; called once, before the first `write`. Keys come
  /// before values. Raw and .npy hold values of one type and no keys. Several columns are
  /// interleaved by row; in .npy they form a two-dimensional array.
  virtual void begin(std::span<column_info const> columns,
                     std::span<std::string const> keys = {}) = 0;
  /// Writes rows of the declared columns. Standard output is flushed at the end of each call.
  /// Throws data_error for a value that output_options::type cannot hold.
  void write(chunk const& chunk);
  /// Completes the file: patches the header, synchronizes to disk, renames to the path.
  void commit() {
    finish();
    file.commit();
  }

  output_options options;  ///< its format is never `automatic`
  output_file file;
  std::uint64_t rows = 0;  ///< written before this chunk

 protected:
  /// Flushes what is pending.
  virtual void finish() = 0;
  /// Writes rows whose columns have the type in `options`, if that has one.
  virtual void put(chunk const& chunk) = 0;
  /// The fields of a row: keys and, after them, columns, or output_options::order.
  [[nodiscard]] std::vector<std::size_t> fields(std::size_t keys, std::size_t columns) const;
  /// Appends a value as text; nothing, and returns false, if it is missing.
  bool append_value(std::string& out, chunk const& from, std::size_t column,
                    std::size_t row) const {
    if (!from.present.empty() && !from.present[column].as<bool>()[row]) return false;
    auto const& values = from.columns[column];
    number_.append(out, values.type, values.bytes.data() + row * size_of(values.type));
    return true;
  }

 private:
  number_format number_;
  std::vector<std::vector<std::byte>> converted_;
};

/// Parquet and Arrow's formats. Strings whose first values are all integers, or all numbers, become
/// numbers.
[[nodiscard]] std::unique_ptr<writer> make_arrow_writer(output_options options);

/// The writer of the format that the options say.
[[nodiscard]] std::unique_ptr<writer> open_output(output_options options);

}  // namespace upsweep::io
