/// Puts computed columns and those of the file into the order in which they were chosen.
#include <cli/engine/buffers.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/expression/computed_columns.hpp>
#include <cli/expression/node.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// Delivers the wanted columns, some of which are of the file.
class computing_reader final : public io::reader {
 public:
  computing_reader(expression_columns wanted, std::unique_ptr<io::reader> file)
      : columns_(std::move(wanted)), file_(std::move(file)) {
    all_names = file_->all_names;
    format = file_->format;
    has_header = file_->has_header;
    is_blank = file_->is_blank;
    delimiter = file_->delimiter;
    may_widen = file_->may_widen;
    if (!columns_.skips_) total_rows = file_->total_rows;
    try {
      resolve();
    } catch (io::usage_error const&) {
      // Columns without rows have no types that could be wrong.
      has_first_ = file_->next(rows_);
      if (has_first_) throw;
      is_empty_ = true;
    }
    choose_keys();
    choose_columns();
  }

  bool next(io::chunk& out) override {
    do {
      out = io::chunk();
      if (is_empty_ || (!has_first_ && !file_->next(rows_))) return false;
      has_first_ = false;
      columns_.all_.follow_types(rows_);
      compute(out);
      if (columns_.skips_) keep_whole_rows(out);
      skipped_rows = file_->skipped_rows + dropped_rows_;
    } while (columns_.skips_ && out.rows == 0);
    return true;
  }
  io::array_view array() override { return file_->array(); }
  void join_keys(io::key_joining const& how) override {
    file_->join_keys(how);
    shift_texts(how.keys);
    texts_.erase(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(how.keys));
    for (auto& each : texts_) each.index -= each.expression ? 0 : how.keys;
    resolve();
  }
  [[nodiscard]] bool can_join_keys(std::size_t count) const noexcept override {
    return std::all_of(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(count),
                       [](delivered const& each) { return !each.expression; });
  }
  void keep_tokens(std::size_t count, std::size_t compared) override {
    auto const of_file = [&](std::size_t first) {
      return static_cast<std::size_t>(
          std::count_if(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(first),
                        [](delivered const& each) { return !each.expression; }));
    };
    file_->keep_tokens(of_file(count), of_file(compared));
  }
  [[nodiscard]] io::key_kind kind_of_key(std::size_t key) const noexcept override {
    auto const& [expression, index, is_value] = texts_[key];
    if (!expression) return file_->kind_of_key(index);
    if (columns_.all_.shows_codes(*expression) && columns_.all_.has_codes())
      return io::key_kind::text;
    auto const type = columns_.all_.type(*expression);
    return type == expression_type::truth  ? io::key_kind::truth
           : type == expression_type::text ? io::key_kind::text
                                           : io::key_kind::number;
  }
  [[nodiscard]] std::string const& name() const noexcept override { return file_->name(); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return file_->bytes_read(); }
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept override {
    return file_->bytes_total();
  }

 private:
  /// A column that is delivered: of the file, or computed.
  struct delivered {
    std::optional<std::size_t> expression{};
    std::size_t index = 0;  ///< of a column of the file, among its values or keys
    bool is_value = false;  ///< a computed text that is chosen, and no key
  };
  using item = expression_columns::item;
  /// Finds the columns of the expressions, the last of the file's.
  void resolve() {
    auto const of_file = file_->where_chosen();
    std::vector<io::chosen_column> places;
    for (std::size_t const place : columns_.places_)
      places.push_back(of_file[of_file.size() - columns_.singles_ + place]);
    columns_.all_.resolve(all_names, std::move(places), file_->columns);
  }
  /// The keys in the order of the words that chose them, and whole rows.
  void choose_keys() {
    std::size_t of_file = 0, word = 0;
    for (auto const& of : columns_.keys_) {
      if (of.expression) {
        texts_.push_back({.expression = of.expression});
        keys.push_back(of.name);
        auto const type = columns_.all_.type(*of.expression);
        if (!file_->key_types.empty()) {
          key_types.resize(keys.size());
          if (type != expression_type::text && !columns_.all_.shows_codes(*of.expression))
            key_types.back() = dtype_of(type);
        }
        key_counts.push_back(1);
        continue;
      }
      auto const count = file_->key_counts[word++];
      for (std::size_t k = 0; k < count; ++k, ++of_file) {
        texts_.push_back({.index = of_file});
        keys.push_back(of.name.empty() ? file_->keys[of_file] : of.name);
        if (!file_->key_types.empty()) key_types.resize(keys.size(), file_->key_types[of_file]);
      }
      key_counts.push_back(count);
    }
    auto last = file_->keys.size();
    for (auto const& column : file_->where_chosen()) last -= column.is_text || column.written;
    for (; of_file < last; ++of_file) {
      texts_.push_back({.index = of_file});
      keys.push_back(file_->keys[of_file]);
    }
  }
  void choose_columns() {
    auto const of_file = file_->where_chosen();
    // Words of a selection's condition are no items.
    if (columns_.columns_.empty())
      for (auto const& column : of_file) deliver({}, column);
    std::size_t at = 0;
    for (auto const& of : columns_.columns_) {
      if (!of.expression) {
        for (std::size_t c = 0; c < of.columns && at < of_file.size(); ++c)
          deliver(of, of_file[at++]);
        continue;
      }
      auto const type = columns_.all_.type(*of.expression);
      bool const are_codes = of.use.as_written && columns_.all_.shows_codes(*of.expression);
      bool const is_text =
          type == expression_type::text || (are_codes && !of.use.in_order && !of.use.as_numbers);
      if (is_text && of.use.as_numbers)
        throw io::usage_error("'{}' is a text, but numbers are needed here.", io::shown(of.name));
      chosen.push_back({is_text, is_text ? texts_.size() : values_.size()});
      if (!is_text) {
        values_.push_back({.expression = of.expression});
        columns.push_back({of.name, dtype_of(type)});
        if (are_codes) chosen.back().written = texts_.size();
      }
      if (!is_text && !are_codes) continue;
      texts_.push_back({.expression = of.expression, .is_value = true});
      keys.push_back(of.name);
    }
  }
  void deliver(item const& of, io::chosen_column const& column) {
    chosen.push_back(column);
    chosen.back().index = column.is_text ? texts_.size() : values_.size();
    if (column.is_text) {
      texts_.push_back({.index = column.index});
      keys.push_back(of.name.empty() ? file_->keys[column.index] : of.name);
    } else {
      values_.push_back({.index = column.index});
      columns.push_back(file_->columns[column.index]);
      if (!of.name.empty()) columns.back().name = of.name;
    }
    if (!column.written) return;
    chosen.back().written = texts_.size();
    texts_.push_back({.index = *column.written});
    keys.push_back(columns.back().name);
  }
  void compute(io::chunk& out) {
    out.first_row = rows_.first_row;
    out.rows = rows_.rows;
    out.joined = rows_.joined;
    out.numbers = rows_.numbers;
    numbers_.clear();
    present_.clear();
    made_.clear();
    // Views into these buffers stay valid while they grow.
    numbers_.reserve(values_.size());
    present_.reserve(values_.size() + texts_.size());
    made_.reserve(texts_.size());
    for (auto const& each : texts_)
      if (each.expression)
        compute_key(each, out);
      else
        out.keys.push_back(rows_.keys[each.index]);
    for (std::size_t c = 0; c < values_.size(); ++c) {
      auto const& each = values_[c];
      if (each.expression) {
        compute_column(each, out);
      } else {
        out.columns.push_back(rows_.columns[each.index]);
        if (!rows_.present.empty()) out.present.push_back(rows_.present[each.index]);
      }
      columns[c].type = out.columns[c].type;
    }
  }
  /// Drops the rows in which a chosen value is missing.
  void keep_whole_rows(io::chunk& out) {
    std::vector<std::size_t> whole;
    for (std::size_t row = 0; row < out.rows; ++row)
      if (std::ranges::all_of(out.present,
                              [&](auto const& has) { return has.template as<bool>()[row]; }))
        whole.push_back(row);
    out.present.clear();
    dropped_rows_ += out.rows - whole.size();
    if (dropped_rows_ > 0) {  // from then on rows need their numbers in the file
      kept_.take(out, whole);
      out = kept_.view();
    }
    out.first_row = kept_rows_;
    kept_rows_ += out.rows;
  }
  void compute_column(delivered const& which, io::chunk& out) {
    auto& column = numbers_.emplace_back(dtype_of(columns_.all_.type(*which.expression)));
    auto& present = present_.emplace_back(io::dtype::boolean);
    columns_.all_.append_numbers(*which.expression, rows_, columns_.missing_.get(), column,
                                 present);
    out.columns.push_back(column.view());
    if (columns_.missing_) out.present.push_back(present.view());
  }
  void compute_key(delivered const& which, io::chunk& out) {
    auto& texts = made_.emplace_back();
    bool const may_drop = columns_.skips_ && which.is_value;
    auto* const present = may_drop ? &present_.emplace_back(io::dtype::boolean) : nullptr;
    columns_.all_.append_texts(*which.expression, rows_, columns_.missing_.get(), texts, present);
    if (may_drop) out.present.push_back(present->view());
    out.keys.push_back(texts.view());
  }

  expression_columns columns_;
  std::unique_ptr<io::reader> file_;
  std::vector<delivered> values_, texts_;
  io::chunk rows_;  // of the file
  bool has_first_ = false, is_empty_ = false;
  std::vector<column_buffer> numbers_;
  std::vector<column_buffer> present_;
  std::vector<text_buffer> made_;
  std::uint64_t kept_rows_ = 0, dropped_rows_ = 0;  // with --skip-missing
  row_buffer kept_;
};

std::unique_ptr<io::reader> expression_columns::computed(std::unique_ptr<io::reader> file) {
  if (!has_names()) return file;
  return std::make_unique<computing_reader>(std::move(*this), std::move(file));
}

}  // namespace upsweep::cli
