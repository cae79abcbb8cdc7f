/// geometric-mean, harmonic-mean and rms: the sum of a function of the values.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
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

namespace {

/// Means of prefixes of which some numbers are multiplied by a power of two first, because their
/// squares or reciprocals leave the range of double. It begins with the first of these.
template <class Function>
class wide_means {
 public:
  /// Of the numbers `x` and those before them, which are `count` and have the sum `sum()`.
  template <class Sum>
  void scan(scan_kind kind, std::span<double const> x, std::uint64_t count, Sum const& sum) {
    if constexpr (may_leave_range) {
      if (!stream_ && std::ranges::all_of(x, detail::needs_no_scale<mean, double>)) return;
      if (!stream_) begin(count, sum);
      totals_.resize(x.size());
      if (kind == scan_kind::inclusive)
        stream_->inclusive(x, totals_);
      else
        stream_->exclusive(x, totals_);
    }
  }
  void clear() { stream_.reset(); }
  void save(saved_state& to, std::uint64_t count) const {
    put(to, stream_.has_value());
    if constexpr (may_leave_range)
      for_each_block(stream_ ? count : 0, [&](int k) { put(to, stream_->block_total(k)); });
  }
  void load(saved_reader& from, std::uint64_t count) {
    clear();
    if (from.take<bool>()) stream_.emplace();
    if constexpr (may_leave_range)
      for_each_block(stream_ ? count : 0,
                     [&](int k) { stream_->append_block(k, from.take<total>()); });
  }
  /// The mean of the numbers so far, whose plain sum is `sum`, which is kept where it is in range.
  [[nodiscard]] double of_all(double sum, std::uint64_t count) const {
    if constexpr (may_leave_range)
      if (stream_ && is_out_of_range(sum)) return mean_of(stream_->result());
    return mean{}.finish({sum, count});
  }
  /// The same of result `i` of the latest scan.
  [[nodiscard]] double of_prefix(std::size_t i, double sum, std::uint64_t count) const {
    if constexpr (may_leave_range)
      if (stream_ && is_out_of_range(sum)) return mean_of(totals_[i]);
    return mean{}.finish({sum, count});
  }

 private:
  using mean = mean_of_function<Function>;
  using operation = wide_range<mean>;
  using total = wide_state<mean, mean_sum>;
  static constexpr bool may_leave_range = requires { detail::scaling<mean>::step; };

  static bool is_out_of_range(double sum) {
    double const size = std::fabs(sum);
    return !(size >= 0x1p-900 && size < detail::infinity<double>);
  }
  template <class Sum>
  void begin(std::uint64_t count, Sum const& sum) {
    stream_.emplace();
    double first = count > 0 ? sum() : 0;
    for_each_block(count, [&](int k) {
      mean_sum const block{std::exchange(first, 0), std::uint64_t{1} << k};
      stream_->append_block(k, block.sum == 0 ? total{block} : total{block, 0});
    });
  }
  /// Calls f(k) for each aligned block of 2^k numbers, from the first on.
  template <class F>
  static void for_each_block(std::uint64_t count, F const& f) {
    for (; count > 0; count ^= std::bit_floor(count))
      f(static_cast<int>(std::bit_width(count)) - 1);
  }

  struct none {};
  std::optional<std::conditional_t<may_leave_range, scan_stream<double, operation, serial>, none>>
      stream_;
  std::vector<total> totals_;
};

/// Sums with the operator that `sum` is, and finishes as the library's operator `Mean` does.
template <class Function>
class transformed_mean final : public aggregate {
 public:
  transformed_mean(std::string name, std::unique_ptr<aggregate> sum)
      : aggregate(io::dtype::f64, {{std::move(name), io::dtype::f64}}), sum_(std::move(sum)) {}

  void initialize(std::uint64_t first_row) override {
    sum_->initialize(first_row);
    count_ = 0;
    sum_so_far_ = 0;
    wide_.clear();
  }
  void update(std::span<io::typed_column const> values) override {
    wide_.scan(scan_kind::inclusive, values[0].as<double>(), count_, [this] { return total(); });
    sum_->update(transformed(values));
    count_ += values[0].size();
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const n = values[0].size();
    wide_.scan(kind, values[0].as<double>(), count_, [this] { return sum_so_far_; });
    sum_->scan(kind, transformed(values), results);
    auto* const sums = reinterpret_cast<double*>(results[0].bytes()) + results[0].size() - n;
    std::uint64_t const first = count_ + (kind == scan_kind::inclusive ? 1 : 0);
    double const last =
        kind == scan_kind::inclusive ? 0 : Function::to(values[0].as<double>()[n - 1]);
    sum_so_far_ = sums[n - 1] + last;
    for (std::size_t i = 0; i < n; ++i) sums[i] = wide_.of_prefix(i, sums[i], first + i);
    count_ += n;
  }
  void finalize(std::span<column_buffer> results) override {
    results[0].push(wide_.of_all(total(), count_));
  }
  void save(saved_state& to) const override {
    put(to, count_);
    put(to, sum_so_far_);
    wide_.save(to, count_);
    sum_->save(to);
  }
  void load(saved_reader& from) override {
    count_ = from.take<std::uint64_t>();
    sum_so_far_ = from.take<double>();
    wide_.load(from, count_);
    sum_->load(from);
  }
  [[nodiscard]] std::uint64_t position() const noexcept override { return sum_->position(); }
  void place(std::uint64_t position) override { sum_->place(position); }
  [[nodiscard]] bool takes_piece(piece of) const noexcept override { return sum_->takes_piece(of); }
  void serialize(saved_state& to) const override {
    put(to, count_);
    sum_->serialize(to);
  }
  void combine(saved_reader& from) override {
    count_ += from.take<std::uint64_t>();
    sum_->combine(from);
  }

 private:
  std::vector<io::typed_column> transformed(std::span<io::typed_column const> values) {
    auto const x = values[0].as<double>();
    function_of_values_.clear();
    std::ranges::transform(x, function_of_values_.extend<double>(x.size()).begin(), Function::to);
    return {function_of_values_.view()};
  }
  [[nodiscard]] double total() {
    column_buffer sum(io::dtype::f64);
    sum_->finalize(std::span(&sum, 1));
    return sum.view().as<double>()[0];
  }
  std::unique_ptr<aggregate> sum_;
  wide_means<Function> wide_;
  double sum_so_far_ = 0;  // of a scan
  std::uint64_t count_ = 0;
  column_buffer function_of_values_{io::dtype::f64};
};

}  // namespace

std::unique_ptr<aggregate> make_transformed_mean(operator_use const& use, io::dtype /*type*/,
                                                 aggregate_settings const& settings) {
  auto sum = make_streamed(catalog::id::sum, use, io::dtype::f64, settings);
  if (use.id == tool_operator("geometric-mean"))
    return std::make_unique<transformed_mean<detail::logarithm>>(use.name, std::move(sum));
  if (use.id == tool_operator("harmonic-mean"))
    return std::make_unique<transformed_mean<detail::reciprocal>>(use.name, std::move(sum));
  return std::make_unique<transformed_mean<detail::square>>(use.name, std::move(sum));
}

}  // namespace upsweep::cli
