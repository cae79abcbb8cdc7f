/// Writes rows as Parquet or in Arrow's formats.
#include <io/arrow_files.hpp>
#include <io/arrow_library.hpp>
#include <io/number.hpp>
#include <io/text_types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

constexpr std::size_t block_rows = std::size_t{1} << 17;  // of Parquet, an eighth of a row group
constexpr std::size_t block_bytes = std::size_t{1} << 26;

arrow_module const& module_for(container format) {
  auto const& library = arrow_library();
  if (library.module == nullptr)
    throw unavailable_error(fmt::format(
        "--to {}: {}; write CSV and convert it: pip install polars; python3 -c \"import polars; "
        "polars.read_csv('FILE.csv').write_{}('FILE.{}')\"",
        name_of(format), library.trouble, format == container::parquet ? "parquet" : "ipc",
        name_of(format)));
  return *library.module;
}

class arrow_writer final : public writer {
 public:
  explicit arrow_writer(output_options chosen)
      : writer(std::move(chosen)), module_(module_for(options.format)) {
    if (!options.number_format.empty() || options.delimiter != 0)
      throw usage_error(fmt::format(
          "{} is written as {}; --number-format and --delimiter are for text, CSV and TSV.",
          file.name(), name_of(options.format)));
  }

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    order_ = fields(keys.size(), columns.size());
    if (order_.empty())
      throw usage_error(fmt::format("There is no column to write to {}.", file.name()));
    keys_ = keys.size();
    for (std::size_t const field : order_) {
      auto& made = columns_.emplace_back();
      if (field < keys_) {
        made.about.name = keys[field];
      } else {
        auto const& of = columns[field - keys_];
        made.about = {of.name, options.type.value_or(of.type)};
      }
    }
  }

  void write(chunk const& chunk) override {
    auto const values = options.type
                            ? converted(chunk, *options.type, rows, converted_, file.name())
                            : chunk.columns;
    for (std::size_t c = 0; c < order_.size(); ++c) {
      if (order_[c] < keys_)
        columns_[c].texts.append(chunk.keys[order_[c]], 0, chunk.rows);
      else
        add_numbers(columns_[c], chunk, values[order_[c] - keys_], order_[c] - keys_);
    }
    rows += chunk.rows;
    held_ += chunk.rows;
    std::size_t bytes = 0;
    for (auto const& each : columns_) bytes += each.numbers.size() + each.texts.characters.size();
    if (held_ >= block_rows || bytes >= block_bytes) flush();
  }

  void finish() override {
    if (held_ > 0 || !sink_) flush();
    with_file(file.name(), [&] { sink_->finish(); });
  }

 private:
  struct column {
    source_column about = {};
    std::vector<std::byte> numbers = {};
    std::vector<std::uint8_t> present = {};  // empty while all are
    text_buffer texts = {};
  };

  /// A column of a stream may have become decimals.
  void add_numbers(column& to, chunk const& chunk, typed_column const& from, std::size_t c) {
    if (from.type != to.about.type)
      throw data_error(
          fmt::format("{}: Column '{}' begins with {} and goes on with {}; give "
                      "--dtype f64.",
                      file.name(), to.about.name, name_of(*to.about.type), name_of(from.type)));
    auto const bytes = from.bytes.first(chunk.rows * size_of(from.type));
    to.numbers.insert(to.numbers.end(), bytes.begin(), bytes.end());
    if (chunk.present.empty()) {
      if (!to.present.empty()) to.present.resize(held_ + chunk.rows, 1);
      return;
    }
    to.present.resize(held_, 1);
    auto const present = chunk.present[c].as<std::uint8_t>();
    to.present.insert(to.present.end(), present.begin(), present.end());
  }

  /// The type of strings that are all numbers as they would be written; nothing if one is not.
  static std::optional<dtype> type_of(text_column const& texts) {
    type_guess guess;
    for (std::size_t row = 0; row < texts.size(); ++row) {
      auto const text = texts[row];
      if (text.empty()) continue;
      std::int64_t whole = 0;
      bool const is_whole = parse_number(text, dtype::i64, &whole) == parsed::good;
      if (is_whole ? number_text(whole) != text : !is_number(text)) return std::nullopt;
      guess.observe(text);
    }
    return guess.has_seen() ? std::optional(guess.type()) : std::nullopt;
  }

  void flush() {
    if (!sink_) open();
    source_rows out;
    out.rows = held_;
    for (auto& each : columns_) {
      if (each.texts.size() > 0) finish_texts(each);
      auto& made = out.columns.emplace_back();
      if (each.about.type)
        made.numbers = {*each.about.type, each.numbers};
      else
        made.texts = each.texts.view();
      if (!each.present.empty())
        made.present = {reinterpret_cast<bool const*>(each.present.data()), each.present.size()};
    }
    with_file(file.name(), [&] { sink_->write(out); });
    for (auto& each : columns_) each = {.about = std::move(each.about)};
    held_ = 0;
  }

  void open() {
    std::vector<source_column> all;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      auto const key = order_[c];
      bool const has_type = key < options.key_types.size() && options.key_types[key];
      if (has_type)
        columns_[c].about.type = options.key_types[key];
      else if (key < keys_ && options.key_types.empty())
        columns_[c].about.type = type_of(columns_[c].texts.view());
      all.push_back(columns_[c].about);
    }
    sink_ = with_file(file.name(), [&] {
      return module_.write(options.format, all,
                           [this](std::string_view bytes) { file.write(bytes); });
    });
  }

  /// Makes numbers of strings if the column has numbers. An empty text is a missing value.
  void finish_texts(column& of) {
    auto const texts = of.texts.view();
    for (std::size_t row = 0; row < texts.size(); ++row) {
      if (!texts[row].empty()) continue;
      of.present.resize(texts.size(), 1);
      of.present[row] = 0;
    }
    if (!of.about.type) return;
    auto const size = size_of(*of.about.type);
    of.numbers.resize(texts.size() * size);
    for (std::size_t row = 0; row < texts.size(); ++row) {
      auto const text = texts[row];
      if (text.empty()) continue;
      if (parse_number(text, *of.about.type, of.numbers.data() + row * size) != parsed::good)
        throw data_error(fmt::format(
            "{}: Column '{}' has '{}' in row {}, but {} in the rows before, which decide its type; "
            "write CSV.",
            file.name(), of.about.name, text, rows - held_ + row + 1, name_of(*of.about.type)));
    }
  }

  arrow_module const& module_;
  std::vector<std::size_t> order_;
  std::vector<column> columns_;
  std::size_t keys_ = 0, held_ = 0;
  std::unique_ptr<column_sink> sink_;
  std::vector<std::vector<std::byte>> converted_;
};

}  // namespace

std::unique_ptr<writer> make_arrow_writer(output_options options) {
  return std::make_unique<arrow_writer>(std::move(options));
}

}  // namespace upsweep::io
