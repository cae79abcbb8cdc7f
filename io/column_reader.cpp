/// Chooses columns by name, converts numbers and strings, and treats missing values as text_reader
/// does.
#include <io/column_choice.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/number.hpp>
#include <io/records.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

/// Columns as numbers, and as strings where keys or whole rows are wanted.
class column_reader final : public reader {
 public:
  /// `types` are those of the value columns if they are known. `from` may refer to `bytes`.
  column_reader(std::unique_ptr<byte_source> bytes, std::unique_ptr<column_source> from,
                input_options options, std::span<dtype const> types)
      : reader(std::move(bytes)),
        from_(std::move(from)),
        described_(from_->kind.empty() ? name() : fmt::format("{} ({})", name(), from_->kind)),
        skip_missing_(options.skip_missing),
        mark_missing_(options.mark_missing),
        has_own_words_(!options.missing.empty()),
        missing_(options.missing) {
    if (options.delimiter != 0 || !options.numbers.is_standard())
      throw usage_error("{} has columns with types; omit --delimiter, --decimal and --thousands.",
                        name());
    if (from_->columns.empty()) throw data_error("{} has no columns.", name());
    options.header = header_line::present;
    options.comment = '\0';
    first_records names(1);
    for (auto const& column : from_->columns) names[0].push_back(column.name);
    auto layout = find_layout(names, options, false, name());
    bool const one_use = options.columns.empty() && !options.uses.empty();
    layout.uses.resize(layout.values.size(), one_use ? options.uses[0] : column_use());
    layout.as_text.resize(layout.values.size());
    format = container::csv;
    has_header = true;
    all_names = layout.names;
    key_counts = layout.key_counts;
    if (!skip_missing_) total_rows = from_->rows;
    choose(layout, options, types);
    choose_from_source();
  }

  bool next(chunk& out) override {
    for (bool more = true; more;) {
      more = with_file(described_, [&] { return from_->next(batch_); });
      if (!more) batch_.rows = 0;
      skips_ = false;
      for (std::size_t value = 0; more && value < values_.size(); ++value) find_gaps(value);
      if (more) keep_whole_rows();
      out = {};
      out.first_row = delivered_;
      out.rows = skips_ ? kept_.size() : batch_.rows;
      if (out.rows > 0) break;
      rows_before_ += batch_.rows;
      skipped_rows += batch_.rows;
    }
    if (out.rows == 0) return false;
    for (std::size_t value = 0; value < values_.size(); ++value) {
      out.columns.push_back(numbers_of(value));
      if (!mark_missing_) continue;
      if (present_[value].empty()) present_[value].assign(batch_.rows, 1);
      out.present.push_back({dtype::boolean, std::as_bytes(std::span(present_[value]))});
    }
    for (std::size_t key = 0; key < keys_.size(); ++key) out.keys.push_back(texts_of(key));
    if (joining_.keys > 0) join(out);
    if (skip_missing_) {
      row_numbers_.resize(out.rows);
      for (std::size_t i = 0; i < out.rows; ++i)
        row_numbers_[i] = rows_before_ + (skips_ ? kept_[i] : i);
      out.numbers = row_numbers_;
    }
    rows_before_ += batch_.rows;
    delivered_ += out.rows;
    skipped_rows += batch_.rows - out.rows;
    return true;
  }
  array_view array() override {
    throw usage_error(
        name() +
        " has named columns, not dimensions; only a .npy file of numbers can be read as an array.");
  }
  void set_types(std::span<dtype const> types) override {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].type = types[i];
  }
  void join_keys(key_joining const& how) override {
    joining_ = how;
    shift_texts(how.keys);
  }
  [[nodiscard]] key_kind kind_of_key(std::size_t key) const noexcept override {
    return column_of(keys_[key]).is_decimal ? key_kind::number : reader::kind_of_key(key);
  }
  /// The source need not read front to back.
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept override {
    return std::nullopt;
  }

 private:
  void choose(text_layout const& layout, input_options const& options,
              std::span<dtype const> types) {
    keys_ = layout.keys;
    for (std::size_t c = 0; c < layout.values.size(); ++c) {
      auto const at = layout.values[c];
      auto const& column = from_->columns[at];
      bool const has_text = !column.type && !column.is_decimal && !layout.uses[c].as_numbers;
      bool const may_be = options.may_be_text && !options.type;
      bool const is_text = layout.as_text[c] ||
                           (!options.known.empty() ? options.known[c].is_text : may_be && has_text);
      chosen.push_back({is_text, is_text ? keys_.size() : values_.size()});
      (is_text ? keys_ : values_).push_back(at);
      if (is_text) continue;
      columns.push_back({column.name, options.type.value_or(column.type.value_or(dtype::f64))});
    }
    for (auto const at : keys_) {
      keys.push_back(all_names[at]);
      key_types.push_back(from_->columns[at].type);
    }
    if (!types.empty()) set_types(types);
  }
  /// Has the source read the columns that are used, and makes `values_` and `keys_` refer to
  /// those.
  void choose_from_source() {
    read_ = values_;
    read_.insert(read_.end(), keys_.begin(), keys_.end());
    std::ranges::sort(read_);
    read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    for (auto const at : read_)
      if (auto const& column = from_->columns[at]; !column.unreadable.empty())
        throw data_error(
            "{}: Column '{}' holds {}, but a column holds single numbers or strings; choose "
            "columns without it.",
            name(), shown(column.name), column.unreadable);
    for (auto* list : {&values_, &keys_})
      for (auto& at : *list)
        at = static_cast<std::size_t>(std::ranges::lower_bound(read_, at) - read_.begin());
    with_file(described_, [&] { from_->choose(read_); });
    present_.resize(values_.size());
    numbers_.resize(values_.size());
    texts_.resize(keys_.size());
  }
  [[nodiscard]] source_column const& column_of(std::size_t at) const {
    return from_->columns[read_[at]];
  }

  /// Finds where a value column has no value, and throws if it must have one.
  void find_gaps(std::size_t value) {
    auto const& from = batch_.columns[values_[value]];
    auto& present = present_[value];
    present.assign(from.present.begin(), from.present.end());
    auto const mark = [&](auto const& is_missing_at) {
      for (std::size_t row = 0; row < batch_.rows; ++row) {
        if (!is_missing_at(row)) continue;
        if (present.empty()) present.assign(batch_.rows, 1);
        present[row] = 0;
      }
    };
    if (!column_of(values_[value]).type)
      mark([&](std::size_t row) { return missing_(from.texts[row]); });
    else if (has_own_words_)
      mark([&](std::size_t row) {
        auto const type = from.numbers.type;
        return missing_.is_own(number_text(type, from.numbers.bytes.data() + row * size_of(type)));
      });
    auto const gap = std::ranges::find(present, 0);
    if (gap == present.end())
      present.clear();
    else if (!skip_missing_ && !mark_missing_)
      refuse(value, static_cast<std::size_t>(gap - present.begin()),
             "has no value; --skip-missing skips it");
  }
  /// Lists the rows without a missing value.
  void keep_whole_rows() {
    skips_ =
        skip_missing_ && std::ranges::any_of(present_, [](auto const& p) { return !p.empty(); });
    if (!skips_) return;
    kept_.clear();
    for (std::size_t row = 0; row < batch_.rows; ++row) {
      bool whole = true;
      for (std::size_t value = 0; value < values_.size(); ++value)
        whole = whole && has_value(value, row);
      if (whole) kept_.push_back(row);
    }
  }
  /// The numbers of the rows that are delivered.
  [[nodiscard]] typed_column numbers_of(std::size_t value) {
    auto const type = columns[value].type;
    auto const size = size_of(type);
    auto const& from = batch_.columns[values_[value]];
    auto& out = numbers_[value];
    bool const is_text = !column_of(values_[value]).type;
    auto const* made = from.numbers.bytes.data();
    if (is_text || from.numbers.type != type ||
        reinterpret_cast<std::uintptr_t>(made) % size != 0) {
      out.resize(batch_.rows * size);
      is_text ? parse_texts(value) : convert_numbers(value);
      made = out.data();
    }
    auto rows = batch_.rows;
    if (skips_) {
      rows = kept_.size();
      std::vector<std::byte> rest(rows * size);
      for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(rest.data() + i * size, made + kept_[i] * size, size);
      out = std::move(rest);
      made = out.data();
    }
    return {type, {made, rows * size}};
  }
  void parse_texts(std::size_t value) {
    auto const type = columns[value].type;
    auto const& from = batch_.columns[values_[value]].texts;
    auto& out = numbers_[value];
    for (std::size_t row = 0; row < batch_.rows; ++row) {
      if (!has_value(value, row)) continue;
      if (parse_number(from[row], type, out.data() + row * size_of(type)) == parsed::good) continue;
      refuse(value, row,
             fmt::format("is '{}', which is not of type {}", shown(from[row]), name_of(type)));
    }
  }
  void convert_numbers(std::size_t value) {
    auto const type = columns[value].type;
    auto const& from = batch_.columns[values_[value]].numbers;
    auto& out = numbers_[value];
    for (std::size_t row = 0; row < batch_.rows; ++row) {
      auto const* const at = from.bytes.data() + row * size_of(from.type);
      row += convert(from.type, at, type, out.data() + row * size_of(type), batch_.rows - row);
      if (row < batch_.rows && has_value(value, row))
        refuse(value, row,
               fmt::format("is {}, which {} cannot hold; choose another --dtype",
                           number_text(from.type, from.bytes.data() + row * size_of(from.type)),
                           name_of(type)));
    }
  }
  /// The strings of the rows that are delivered.
  [[nodiscard]] text_column texts_of(std::size_t key) {
    auto const& from = batch_.columns[keys_[key]];
    auto& out = texts_[key];
    bool const is_text = !column_of(keys_[key]).type;
    if (is_text && !skips_) return from.texts;
    out.clear();
    if (is_text) out.append(from.texts, kept_);
    auto const type = from.numbers.type;
    auto const append = [&](std::size_t row) {
      if (from.present.empty() || from.present[row])
        append_number(out.characters, type, from.numbers.bytes.data() + row * size_of(type));
      out.end();
    };
    for (std::size_t i = 0; !is_text && i < (skips_ ? kept_.size() : batch_.rows); ++i)
      append(skips_ ? kept_[i] : i);
    return out.view();
  }
  [[nodiscard]] bool has_value(std::size_t value, std::size_t row) const {
    return present_[value].empty() || present_[value][row] != 0;
  }
  /// Joins the first keys as they are written.
  void join(chunk& out) {
    joined_.clear();
    for (std::size_t row = 0; row < out.rows; ++row) {
      for (std::size_t k = 0; k < joining_.keys; ++k) {
        if (k > 0) joined_.characters += joining_.separator;
        append_field(joined_.characters, out.keys[k][row],
                     joining_.quotes ? joining_.separator : '\0');
      }
      joined_.end();
    }
    out.joined = joined_.view();
    out.keys.erase(out.keys.begin(), out.keys.begin() + static_cast<std::ptrdiff_t>(joining_.keys));
  }
  [[noreturn]] void refuse(std::size_t value, std::size_t row, std::string_view what) const {
    throw data_error("{}: Row {} of column '{}' {}.", name(), rows_before_ + row + 1,
                     shown(columns[value].name), what);
  }

  std::unique_ptr<column_source> from_;
  std::string described_;  // the file with its kind
  source_rows batch_;
  std::vector<std::size_t> read_;    // the columns of the file that are read
  std::vector<std::size_t> values_;  // of each value column, its position among these
  std::vector<std::size_t> keys_;    // of each key
  bool skip_missing_ = false, mark_missing_ = false, has_own_words_ = false;
  missing_words missing_;
  key_joining joining_;

  std::uint64_t rows_before_ = 0;  // in the file
  std::uint64_t delivered_ = 0;
  std::vector<std::vector<std::uint8_t>> present_;  // of each value column; empty if all are
  std::vector<std::vector<std::byte>> numbers_;
  std::vector<text_buffer> texts_;
  text_buffer joined_;
  bool skips_ = false;  // some rows of the batch are not delivered
  std::vector<std::size_t> kept_;
  std::vector<std::uint64_t> row_numbers_;
};

}  // namespace

std::unique_ptr<reader> make_column_reader(std::unique_ptr<byte_source> bytes,
                                           std::unique_ptr<column_source> from,
                                           input_options options, std::span<dtype const> types) {
  return std::make_unique<column_reader>(std::move(bytes), std::move(from), std::move(options),
                                         types);
}

}  // namespace upsweep::io
