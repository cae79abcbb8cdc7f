/// checked-sum and checked-product: the total in 64 bits, or an error that names the row at which
/// it overflows.
#include <cli/engine/typed_folding.hpp>
#include <io/error.hpp>
#include <upsweep/ops/checked.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace upsweep::cli {

namespace {

[[noreturn]] void overflow(std::string const& name, std::uint64_t row, io::dtype type) {
  throw io::tool_error(
      6, fmt::format("{}: the {} overflows {} at row {} (counted from 0); --dtype f64 "
                     "rounds instead, and --op {} wraps.",
                     name, name == "checked-sum" ? "sum" : "product", name_of(type), row,
                     name == "checked-sum" ? "sum" : "product"));
}

template <class Op, class T>
class checked_folding final : public streaming_folding<Op, plain_elements<T>> {
  using base = streaming_folding<Op, plain_elements<T>>;

 public:
  using base::base;

  /// A chunk whose total overflows is reduced again, row by row, to find the row.
  void reduce(std::span<io::typed_column const> values) override {
    T before = this->reduced();
    std::uint64_t index = this->position();
    try {
      base::reduce(values);
      (void)this->reduced();
    } catch (overflow_error const&) {
      for (T const x : values[0].as<T>()) {
        constexpr bool sum = std::is_same_v<Op, checked_plus<>>;
        if (sum ? __builtin_add_overflow(before, x, &before)
                : __builtin_mul_overflow(before, x, &before))
          break;
        ++index;
      }
      overflow(this->fields()[0].name, this->row_of(index), this->takes());
    }
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    try {
      this->scan_into(kind, values, results[0].template extend<T>(values[0].size()));
    } catch (overflow_error const& e) {
      overflow(this->fields()[0].name, this->row_of(e.index()), this->takes());
    }
  }
  void result(std::span<column_buffer> results) override { results[0].push(this->reduced()); }
};

template <class T, class Op>
std::unique_ptr<folding> make(Op op, operator_use const& use, folding_settings const& settings) {
  io::dtype const type = dynamic::dtype_of<T>;
  std::optional<accumulator_t<Op, T>> initial;
  if (auto const x = initial_number<T>(settings, type)) initial.emplace(*x);
  return std::make_unique<checked_folding<Op, T>>(
      op, folding_shape{type, {{use.name, type}}, use.name}, initial, settings);
}

template <class Op>
std::unique_ptr<folding> make_for(operator_use const& use, io::dtype type,
                                  folding_settings const& settings) {
  expect_integers(use, type);
  if (io::is_signed(type)) return make<std::int64_t>(Op{}, use, settings);
  return make<std::uint64_t>(Op{}, use, settings);
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<checked_plus<>>(operator_use const& use, io::dtype type,
                                                       folding_settings const& settings) {
  return make_for<checked_plus<>>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<checked_multiplies<>>(operator_use const& use,
                                                             io::dtype type,
                                                             folding_settings const& settings) {
  return make_for<checked_multiplies<>>(use, type, settings);
}

}  // namespace upsweep::cli
