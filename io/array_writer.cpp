/// Writes columns as raw binary and .npy, interleaved when there are several.
#include <io/convert.hpp>
#include <io/error.hpp>
#include <io/npy_header.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

/// An unnamed temporary file for the values of a .npy that goes to a pipe: the header comes first
/// and needs their number. It disappears with the process.
class spool {
 public:
  spool() : file_(std::tmpfile()) {
    if (file_ == nullptr)
      throw io_error(fmt::format("Cannot create a temporary file for .npy on standard output: {}.",
                                 std::strerror(errno)));
  }
  ~spool() { std::fclose(file_); }
  spool(spool const&) = delete;
  spool& operator=(spool const&) = delete;

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void copy_to(output_file& out) {
    if (std::fflush(file_) != 0) fail();
    std::rewind(file_);
    std::vector<char> buffer(std::size_t{1} << 18);
    for (;;) {
      auto const got = std::fread(buffer.data(), 1, buffer.size(), file_);
      if (got == 0) break;
      out.write({buffer.data(), got});
    }
    if (std::ferror(file_) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw io_error(fmt::format("The temporary file for .npy on standard output failed: {}.",
                               std::strerror(errno)));
  }
  std::FILE* file_;
};

class array_writer final : public writer {
 public:
  explicit array_writer(output_options chosen) : writer(std::move(chosen)) {
    if (!options.number_format.empty() || options.delimiter != 0) {
      throw usage_error(fmt::format(
          "{} is written as {}; --number-format and --delimiter are for text, CSV and TSV.",
          file.name(), name_of(options.format)));
    }
  }

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    if (!keys.empty())
      throw usage_error(fmt::format("{} cannot hold text such as column '{}'; write CSV.",
                                    format_name(), shown(keys[0])));
    if (columns.empty())
      throw usage_error(fmt::format("There is no column to write to {}.", file.name()));
    type_ = options.type.value_or(columns[0].type);
    for (auto const& column : columns) {
      if (options.type || column.type == type_) continue;
      throw usage_error(
          fmt::format("{} holds values of one type, but the columns '{}' and '{}' are {} and {}; "
                      "give --dtype, or write CSV.",
                      format_name(), shown(columns[0].name), shown(column.name),
                      name_of(columns[0].type), name_of(column.type)));
    }
    width_ = columns.size();
    if (options.shape && width_ > 1)
      throw usage_error(
          "A shape was given for more than one column; write each column to its own file.");
    if (options.format != container::npy) return;
    if (options.shape) {
      file.write(format_npy_header(type_, options.endian, *options.shape, false));
    } else if (file.can_patch()) {
      file.write(header());
    } else {
      spool_ = std::make_unique<spool>();
    }
  }

  void write(chunk const& chunk) override {
    auto columns = converted(chunk, type_, rows, converted_, file.name());
    if (!chunk.present.empty()) fill_gaps(chunk.present, columns);
    rows += chunk.rows;
    auto const size = size_of(type_);
    bool const swapped = options.endian != native_order && size > 1;
    if (width_ == 1 && !swapped) {
      put({reinterpret_cast<char const*>(columns[0].bytes.data()), columns[0].bytes.size()});
      return;
    }
    interleaved_.resize(chunk.rows * width_ * size);
    for (std::size_t column = 0; column < width_; ++column)
      for (std::size_t row = 0; row < chunk.rows; ++row)
        std::memcpy(interleaved_.data() + (row * width_ + column) * size,
                    columns[column].bytes.data() + row * size, size);
    if (swapped) swap_bytes(interleaved_.data(), size, chunk.rows * width_);
    put({interleaved_.data(), interleaved_.size()});
  }

  void finish() override {
    if (options.format != container::npy) return;
    if (options.shape) {
      auto promised = std::uint64_t{1};
      for (auto extent : *options.shape) promised *= extent;
      if (promised == rows) return;
      throw data_error(
          fmt::format("{}: The shape needs {} values; got {}.", file.name(), promised, rows));
    }
    if (spool_ == nullptr) {
      file.patch(0, header());
      return;
    }
    file.write(header());
    spool_->copy_to(file);
  }

 private:
  /// A missing value is NaN, which only floats have.
  void fill_gaps(std::vector<typed_column> const& present, std::vector<typed_column>& columns) {
    filled_.resize(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      auto const has = present[c].as<bool>();
      auto const gap = std::find(has.begin(), has.end(), false);
      if (gap == has.end()) continue;
      if (!is_float(type_))
        throw data_error(fmt::format(
            "{}: Row {} has no value, which {} cannot show; give --dtype f64 for NaN, or "
            "--skip-rows-with-missing, or write CSV.",
            file.name(), rows + static_cast<std::uint64_t>(gap - has.begin()) + 1, name_of(type_)));
      filled_[c].assign(columns[c].bytes.begin(), columns[c].bytes.end());
      std::byte nan[8] = {};
      static_cast<void>(parse_number("nan", type_, nan));
      auto const size = size_of(type_);
      for (std::size_t row = 0; row < has.size(); ++row)
        if (!has[row]) std::memcpy(filled_[c].data() + row * size, nan, size);
      columns[c].bytes = filled_[c];
    }
  }
  [[nodiscard]] std::string header() const {
    std::size_t const shape[] = {static_cast<std::size_t>(rows), width_};
    return format_npy_header(type_, options.endian, std::span(shape).first(width_ == 1 ? 1 : 2),
                             true);
  }
  [[nodiscard]] std::string_view format_name() const {
    return options.format == container::npy ? ".npy" : "Raw binary";
  }
  void put(std::string_view bytes) {
    if (spool_ != nullptr) {
      spool_->write(bytes);
    } else {
      file.write(bytes);
    }
  }

  dtype type_ = dtype::f64;
  std::size_t width_ = 1;
  std::unique_ptr<spool> spool_;
  std::vector<std::vector<std::byte>> converted_, filled_;
  std::vector<char> interleaved_;
};

}  // namespace

std::unique_ptr<writer> make_array_writer(output_options options) {
  return std::make_unique<array_writer>(std::move(options));
}

}  // namespace upsweep::io
