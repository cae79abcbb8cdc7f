/// The base class of the writers: options, destination, and number of rows.
#pragma once

#include <io/error.hpp>
#include <io/output.hpp>
#include <io/output_file.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {

class writer {
 public:
  explicit writer(output_options chosen)
      : options(std::move(chosen)), file(options.path, options.force, options.compress) {}
  virtual ~writer() = default;
  writer(writer const&) = delete;
  writer& operator=(writer const&) = delete;

  virtual void begin(std::span<column_info const> columns, std::span<std::string const> keys) = 0;
  virtual void write(chunk const& rows) = 0;
  /// Flushes what is pending; `commit` follows.
  virtual void finish() = 0;
  /// Those of a row: keys and, after them, columns, or output_options::order.
  [[nodiscard]] std::vector<std::size_t> fields(std::size_t keys, std::size_t columns) const {
    if (!options.order.empty()) return options.order;
    std::vector<std::size_t> all(keys + columns);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  output_options options;
  output_file file;
  std::uint64_t rows = 0;
};

/// Text, CSV and TSV; `options.format` says which.
[[nodiscard]] std::unique_ptr<writer> make_text_writer(output_options options);
/// Aligned columns and Markdown.
[[nodiscard]] std::unique_ptr<writer> make_table_writer(output_options options);
/// Raw and .npy.
[[nodiscard]] std::unique_ptr<writer> make_array_writer(output_options options);

/// The columns of `rows` as `type`, converted into `buffers` if they have another type. Throws
/// data_error for a value that does not fit.
[[nodiscard]] std::vector<typed_column> converted(chunk const& rows, dtype type,
                                                  std::uint64_t first_row,
                                                  std::vector<std::vector<std::byte>>& buffers,
                                                  std::string const& file);

}  // namespace upsweep::io
