/// The implementations of `folding`: any operator of the library over one compute type, in one
/// stream.
#pragma once

#include <cli/engine/dispatch.hpp>
#include <cli/engine/value_stream.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/ops/arg_extrema.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// Uses the values themselves as the operator's elements.
template <class T>
struct plain_elements {
  using element = T;
  static std::span<T const> of(std::span<io::typed_column const> values, std::vector<T>&) {
    return values[0].as<T>();
  }
};

/// Properties of the operator that make_folding passes on.
struct folding_shape {
  io::dtype takes;
  std::vector<result_field> fields;
  std::string use;            ///< as the user wrote it, for errors
  bool needs_values = false;  ///< an empty input is an error, although the operator has an identity
  bool takes_initial = true;
};

/// The common base of all operators: their stream and error messages.
template <class Op, class Elements>
class streaming_folding : public folding {
 public:
  using T = typename Elements::element;
  using A = accumulator_t<Op, T>;

  streaming_folding(Op op, folding_shape shape, std::optional<A> initial,
                    folding_settings const& settings)
      : shape_(std::move(shape)),
        from_end_(settings.from_end),
        in_piece_(settings.of_piece != piece::none && !settings.scans),
        rows_before_(settings.rows_before),
        stream_(std::move(op), std::move(initial), settings, shape_.use, shape_.takes) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return shape_.takes; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return shape_.fields;
  }

  void restart(std::uint64_t first_row) override {
    first_row_ = first_row + rows_before_;
    stream_.restart(first_row_);
    if (in_piece_) first_row_ = 0;
  }
  void number(std::span<std::uint64_t const> rows) override {
    numbers_ = rows;
    numbered_from_ = stream_.position();
  }
  void reduce(std::span<io::typed_column const> values) override {
    stream_.reduce(Elements::of(values, elements_));
  }
  [[nodiscard]] bool has_result() const noexcept override {
    return !shape_.needs_values || stream_.has_initial() || !stream_.empty();
  }
  void save(saved_state& to) const override {
    put(to, first_row_);
    stream_.save(to);
  }
  void load(saved_reader& from) override {
    restart(from.take<std::uint64_t>() - rows_before_);
    stream_.load(from);
  }
  [[nodiscard]] std::uint64_t position() const noexcept override { return stream_.position(); }
  void place(std::uint64_t position) override { stream_.restart(position); }
  [[nodiscard]] bool takes_piece(piece of) const noexcept override {
    return of == piece::in_place || is_exact<Op, A>;
  }
  void save_part(saved_state& to) const override { stream_.save_part(to); }
  void join_part(saved_reader& from) override {
    stream_.join_part(from);
    first_row_ = 0;
  }

 protected:
  template <class Out>
  void scan_into(scan_kind kind, std::span<io::typed_column const> values, std::span<Out> out) {
    if constexpr (!first_has_value)
      if (kind == scan_kind::exclusive && !stream_.has_initial() && stream_.empty())
        throw io::usage_error(fmt::format(
            "{}: the first result of an exclusive scan is undefined; give --init.", shape_.use));
    stream_.scan(kind, Elements::of(values, elements_), out);
  }

  /// The result of all values, before it is divided into fields.
  [[nodiscard]] auto reduced() {
    if (!has_result())
      throw io::data_error(fmt::format("{}: there are no values and hence no result; give {}.",
                                       shape_.use,
                                       shape_.takes_initial ? "--init" : "at least one value"));
    return stream_.reduced();
  }
  /// See value_stream.
  template <class F>
  bool each_block(F const& f) const {
    return stream_.each_block(f);
  }
  /// The result of all values scanned so far.
  [[nodiscard]] auto scanned() const { return stream_.scanned(); }
  /// The row number of the value at position `index`. If rows are numbered, the value must be one
  /// of the latest call.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t index) const noexcept {
    if (!numbers_.empty()) return numbers_[index - numbered_from_] + rows_before_;
    return from_end_ ? first_row_ - index : first_row_ + index;
  }
  /// True if row_of(index) is no longer known.
  [[nodiscard]] bool is_past(std::uint64_t index) const noexcept {
    return !numbers_.empty() && index - numbered_from_ >= numbers_.size();
  }

 private:
  /// False for an operator without identity, and for first and last, whose identity holds no value.
  static constexpr bool first_has_value =
      monoid_over<Op, A> && !requires(A const& a) { a.has_value(); };

  folding_shape shape_;
  bool from_end_, in_piece_;
  std::uint64_t rows_before_;
  value_stream<T, Op> stream_;
  std::uint64_t first_row_ = 0;             // of the value at position 0
  std::span<std::uint64_t const> numbers_;  // row numbers of the latest values
  std::uint64_t numbered_from_ = 0;         // position of the first of those values
  std::vector<T> elements_;
};

/// Results that are a single number of type Out, from one column.
template <class Op, class Elements, class Out>
class number_folding final : public streaming_folding<Op, Elements> {
 public:
  using streaming_folding<Op, Elements>::streaming_folding;

  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    if (results[0].type() == wide_.type())
      return this->scan_into(kind, values, results[0].template extend<Out>(values[0].size()));
    wide_.clear();
    this->scan_into(kind, values, wide_.template extend<Out>(values[0].size()));
    results[0].append(wide_.view());
  }
  void result(std::span<column_buffer> results) override {
    results[0].push(static_cast<Out>(this->reduced()));
  }

 private:
  column_buffer wide_{dynamic::dtype_of<Out>};
};

/// Results that are row numbers: argmin and similar. -1 means no row. A value of an earlier call
/// can only be the result if it was the result then, so only that row is remembered.
template <class Op, class Elements>
class row_folding final : public streaming_folding<Op, Elements> {
 public:
  using streaming_folding<Op, Elements>::streaming_folding;

  void reduce(std::span<io::typed_column const> values) override {
    streaming_folding<Op, Elements>::reduce(values);
    best_ = row(this->reduced().index);
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    rows_.resize(values[0].size());
    this->scan_into(kind, values, std::span(rows_));
    auto const out = results[0].template extend<std::int64_t>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = row(rows_[i]);
    if (!rows_.empty()) best_ = row(this->scanned().index);
  }
  void result(std::span<column_buffer> results) override {
    auto const index = this->reduced().index;
    results[0].push(index == no_index ? std::int64_t{-1} : best_);
  }
  void save(saved_state& to) const override {
    streaming_folding<Op, Elements>::save(to);
    put(to, best_);
  }
  void load(saved_reader& from) override {
    streaming_folding<Op, Elements>::load(from);
    best_ = from.take<std::int64_t>();
  }
  void save_part(saved_state& to) const override {
    streaming_folding<Op, Elements>::save_part(to);
    put(to, best_);
  }
  void join_part(saved_reader& from) override {
    bool const had = this->position() > 0 && this->has_result();
    auto const before = had ? this->reduced().index : no_index;
    streaming_folding<Op, Elements>::join_part(from);
    auto const later = from.take<std::int64_t>();
    if (!had || this->reduced().index != before) best_ = later;
  }

 private:
  [[nodiscard]] std::int64_t row(std::size_t index) const {
    if (index == no_index) return -1;
    return this->is_past(index) ? best_ : static_cast<std::int64_t>(this->row_of(index));
  }
  std::int64_t best_ = -1;
  std::vector<std::size_t> rows_;
};

/// The same for operators that have vector kernels for narrow integers, which are not widened.
template <class F>
decltype(auto) with_kernel_type(io::dtype type, F&& f) {
  return dispatch(io::is_integer(type) ? type : compute_type(type), [&]<class T>() {
    using Met = std::conditional_t<detail::is_narrow_float<T> || std::is_same_v<T, bool>, float,
                                   T>;  // bool and narrow floats do not occur here
    return f.template operator()<Met>();
  });
}

/// --init, parsed as a value of `type` and converted to T.
template <class T>
std::optional<T> initial_number(folding_settings const& settings, io::dtype type) {
  if (!settings.initial) return {};
  std::byte value[16];
  io::parse_option_number(*settings.initial, type, value, "--init");
  column_buffer number(dynamic::dtype_of<T>);
  number.append({type, std::span<std::byte const>(value, size_of(type))});
  return number.view().template as<T>()[0];
}

inline void expect_integers(operator_use const& use, io::dtype type) {
  if (io::is_float(type))
    throw io::usage_error(fmt::format(
        "{}: takes integers, but the values are {}; choose an integer type with --dtype.", use.name,
        name_of(type)));
}

/// The `folding` of an operator that takes numbers T and gives one number Out, written as type
/// `gives`.
template <class T, class Out, class Op>
std::unique_ptr<folding> make_number_folding(Op op, operator_use const& use, io::dtype gives,
                                             folding_settings const& settings,
                                             bool needs_values = false) {
  using A = accumulator_t<Op, T>;
  using Initial = std::conditional_t<std::is_arithmetic_v<A>, A,
                                     T>;  // the initial value of a narrow sum is wide
  io::dtype const reads =
      std::is_integral_v<T> && !std::is_integral_v<Out> ? dynamic::dtype_of<T> : gives;
  std::optional<A> initial;
  if (auto const x = initial_number<Initial>(settings, reads))
    initial.emplace(detail::lift(op, *x, 0));
  folding_shape shape{dynamic::dtype_of<T>, {{use.name, gives}}, use.name, needs_values};
  return std::make_unique<number_folding<Op, plain_elements<T>, Out>>(
      std::move(op), std::move(shape), std::move(initial), settings);
}

}  // namespace upsweep::cli
