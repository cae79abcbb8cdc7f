/// Operators that keep strings: concat, distinct and distinct-list; those
/// of decimals; and argmax of a column with the text of another in its row.
#include <cli/engine/groups.hpp>
#include <cli/engine/texts.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <upsweep/ops/decimal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// All strings.
class joined_texts final : public text_aggregate {
 public:
  explicit joined_texts(std::string separator) : separator_(std::move(separator)) {}
  void initialize() override {
    text_.clear();
    empty_ = true;
  }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) append(rows[row]);
  }
  [[nodiscard]] std::string_view text() const override { return text_; }
  void serialize(saved_state& to) const override {
    put(to, empty_);
    put_text(to, text_);
  }
  void combine(saved_reader& from) override {
    bool const nothing = from.take<std::uint8_t>() != 0;
    std::string const later = from.take_text();
    if (!nothing) append(later);
  }

 private:
  void append(std::string_view text) {
    if (!empty_) text_ += separator_;
    text_ += text;
    empty_ = false;
  }
  std::string separator_, text_;
  bool empty_ = true;
};

/// The different strings, in the order in which they first came: all of them, joined by the
/// separator, or without one how many there are.
class distinct_texts final : public text_aggregate {
 public:
  explicit distinct_texts(std::optional<std::string> separator)
      : separator_(std::move(separator)) {}
  void initialize() override { seen_.clear(); }
  void update(text_rows const& rows) override {
    seen_.number({rows.column, 1}, rows.first, rows.end, groups_);
  }
  [[nodiscard]] bool is_number() const noexcept override { return !separator_; }
  [[nodiscard]] std::uint64_t number() const override { return seen_.size(); }
  [[nodiscard]] std::string_view text() const override {
    text_ = fmt::format("{}", fmt::join(all(), *separator_));
    return text_;
  }
  void serialize(saved_state& to) const override {
    auto texts = all();
    if (is_number()) std::ranges::sort(texts);  // the same for any order of rows
    put(to, texts.size());
    for (auto const text : texts) put_text(to, text);
  }
  void combine(saved_reader& from) override {
    text_buffer later;
    for (auto left = from.take_count(); left > 0; --left) later.push(from.take_text());
    auto const column = later.view();
    seen_.number({&column, 1}, 0, column.size(), groups_);
  }

 private:
  [[nodiscard]] std::vector<std::string_view> all() const {
    auto const texts = seen_.keys()[0].view();
    std::vector<std::string_view> views;
    for (std::size_t i = 0; i < texts.size(); ++i) views.push_back(texts[i]);
    return views;
  }

  std::optional<std::string> separator_;
  group_table seen_{1};
  std::vector<std::uint32_t> groups_;
  mutable std::string text_;
};

class decimals final : public text_aggregate {
 public:
  decimals(operator_use const& use, std::string column, io::number_spelling numbers)
      : multiplies_(use.name == "decimal-product"),
        divides_(use.name == "decimal-mean"),
        name_(use.name),
        column_(std::move(column)),
        numbers_(std::move(numbers)),
        currency_(numbers_.currency_of(column_)) {}
  void initialize() override {
    total_ = {};
    if (multiplies_) total_.sum = decimal_product{}.identity();
  }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) combine({parsed(rows, row), 1});
  }
  [[nodiscard]] bool has_result() const noexcept override { return !divides_ || total_.count > 0; }
  [[nodiscard]] std::string_view text() const override {
    if (!has_result()) refuse_empty(name_);
    text_ = to_string(divides_ ? decimal_mean{}.finish(total_) : total_.sum);
    return text_;
  }
  void serialize(saved_state& to) const override {
    put_text(to, to_string(total_.sum));
    put(to, total_.count);
  }
  void combine(saved_reader& from) override {
    auto const sum = parse_decimal(from.take_text());
    if (!sum) throw io::data_error(name_ + ": the saved state is damaged.");
    combine({*sum, from.take<std::uint64_t>()});
  }

 private:
  void combine(decimal_total const& later) try {
    if (multiplies_)
      total_ = {decimal_product{}(total_.sum, later.sum), total_.count + later.count};
    else
      total_ = decimal_mean{}(total_, later);
  } catch (precondition_error const&) {
    throw io::data_error("--op {}: a {} of column '{}' has more than 38 digits{}.", name_,
                         multiplies_ ? "product" : "sum", io::shown(column_),
                         multiplies_ ? ", with those after the decimal point" : "");
  }
  [[nodiscard]] decimal parsed(text_rows const& rows, std::size_t row) {
    auto const x = parse_decimal(io::standard_form(rows[row], numbers_, buffer_));
    if (!x || !numbers_.is_in(currency_, rows[row])) refuse(rows, row, x.has_value());
    return *x;
  }
  [[noreturn]] void refuse(text_rows const& rows, std::size_t row, bool is_decimal) const {
    auto const text = rows[row];
    auto const in = fmt::format(" in column '{}'", column_);
    throw io::data_error(
        rows.place(row) +
        (is_decimal
             ? io::currency_error(text, in, *currency_)
             : fmt::format("'{}'{} is not a decimal number of up to 38 digits, such as -12.50{}.",
                           io::shown(text), in, io::spelling_hint(text, numbers_))));
  }

  bool multiplies_, divides_;
  std::string name_, column_, buffer_;
  io::number_spelling numbers_;
  io::one_currency* currency_;
  decimal_total total_;  // of products, `sum` is the product
  mutable std::string text_;
};

class arg_text final : public text_aggregate {
 public:
  arg_text(operator_use const& use, std::string column, io::number_spelling numbers, bool from_end)
      : name_(use.name),
        column_(std::move(column)),
        in_order_(column_),
        numbers_(std::move(numbers)),
        currency_(numbers_.currency_of(column_)),
        smallest_(use.id == catalog::id::argmin || use.id == catalog::id::argmin_last),
        // Rows arrive from the end: the first of the input is then the last to come.
        latest_((use.id == catalog::id::argmin_last || use.id == catalog::id::argmax_last) !=
                from_end) {}
  void initialize() override {
    best_.reset();
    in_order_.restart();
  }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row)
      take(ordered(rows, row), (*rows.other)[row]);
  }
  [[nodiscard]] bool has_result() const noexcept override { return best_.has_value(); }
  [[nodiscard]] std::string_view text() const override {
    if (!best_) refuse_empty(name_);
    return text_;
  }
  void serialize(saved_state& to) const override {
    put(to, best_.has_value());
    if (!best_) return;
    put(to, best_->is_number);
    put_text(to, best_->text);
    put_text(to, text_);
  }
  void combine(saved_reader& from) override {
    if (from.take<std::uint8_t>() == 0) return;
    bool const is_number = from.take<std::uint8_t>() != 0;
    std::string const text = from.take_text(), result = from.take_text();
    expect_like_best(is_number);
    if (best_ && best_->is_number != is_number)
      throw io::data_error(
          "{}: column '{}' has numbers in one piece and strings in another, which have no order.",
          name_, column_);
    if (!is_number && !in_order_.take(text)) throw in_order_.error(text);
    take({is_number, text, is_number ? place_of(text) : place_of_number()}, result);
  }

 private:
  struct value {
    bool is_number;
    std::string_view text;
    place_of_number place;
  };
  /// A number after fields that only looked like numbers: these were none.
  void expect_like_best(bool is_number) const {
    if (best_ && is_number && like_numbers_)
      throw io::data_error("'{}' in column '{}' is not a number{}.", io::shown(best_text_), column_,
                           io::spelling_hint(best_text_, numbers_));
  }
  /// What decides the order; of a number its standard form, in the buffer.
  value ordered(text_rows const& rows, std::size_t row) {
    auto const field = rows[row];
    auto const number = io::standard_form(field, numbers_, buffer_);
    bool const is_number = !is_compared_as_text(column_) && io::is_number(number);
    expect_like_best(is_number);
    if (best_ && best_->is_number != is_number)
      throw io::data_error("{}'{}' in column '{}' {}.", rows.place(row), io::shown(field), column_,
                           io::is_missing(field) ? "is a missing value; --skip-missing skips it"
                           : is_number ? "is a number, but the column begins with text, and " +
                                             name_ + " compares either strings or numbers"
                                       : "is not a number" + io::spelling_hint(field, numbers_));
    if (!is_number && !is_compared_as_text(column_) && io::looks_like_number(field) &&
        (!best_ || like_numbers_))
      throw io::data_error("{}'{}' in column '{}' is not a number{}.", rows.place(row),
                           io::shown(field), column_, io::spelling_hint(field, numbers_));
    if (!is_number && !in_order_.take(field)) throw in_order_.error(field, rows.place(row));
    like_numbers_ = !is_number && (!best_ || like_numbers_) && io::may_be_missing(field);
    if (!numbers_.is_in(currency_, field))
      throw io::data_error(rows.place(row) +
                           io::currency_error(field, " in column '" + column_ + "'", *currency_));
    return {is_number, is_number ? number : field,
            is_number ? place_of(number) : place_of_number()};
  }
  void take(value const& x, std::string_view result) {
    if (best_ && !wins(x)) return;
    best_text_ = x.text;
    best_ = value{x.is_number, best_text_, x.place};
    text_ = result;
  }
  [[nodiscard]] bool wins(value const& x) const {
    auto const& best = *best_;
    if (!x.is_number)
      return x.text == best.text ? latest_ : smallest_ ? x.text < best.text : x.text > best.text;
    bool const is_nan = std::isnan(x.place.value), was_nan = std::isnan(best.place.value);
    if (is_nan || was_nan) return is_nan && (!was_nan || latest_);
    if (x.place.precedes(best.place)) return smallest_;
    if (best.place.precedes(x.place)) return !smallest_;
    return latest_;
  }

  std::string name_, column_, buffer_;
  strings_in_order in_order_;
  io::number_spelling numbers_;
  io::one_currency* currency_;
  bool smallest_, latest_;
  bool like_numbers_ = false;  // all so far may represent missing values
  std::optional<value> best_;  // its text is best_text_
  std::string best_text_, text_;
};

}  // namespace

std::unique_ptr<text_aggregate> make_text_list(operator_use const& use) {
  if (use.name == "distinct") return std::make_unique<distinct_texts>(std::nullopt);
  if (use.name == "distinct-list")
    return std::make_unique<distinct_texts>(use.parameter.empty() ? "," : use.parameter);
  return std::make_unique<joined_texts>(use.parameter);
}

std::unique_ptr<text_aggregate> make_decimals(operator_use const& use, std::string const& column,
                                              io::number_spelling const& numbers) {
  return std::make_unique<decimals>(use, column, numbers);
}

std::unique_ptr<text_aggregate> make_arg_text(operator_use const& use, std::string const& column,
                                              io::number_spelling const& numbers, bool from_end) {
  return std::make_unique<arg_text>(use, column, numbers, from_end);
}

}  // namespace upsweep::cli
