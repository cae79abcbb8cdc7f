/// Operators that look ahead, because the result of a row depends on later ones of its group: share
/// and cumulative-share, interpolate, rank, dense-rank, percent-rank, row-number, ntile, and how
/// many different values there are so far.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/core/line_between.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/host/executor.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Divides by the sum. Where that or a running sum leaves the range of double, both are sums of the
/// values times a power of two, which cancels.
class share_aggregate final : public aggregate {
 public:
  template <class Make>
  share_aggregate(std::string name, bool cumulative, Make const& make_sum)
      : aggregate(io::dtype::f64, {{std::move(name), io::dtype::f64}}),
        total_(make_sum()),
        small_total_(make_sum()),
        running_(cumulative ? make_sum() : nullptr),
        small_running_(cumulative ? make_sum() : nullptr) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t first_row) override {
    for (auto const& each : {&total_, &small_total_, &running_, &small_running_})
      if (*each) (*each)->initialize(first_row);
    has_large_ = false;
  }
  void update(std::span<io::typed_column const> values) override {
    total_->update(values);
    for (double const x : values[0].as<double>()) has_large_ |= !(std::fabs(x) < 0x1p900);
    small_total_->update(made_small(values));
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    if (running_)
      running_->scan(kind, values, results);
    else
      results[0].append(values[0]);
    auto* const share = reinterpret_cast<double*>(results[0].bytes()) + results[0].size() - n;
    double const sum = result_of(*total_);
    column_buffer small(io::dtype::f64);
    if (has_large_) {
      auto const scaled = made_small(values);
      if (running_)
        small_running_->scan(kind, scaled, std::span(&small, 1));
      else
        small.append(scaled[0]);
    }
    double const small_sum = has_large_ ? result_of(*small_total_) : 0;
    for (std::size_t i = 0; i < n; ++i) {
      bool const is_in_range = std::isfinite(sum) && std::isfinite(share[i]);
      share[i] = is_in_range ? share[i] / sum : small.view().as<double>()[i] / small_sum;
    }
  }

 private:
  static double result_of(aggregate& of) {
    column_buffer result(io::dtype::f64);
    of.finalize(std::span(&result, 1));
    return result.view().as<double>()[0];
  }
  /// The values times a power of two such that no sum of them leaves the range.
  std::vector<io::typed_column> made_small(std::span<io::typed_column const> values) {
    auto const x = values[0].as<double>();
    small_values_.clear();
    std::ranges::transform(x, small_values_.extend<double>(x.size()).begin(),
                           [](double value) { return value * 0x1p-64; });
    return {small_values_.view()};
  }
  std::unique_ptr<aggregate> total_, small_total_, running_, small_running_;
  bool has_large_ = false;  // values whose sum may leave the range
  column_buffer small_values_{io::dtype::f64};
};

/// The same of integers of 64 bits, whose sums are exact: only a share is rounded.
template <class T>
class share_of_integers final : public aggregate {
 public:
  share_of_integers(std::string name, bool cumulative)
      : aggregate(dynamic::dtype_of<T>, {{std::move(name), io::dtype::f64}}),
        cumulative_(cumulative) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t /*first_row*/) override { total_ = running_ = 0; }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) total_ += x;
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    auto const out = results[0].extend<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      running_ += x[i];
      out[i] = integer_quotient(cumulative_ ? running_ : int128{x[i]}, total_);
    }
  }

 private:
  bool cumulative_;
  int128 total_ = 0, running_ = 0;
};

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
class interpolation final : public gap_filling_aggregate {
 public:
  explicit interpolation(std::string name)
      : gap_filling_aggregate(io::dtype::f64, {{std::move(name), io::dtype::f64}}) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t /*first_row*/) override {
    known_.clear();
    rows_ = scanned_ = next_ = 0;
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
            "{}: the value {} is beyond 2^53, and f64, the type of the results, would round it; "
            "subtract a constant from the values first, or give --dtype f64 to round them.",
            fields()[0].name, values[i]);
  }
  [[nodiscard]] std::span<double const> y() const { return y_.view().as<double>(); }
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

  column_buffer y_{io::dtype::f64};
  std::vector<point> known_;
  std::uint64_t rows_ = 0, scanned_ = 0;
  std::size_t next_ = 0;  // how many known values are in rows up to this one
};

/// What is made of the order of the values, by the names of the operators.
enum class order_result : std::uint8_t { rank, dense, percent, row, tile, distinct };
order_result order_result_of(std::string_view name) {
  using enum order_result;
  return name == "dense-rank"     ? dense
         : name == "percent-rank" ? percent
         : name == "row-number"   ? row
         : name == "ntile"        ? tile
         : name == "distinct"     ? distinct
                                  : rank;
}

/// Sorts the values that reduce() has shown when scan() asks for the first result. -0 and 0 are
/// one number, NaNs are one, the largest.
template <class T>
class rank_aggregate final : public aggregate {
 public:
  rank_aggregate(operator_use const& use, bool descends, std::uint64_t tiles,
                 aggregate_settings const& settings)
      : aggregate(dynamic::dtype_of<T>,
                  {{use.written(), use.name == "percent-rank" ? io::dtype::f64 : io::dtype::u64}}),
        what_(order_result_of(use.name)),
        descends_(descends),
        tiles_(tiles),
        on_{.threads = settings.threads} {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t /*first_row*/) override {
    values_.clear();
    ranks_.clear();
    next_ = 0;
  }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) values_.push_back(one_of_equals(x));
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    if (ranks_.empty()) rank_all();
    std::size_t const n = values[0].size();
    if (what_ == order_result::percent) {
      auto const out = results[0].extend<double>(n);
      auto const others = static_cast<double>(std::max<std::size_t>(ranks_.size(), 2) - 1);
      for (double& percent : out) percent = static_cast<double>(ranks_[next_++] - 1) / others;
    } else {
      auto const out = results[0].extend<std::uint64_t>(n);
      std::copy_n(ranks_.begin() + static_cast<std::ptrdiff_t>(next_), n, out.begin());
      next_ += n;
    }
  }

 private:
  static bool equal(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a)) return std::isnan(b);
    return a == b;
  }

  void rank_all() {
    std::size_t const n = values_.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    dynamic::sort_by_key(on_, takes(), values_.data(), dynamic::dtype_of<std::size_t>, order.data(),
                         n, descends_);
    ranks_.resize(n);
    std::uint64_t different = 0;
    for (std::size_t first = 0, end = 0; first < n; first = end) {
      while (end < n && equal(values_[first], values_[end])) ++end;
      ++different;
      for (std::size_t i = first; i < end; ++i) ranks_[order[i]] = rank(i, first, different);
    }
    if (what_ == order_result::distinct)
      std::partial_sum(ranks_.begin(), ranks_.end(), ranks_.begin());
  }
  /// The rank of value i in sorted order. Its group of equal values begins at index `first` and has
  /// the number `different`.
  [[nodiscard]] std::uint64_t rank(std::size_t i, std::size_t first,
                                   std::uint64_t different) const {
    if (what_ == order_result::distinct)
      return i == first ? 1 : 0;  // the first in the order of rows
    if (what_ == order_result::dense) return different;
    if (what_ == order_result::row) return i + 1;
    if (what_ == order_result::tile) return tile(i);
    return first + 1;
  }
  /// As in SQL: the first tiles have one value more, if the values cannot be divided evenly.
  [[nodiscard]] std::uint64_t tile(std::uint64_t i) const {
    std::uint64_t const size = values_.size() / tiles_, larger = values_.size() % tiles_;
    std::uint64_t const in_larger = larger * (size + 1);
    return 1 + (i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size);
  }

  order_result what_;
  bool descends_;
  std::uint64_t tiles_;
  cpu on_;
  std::vector<T> values_;
  std::vector<std::uint64_t> ranks_;  // of each value, in the order of the rows
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<aggregate> make_share(operator_use const& use, io::dtype type,
                                      aggregate_settings const& settings) {
  bool const cumulative = use.name == "cumulative-share";
  if (type == io::dtype::i64)
    return std::make_unique<share_of_integers<std::int64_t>>(use.name, cumulative);
  if (type == io::dtype::u64)
    return std::make_unique<share_of_integers<std::uint64_t>>(use.name, cumulative);
  return std::make_unique<share_aggregate>(use.name, cumulative, [&] {
    return make_streamed(catalog::id::sum, use, io::dtype::f64, settings);
  });
}

std::unique_ptr<aggregate> make_interpolation(operator_use const& use, io::dtype /*type*/,
                                              aggregate_settings const& /*settings*/) {
  return std::make_unique<interpolation>(use.name);
}

std::unique_ptr<aggregate> make_rank(operator_use const& use, io::dtype type,
                                     aggregate_settings const& settings) {
  std::string const name = use.written();
  std::string_view rest = use.parameter;
  bool const descends = rest.ends_with("descending");
  if (descends) rest.remove_suffix(std::min<std::size_t>(rest.size(), 11));  // and the ':'
  std::uint64_t tiles = 1;
  if (use.name == "ntile")
    io::parse_option_number(std::string(rest), io::dtype::u64, &tiles, "--op " + name);
  if (tiles == 0) throw io::usage_error("--op {}: there must be at least one tile.", name);
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<aggregate> {
    return std::make_unique<rank_aggregate<T>>(use, descends, tiles, settings);
  });
}

}  // namespace upsweep::cli
