/// Writes rows as text, CSV or TSV. In the default format every number reads back as the same
/// value.
#include <io/number.hpp>
#include <io/printable.hpp>
#include <io/records.hpp>
#include <io/writer.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

class text_writer final : public writer {
 public:
  explicit text_writer(output_options chosen)
      : writer(std::move(chosen)), number_(options.number_format) {
    separator_ = separator_of(options);
    is_shown_ = file.is_standard_output() && shows_on_terminal();
  }

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    if (options.format == container::text || !options.header) return;
    bool first = true;
    for (std::size_t const field : fields(keys.size(), columns.size()))
      append_text(field < keys.size() ? keys[field] : columns[field - keys.size()].name, first);
    end_record(0);
  }

  void write(chunk const& chunk) override {
    auto const columns = options.type
                             ? converted(chunk, *options.type, rows, converted_, file.name())
                             : chunk.columns;
    auto const order = fields(chunk.keys.size(), columns.size());
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
        auto const& column = columns[field - chunk.keys.size()];
        if (!chunk.present.empty() && !chunk.present[field - chunk.keys.size()].as<bool>()[row]) {
          if (options.format == container::text) buffer_ += "NA";  // an empty field is none
          continue;
        }
        number_.append(buffer_, column.type, column.bytes.data() + row * size_of(column.type));
      }
      end_record(begin);
      if (buffer_.size() >= buffer_bytes) flush();
    }
    rows += chunk.rows;
    if (file.is_standard_output()) flush();
  }

  void finish() override { flush(); }

 private:
  void flush() {
    file.write(is_shown_ ? printable(buffer_) : buffer_);
    buffer_.clear();
  }

  /// An only field that is empty has quotes: readers skip an empty line.
  void end_record(std::size_t begin) {
    if (buffer_.size() == begin && options.format != container::text) buffer_ += "\"\"";
    buffer_ += '\n';
  }
  void append_text(std::string_view text, bool& first) {
    if (!first) buffer_ += separator_;
    first = false;
    if (options.format == container::text)
      buffer_ += text;
    else
      append_field(buffer_, text, separator_);
  }

  number_format number_;
  char separator_ = ',';
  bool is_shown_ = false;  ///< on a terminal
  std::string buffer_;
  std::vector<std::vector<std::byte>> converted_;
};

}  // namespace

std::unique_ptr<writer> make_text_writer(output_options options) {
  return std::make_unique<text_writer>(std::move(options));
}

}  // namespace upsweep::io
