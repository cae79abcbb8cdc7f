/// interpolate: values for the rows between two that have one.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <upsweep/core/line_between.hpp>
#include <upsweep/core/number_types.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Where a value is: an integer, whose distances are exact, or a decimal.
struct location {
  bool is_integer = false;
  int128 integer = 0;
  double decimal = 0;

  [[nodiscard]] bool operator==(location const& other) const {
    return is_integer && other.is_integer ? integer == other.integer : decimal == other.decimal;
  }
};

/// (x - first) / (last - first).
double share_of_way(location const& first, location const& x, location const& last) {
  if (first.is_integer && x.is_integer && last.is_integer)
    return static_cast<double>(x.integer - first.integer) /
           static_cast<double>(last.integer - first.integer);
  return detail::share_of_way(first.decimal, x.decimal, last.decimal);
}

template <class T>
location location_of(T at) {
  if constexpr (std::is_integral_v<T>) return {true, at, static_cast<double>(at)};
  return {false, 0, static_cast<double>(at)};
}

/// On the line through the values before and after, over the numbers of the rows of the group or
/// over a second column.
class interpolation final : public aggregate {
 public:
  explicit interpolation(std::string name)
      : aggregate(io::dtype::f64, {{std::move(name), io::dtype::f64}}) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  [[nodiscard]] bool fills_gaps() const noexcept override { return true; }
  [[nodiscard]] io::typed_column filled() const noexcept override { return filled_.view(); }

  void initialize(std::uint64_t /*first_row*/) override {
    known_.clear();
    rows_ = scanned_ = next_ = 0;
  }
  void gaps(std::span<io::typed_column const> present) override {
    present_.assign(present.begin(), present.end());
  }
  void update(std::span<io::typed_column const> values) override {
    take(values);
    for (std::size_t i = 0; i < values[0].size(); ++i, ++rows_)
      if (has(0, i) && has(1, i)) known_.push_back({at(i, values, rows_), y()[i]});
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    take(values);
    filled_.clear();
    auto const out = results[0].extend<double>(n);
    auto const is_there = filled_.extend<bool>(n);
    for (std::size_t i = 0; i < n; ++i, ++scanned_) {
      bool const is_known = has(0, i), has_position = has(1, i);
      if (is_known && has_position) ++next_;
      bool const between = has_position && next_ > 0 && next_ < known_.size();
      is_there[i] = is_known || between;
      out[i] = is_known ? y()[i] : between ? between_known(at(i, values, scanned_)) : 0;
    }
  }

 private:
  struct point {
    location x;
    double y;
  };
  void take(std::span<io::typed_column const> values) {
    if (values[0].type == io::dtype::i64) expect_exact(values[0].as<std::int64_t>());
    if (values[0].type == io::dtype::u64) expect_exact(values[0].as<std::uint64_t>());
    y_.clear();
    y_.append(values[0]);
  }
  /// A known value stays as it is.
  template <class T>
  void expect_exact(std::span<T const> values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (has(0, i) && static_cast<int128>(static_cast<double>(values[i])) != int128{values[i]})
        throw io::data_error(
            fmt::format("{}: the value {} is beyond 2^53, and f64, the type of the results, would "
                        "round it; subtract a constant from the values first, or give --dtype f64 "
                        "to round them.",
                        fields()[0].name, values[i]));
  }
  [[nodiscard]] std::span<double const> y() const { return y_.view().as<double>(); }
  [[nodiscard]] bool has(std::size_t column, std::size_t i) const {
    return column >= present_.size() || present_[column].as<bool>()[i];
  }
  /// Where row i of the call is, the one with this number in its group.
  [[nodiscard]] static location at(std::size_t i, std::span<io::typed_column const> values,
                                   std::uint64_t row) {
    if (values.size() == 1) return location_of(row);
    return dispatch(values[1].type, [&]<class T>() { return location_of(values[1].as<T>()[i]); });
  }
  [[nodiscard]] double between_known(location const& x) const {
    auto const& [x0, y0] = known_[next_ - 1];
    auto const& [x1, y1] = known_[next_];
    return x1 == x0 ? y0 : detail::on_line(y0, y1, share_of_way(x0, x, x1));
  }

  std::vector<io::typed_column> present_;
  column_buffer y_{io::dtype::f64};
  column_buffer filled_{io::dtype::boolean};
  std::vector<point> known_;
  std::uint64_t rows_ = 0, scanned_ = 0;
  std::size_t next_ = 0;  // how many known values are in rows up to this one
};

}  // namespace

std::unique_ptr<aggregate> make_interpolation(operator_use const& use, io::dtype /*type*/,
                                              aggregate_settings const& /*settings*/) {
  return std::make_unique<interpolation>(use.name);
}

}  // namespace upsweep::cli
