/// decimal-sum, decimal-mean and decimal-product: exact results of numbers as they are written.
#include <cli/engine/text_aggregate.hpp>
#include <io/error.hpp>
#include <io/number_spelling.hpp>
#include <io/shown.hpp>
#include <upsweep/ops/decimal.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::cli {

namespace {

class decimals final : public text_aggregate {
 public:
  decimals(operator_use const& use, std::string column, io::number_spelling numbers)
      : id_(use.id),
        name_(use.name),
        column_(std::move(column)),
        numbers_(std::move(numbers)),
        currency_(numbers_.currency_of(column_)) {}
  void initialize() override {
    total_ = {};
    if (id_ == tool_operator("decimal-product")) total_.sum = decimal_product{}.identity();
  }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) combine({parsed(rows, row), 1});
  }
  [[nodiscard]] bool has_result() const noexcept override {
    return id_ != tool_operator("decimal-mean") || total_.count > 0;
  }
  [[nodiscard]] std::string_view text() const override {
    if (!has_result()) refuse_empty(name_);
    text_ = to_string(id_ == tool_operator("decimal-mean") ? decimal_mean{}.finish(total_)
                                                           : total_.sum);
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
  void combine(decimal_total const& later) {
    if (id_ == tool_operator("decimal-product"))
      total_ = {decimal_product{}(total_.sum, later.sum), total_.count + later.count};
    else
      total_ = decimal_mean{}(total_, later);
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

  catalog::id id_;
  std::string name_, column_, buffer_;
  io::number_spelling numbers_;
  io::one_currency* currency_;
  decimal_total total_;  // of products, `sum` is the product
  mutable std::string text_;
};

}  // namespace

std::unique_ptr<text_aggregate> make_decimals(operator_use const& use, std::string const& column,
                                              io::number_spelling const& numbers) {
  return std::make_unique<decimals>(use, column, numbers);
}

}  // namespace upsweep::cli
