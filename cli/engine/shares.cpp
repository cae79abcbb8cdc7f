/// share and cumulative-share: values and running sums, divided by the sum of the group.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/integer_quotient.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <upsweep/core/number_types.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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

}  // namespace

std::unique_ptr<aggregate> make_share(operator_use const& use, io::dtype type,
                                      aggregate_settings const& settings) {
  bool const cumulative = use.id == tool_operator("cumulative-share");
  if (type == io::dtype::i64)
    return std::make_unique<share_of_integers<std::int64_t>>(use.name, cumulative);
  if (type == io::dtype::u64)
    return std::make_unique<share_of_integers<std::uint64_t>>(use.name, cumulative);
  return std::make_unique<share_aggregate>(use.name, cumulative, [&] {
    return make_streamed(catalog::id::sum, use, io::dtype::f64, settings);
  });
}

}  // namespace upsweep::cli
