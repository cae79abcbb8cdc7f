/// Writes columns of numbers as text, CSV, TSV, raw binary or .npy, to a file that appears whole or
/// not at all, or to a stream.
#pragma once

#include <io/container.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {

struct output_options {
  std::string path = "-";                   ///< "-" or "" is standard output
  bool force = false;                       ///< may replace an existing file
  container format = container::automatic;  ///< by extension, text if that says nothing
  std::optional<dtype> type =
      {};  ///< converts every value column; a value that does not fit is a data_error
  byte_order endian = native_order;  ///< raw and .npy
  char delimiter = 0;                ///< 0 is ',' in CSV, tab in TSV and text
  bool header = true;                ///< CSV and TSV: a first record of names
  std::string number_format =
      {};  ///< printf's, such as "%.3f"; empty is the shortest text that reads back equal
  std::optional<std::vector<std::size_t>> shape =
      {};  ///< .npy: dimensions of one value column, in row-major order
};

class writer;

/// One output. Nothing is visible under `path` before `commit` has returned; without it, by an
/// exception, SIGINT or SIGTERM, the partial file is removed. Without `force` a file that exists,
/// even since a moment ago, is left alone and io_error says so. Devices and pipes (/dev/null) are
/// written to directly. Throws usage_error, io_error (disk full, short write) or pipe_closed.
class output {
 public:
  explicit output(output_options options);
  ~output();
  output(output&&) noexcept;
  output& operator=(output&&) noexcept;

  /// Once, before the first `write`: the names and types of what will come, keys before values. Raw
  /// and .npy hold values of one type and no keys; several columns become interleaved rows, in .npy
  /// a two-dimensional array.
  void begin(std::span<column_info const> columns, std::span<std::string const> keys = {});
  /// Rows of the announced columns. Standard output is flushed at the end of each call.
  void write(chunk const& rows);
  /// Completes the file: header patched, synchronised to disk, renamed into place.
  void commit();

  /// The container that is written, never `automatic`.
  [[nodiscard]] container format() const noexcept;
  [[nodiscard]] std::uint64_t rows_written() const noexcept;

 private:
  std::unique_ptr<writer> writer_;
};

}  // namespace upsweep::io
