/// Chooses the writer, and converts columns for every writer. Writes text, CSV and TSV, in whose
/// default format every number reads back as the same value; tables for people; and columns as raw
/// binary and .npy, interleaved when there are several.
#include <io/output.hpp>

#include <io/error.hpp>
#include <io/npy_header.hpp>
#include <io/records.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

namespace upsweep::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

class text_writer final : public writer {
 public:
  using writer::writer;

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    if (options.format == container::text || !options.header) return;
    bool first = true;
    for (std::size_t const field : fields(keys.size(), columns.size()))
      append_text(field < keys.size() ? keys[field] : columns[field - keys.size()].name, first);
    end_record(0);
  }

  void finish() override { flush(); }

 private:
  void put(chunk const& chunk) override {
    auto const order = fields(chunk.keys.size(), chunk.columns.size());
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      bool first = true;
      std::size_t const begin = buffer_.size();
      if (chunk.joined) {
        buffer_ += (*chunk.joined)[row];
        first = false;
      }
      for (std::size_t const field : order) {
        if (field < chunk.keys.size()) {
          append_text(chunk.keys[field][row], first);
          continue;
        }
        if (!first) buffer_ += separator_;
        first = false;
        std::size_t const at = buffer_.size();
        bool const present = append_value(buffer_, chunk, field - chunk.keys.size(), row);
        if (!options.number_format.empty()) quote_from(at);
        if (!present && options.format == container::text) buffer_ += "NA";  // empty is none
      }
      end_record(begin);
      if (buffer_.size() >= buffer_bytes) flush();
    }
    if (file.is_standard_output()) flush();
  }

  void flush() {
    file.write(is_shown_ ? printable(buffer_) : buffer_);
    buffer_.clear();
  }

  /// An only field that is empty has quotes: readers skip an empty line.
  void end_record(std::size_t begin) {
    if (buffer_.size() == begin && options.format != container::text) buffer_ += "\"\"";
    buffer_ += '\n';
  }
  /// A number format may have separators.
  void quote_from(std::size_t at) {
    auto const number = buffer_.substr(at);
    if (options.format == container::text ||
        (!contains(number, separator_) && !contains(number, '"') && !contains(number, '\n')))
      return;
    buffer_.resize(at);
    append_field(buffer_, number, separator_);
  }
  void append_text(std::string_view text, bool& first) {
    if (!first) buffer_ += separator_;
    first = false;
    append_field(buffer_, text, options.format == container::text ? '\0' : separator_);
  }

  char separator_ = separator_of(options);
  bool is_shown_ = file.is_standard_output() && shows_on_terminal();
  std::string buffer_;
};

/// Aligned columns, or Markdown. Keeps all rows in memory.
class table_writer final : public writer {
 public:
  using writer::writer;

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    order_ = fields(keys.size(), columns.size());
    form_.right.assign(order_.size(), true);
    std::vector<std::string> head;
    for (std::size_t const field : order_)
      head.push_back(
          cell_of(field < keys.size() ? keys[field] : columns[field - keys.size()].name));
    table_ = text::text_table(head);
  }

  void finish() override {
    form_.is_markdown = options.format == container::markdown;
    form_.has_head = options.header || form_.is_markdown;
    form_.least = 3;  // that of a rule of Markdown
    file.write(table_.text(form_));
  }

 private:
  void put(chunk const& chunk) override {
    std::string number;
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      for (std::size_t c = 0; c < order_.size(); ++c) {
        std::size_t const field = order_[c], keys = chunk.keys.size();
        number.clear();
        if (field >= keys) append_value(number, chunk, field - keys, row);
        std::string_view const value = field < keys ? chunk.keys[field][row] : number;
        form_.right[c] = form_.right[c] && (is_number(value) || is_missing(value));
        table_.add_cell(cell_of(value));
      }
      table_.end_row();
    }
  }
  [[nodiscard]] std::string cell_of(std::string_view text) const {
    std::string cell = printable(text);
    for (char& each : cell)
      if (each == '\n' || each == '\t' || each == '\r') each = ' ';
    if (options.format != container::markdown) return cell;
    // A bar is escaped in a cell, and each backslash before it in the text of the cell.
    for (auto at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 1)) {
      auto const slashes = at - (cell.substr(0, at).find_last_not_of('\\') + 1);
      cell.insert(at, slashes + 1, '\\');
      at += slashes + 1;
    }
    return cell;
  }

  std::vector<std::size_t> order_;
  text::text_table table_;
  text::table_form form_;
};

/// An unnamed temporary file for the values of a .npy that goes to a pipe: the header comes first
/// and needs their number. It disappears with the process.
class spool {
 public:
  spool() {
    if (!file_)
      throw io_error("Cannot create a temporary file for .npy on standard output: {}.",
                     std::strerror(errno));
  }

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
  }
  void copy_to(output_file& out) {
    if (std::fflush(file_.get()) != 0) fail();
    std::rewind(file_.get());
    std::vector<char> buffer(std::size_t{1} << 18);
    for (;;) {
      auto const got = std::fread(buffer.data(), 1, buffer.size(), file_.get());
      if (got == 0) break;
      out.write({buffer.data(), got});
    }
    if (std::ferror(file_.get()) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw io_error("The temporary file for .npy on standard output failed: {}.",
                   std::strerror(errno));
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), &std::fclose};
};

class array_writer final : public writer {
 public:
  using writer::writer;

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    if (!keys.empty())
      throw usage_error("{} cannot hold text such as column '{}'; write CSV.", format_name(),
                        shown(keys[0]));
    if (columns.empty()) throw usage_error("There is no column to write to {}.", file.name());
    type_ = options.type.value_or(columns[0].type);
    for (auto const& column : columns) {
      if (options.type || column.type == type_) continue;
      throw usage_error(
          "{} holds values of one type, but the columns '{}' and '{}' are {} and {}; give --dtype, "
          "or write CSV.",
          format_name(), shown(columns[0].name), shown(column.name), name_of(columns[0].type),
          name_of(column.type));
    }
    options.type = type_;  // a column of a stream may become one of decimals
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

  void finish() override {
    if (options.format != container::npy) return;
    if (options.shape) {
      auto promised = std::uint64_t{1};
      for (auto extent : *options.shape) promised *= extent;
      if (promised == rows) return;
      throw data_error("{}: The shape needs {} values; got {}.", file.name(), promised, rows);
    }
    if (spool_ == nullptr) {
      file.patch(0, header());
      return;
    }
    file.write(header());
    spool_->copy_to(file);
  }

 private:
  void put(chunk const& chunk) override {
    auto columns = chunk.columns;
    if (!chunk.present.empty()) fill_gaps(chunk.present, columns);
    auto const size = size_of(type_);
    bool const swapped = options.endian != native_order && size > 1;
    if (width_ == 1 && !swapped) {
      put_bytes({reinterpret_cast<char const*>(columns[0].bytes.data()), columns[0].bytes.size()});
      return;
    }
    interleaved_.resize(chunk.rows * width_ * size);
    for (std::size_t column = 0; column < width_; ++column)
      copy_elements(interleaved_.data() + column * size, width_ * size,
                    columns[column].bytes.data(), size, size, chunk.rows);
    if (swapped) swap_bytes(interleaved_.data(), size, chunk.rows * width_);
    put_bytes({interleaved_.data(), interleaved_.size()});
  }
  /// A missing value is NaN, which only floats have.
  void fill_gaps(std::vector<typed_column> const& present, std::vector<typed_column>& columns) {
    filled_.resize(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      auto const has = present[c].as<bool>();
      auto const gap = std::find(has.begin(), has.end(), false);
      if (gap == has.end()) continue;
      if (!is_float(type_))
        throw data_error(
            "{}: Row {} has no value, which {} cannot show; give --dtype f64 for NaN, or "
            "--skip-rows-with-missing, or write CSV.",
            file.name(), rows + static_cast<std::uint64_t>(gap - has.begin()) + 1, name_of(type_));
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
  void put_bytes(std::string_view bytes) {
    spool_ != nullptr ? spool_->write(bytes) : file.write(bytes);
  }

  dtype type_ = dtype::f64;
  std::size_t width_ = 1;
  std::unique_ptr<spool> spool_;
  std::vector<std::vector<std::byte>> filled_;
  std::vector<char> interleaved_;
};

}  // namespace

std::unique_ptr<writer> open_output(output_options options) {
  if (options.format == container::automatic) {
    options.format = container_of_path(without_compression(options.path));
    if (options.format == container::automatic) options.format = container::text;
  }
  // The reader takes the dtype of a file such as total.f32 from its name, so the writer does too.
  if (options.format == container::raw && !options.type)
    options.type = find_dtype(extension_of(without_compression(options.path)));
  if (is_of_arrow(options.format)) return make_arrow_writer(std::move(options));
  if (is_array(options.format)) return std::make_unique<array_writer>(std::move(options));
  if (options.format == container::markdown || options.format == container::aligned)
    return std::make_unique<table_writer>(std::move(options));
  return std::make_unique<text_writer>(std::move(options));
}

writer::writer(output_options chosen)
    : options(std::move(chosen)), file(options.path, options.force, options.compress) {
  bool const is_text = !is_array(options.format) && !is_of_arrow(options.format);
  if (!is_text && (!options.number_format.empty() || options.delimiter != 0))
    throw usage_error(
        "{} is written as {}; --number-format and --delimiter are for text, CSV and TSV.",
        file.name(), name_of(options.format));
  number_ = number_format(options.number_format);
}

std::vector<std::size_t> writer::fields(std::size_t keys, std::size_t columns) const {
  if (!options.order.empty()) return options.order;
  std::vector<std::size_t> all(keys + columns);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void writer::write(chunk const& chunk) {
  auto given = chunk;
  converted_.resize(given.columns.size());
  for (std::size_t i = 0; i < given.columns.size(); ++i) {
    auto& column = given.columns[i];
    auto const type = options.type.value_or(column.type);
    if (column.type == type) continue;
    converted_[i].resize(given.rows * size_of(type));
    auto const good =
        convert(column.type, column.bytes.data(), type, converted_[i].data(), given.rows);
    if (good != given.rows)
      throw data_error("Row {} for {} is {}, which {} cannot hold; choose another --dtype.",
                       rows + good + 1, file.name(),
                       number_text(column.type, column.bytes.data() + good * size_of(column.type)),
                       name_of(type));
    column = {type, converted_[i]};
  }
  put(given);
  rows += given.rows;
}

}  // namespace upsweep::io
