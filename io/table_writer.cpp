/// Writes rows as a table for people: aligned columns, or Markdown. Keeps all rows in memory.
#include <io/number.hpp>
#include <io/printable.hpp>
#include <io/text_types.hpp>
#include <io/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

/// The number of characters.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

class table_writer final : public writer {
 public:
  explicit table_writer(output_options chosen)
      : writer(std::move(chosen)), number_(options.number_format) {}

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    order_ = fields(keys.size(), columns.size());
    columns_.resize(order_.size());
    for (auto& each : columns_) each.is_number = true;
    std::size_t c = 0;
    for (std::size_t const field : order_)
      add(c++, field < keys.size() ? keys[field] : columns[field - keys.size()].name, false);
    rows_ = 1;
  }

  void write(chunk const& chunk) override {
    auto const columns = options.type
                             ? converted(chunk, *options.type, rows, converted_, file.name())
                             : chunk.columns;
    std::string number;
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      std::size_t c = 0;
      for (std::size_t const field : order_) {
        if (field < chunk.keys.size()) {
          add(c++, chunk.keys[field][row], true);
          continue;
        }
        std::size_t const value = field - chunk.keys.size();
        number.clear();
        if (chunk.present.empty() || chunk.present[value].as<bool>()[row])
          number_.append(number, columns[value].type,
                         columns[value].bytes.data() + row * size_of(columns[value].type));
        add(c++, number, true);
      }
    }
    rows_ += chunk.rows;
    rows += chunk.rows;
  }

  void finish() override {
    bool const markdown = options.format == container::markdown;
    for (std::size_t row = options.header || markdown ? 0 : 1; row < rows_; ++row) {
      append_row(row, markdown);
      if (row == 0 && markdown) append_rule();
      if (buffer_.size() < std::size_t{1} << 18) continue;
      file.write(buffer_);
      buffer_.clear();
    }
    file.write(buffer_);
  }

 private:
  struct column {
    text_buffer cells;
    std::size_t width = 3;  // that of a rule of Markdown
    bool is_number = true;
  };

  void add(std::size_t c, std::string_view text, bool is_value) {
    auto& to = columns_[c];
    if (is_value) to.is_number = to.is_number && (is_number(text) || is_missing(text));
    std::string cell = printable(text);
    for (char& each : cell)
      if (each == '\n' || each == '\t' || each == '\r') each = ' ';
    if (options.format == container::markdown)
      for (auto at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 2))
        cell.insert(at, 1, '\\');
    to.cells.push(cell);
    to.width = std::max(to.width, width_of(cell));
  }
  void append_row(std::size_t row, bool markdown) {
    std::size_t const begin = buffer_.size();
    if (markdown) buffer_ += "| ";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      auto const& from = columns_[c];
      auto const cell = from.cells.view()[row];
      std::size_t const pad = from.width - width_of(cell);
      if (c > 0) buffer_ += markdown ? " | " : "  ";
      buffer_.append(from.is_number ? pad : 0, ' ');
      buffer_ += cell;
      buffer_.append(from.is_number ? 0 : pad, ' ');
    }
    if (markdown) buffer_ += " |";
    while (buffer_.size() > begin && buffer_.back() == ' ') buffer_.pop_back();
    buffer_ += '\n';
  }
  void append_rule() {
    for (auto const& each : columns_) {
      buffer_ += "| ";
      buffer_.append(each.width - 1, '-');
      buffer_ += each.is_number ? ": " : "- ";
    }
    buffer_ += "|\n";
  }

  number_format number_;
  std::vector<std::size_t> order_;
  std::vector<column> columns_;
  std::size_t rows_ = 0;  // with the header
  std::string buffer_;
  std::vector<std::vector<std::byte>> converted_;
};

}  // namespace

std::unique_ptr<writer> make_table_writer(output_options options) {
  return std::make_unique<table_writer>(std::move(options));
}

}  // namespace upsweep::io
