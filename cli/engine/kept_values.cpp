/// Operators that need all values at once: distinct, mode, median, quantile:Q, largest:K and
/// smallest:K.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/gapless_rows.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Keeps each number once: whenever there are twice as many as were left the last time, they are
/// sorted and the repeated ones dropped. -0 and 0 are one number, and all NaNs are.
class distinct_aggregate final : public aggregate {
 public:
  distinct_aggregate(io::dtype takes, aggregate_settings const& settings)
      : aggregate(takes, {{"distinct", io::dtype::u64}}), on_{.threads = settings.threads} {}

  void initialize(std::uint64_t /*first_row*/) override {
    values_.clear();
    limit_ = least;
  }
  void update(std::span<io::typed_column const> values) override {
    with_compute_type(takes(), [&]<class T>() {
      for (T const x : values[0].as<T>()) {
        values_.push_back(key(x));
        if (values_.size() == limit_) {
          drop_repeated();
          limit_ = std::max(least, 2 * values_.size());
        }
      }
    });
  }
  void finalize(std::span<column_buffer> results) override {
    drop_repeated();
    results[0].push(static_cast<std::uint64_t>(values_.size()));
  }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void serialize(saved_state& to) const override {
    put_counted(to, std::span<std::uint64_t const>(values_));
  }
  void combine(saved_reader& from) override {
    std::size_t const had = values_.size(), later = from.take_count(sizeof(std::uint64_t));
    values_.resize(had + later);
    from.take(std::as_writable_bytes(std::span(values_).subspan(had)));
    drop_repeated();
    limit_ = std::max(least, 2 * values_.size());
  }

 private:
  static constexpr std::size_t least = 1024;

  template <class T>
  static std::uint64_t key(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(x);
    if (std::isnan(x)) return ~std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : static_cast<double>(x));
  }
  void drop_repeated() {
    auto* const x = values_.data();
    dynamic::sort(on_, io::dtype::u64, x, values_.size(), false, x);
    values_.resize(dynamic::unique(on_, io::dtype::u64, x, values_.size(), x, values_.size()));
  }

  cpu on_;
  std::vector<std::uint64_t> values_;
  std::size_t limit_ = least;
};

/// The most frequent value, of several the smallest. -0 and 0 are one number, and all NaNs are.
template <class T>
class mode_aggregate final : public aggregate {
 public:
  mode_aggregate(std::string name, io::dtype gives, aggregate_settings const& settings)
      : aggregate(dynamic::dtype_of<T>, {{std::move(name), gives}}),
        on_{.threads = settings.threads} {}

  void initialize(std::uint64_t /*first_row*/) override { values_.clear(); }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) values_.push_back(one_of_equals(x));
  }
  [[nodiscard]] bool has_result() const noexcept override { return !values_.empty(); }
  void finalize(std::span<column_buffer> results) override {
    if (values_.empty())
      throw io::data_error(
          "mode: there are no values and hence no result; give at least one value.");
    dynamic::sort(on_, takes(), values_.data(), values_.size(), false, values_.data());
    std::size_t best = 0, most = 0;
    for (std::size_t first = 0, end = 0; first < values_.size(); first = end) {
      while (end < values_.size() && std::memcmp(&values_[first], &values_[end], sizeof(T)) == 0)
        ++end;
      if (end - first > most) best = first, most = end - first;
    }
    results[0].append(io::as_column(takes(), std::span<T const>(&values_[best], 1)));
  }

 private:
  cpu on_;
  std::vector<T> values_;
};

/// Of numbers in f64, whose order is that of the original ones, or of integers of 64 bits, which
/// are rounded after interpolation.
class quantiles_aggregate final : public aggregate {
 public:
  quantiles_aggregate(std::vector<operator_use> const& uses, io::dtype type,
                      aggregate_settings const& settings)
      : aggregate(type, fields_of(uses, type)), on_{.threads = settings.threads}, values_(type) {
    for (auto const& use : uses) {
      refuse_settings(use.name, "f64", settings);
      std::string const option = "--op " + use.name + ":" + use.parameter;
      bool const is_place = is(use.id, trait::at_rank);
      places_.push_back(is_place ? parse_place(use.parameter, option) : 0);
      largest_.push_back(use.id == tool_operator("largest"));
      double q = 0.5;
      if (!use.parameter.empty() && !is_place)
        io::parse_option_number(use.parameter, io::dtype::f64, &q, "--op quantile");
      if (!(q >= 0 && q <= 1))
        throw io::usage_error(
            fmt::format("{}: it must be from 0 to 1; divide percentiles by 100.", option));
      ranks_.push_back(q);
    }
  }

  void initialize(std::uint64_t /*first_row*/) override { values_.clear(); }
  void update(std::span<io::typed_column const> values) override { values_.append(values[0]); }
  [[nodiscard]] bool has_result() const noexcept override { return values_.size() > 0; }
  [[nodiscard]] io::typed_column filled() const noexcept override { return filled_.view(); }
  void finalize(std::span<column_buffer> results) override {
    auto const values = values_.view();
    if (values.size() == 0)
      throw io::data_error(
          fmt::format("{}: there are no values and hence no result; give at least one value.",
                      fields()[0].name));
    std::vector<double> found(ranks_.size());
    dynamic::quantiles(on_, values.type, values.bytes.data(), values.size(), ranks_.data(),
                       ranks_.size(), found.data());
    auto const most = std::min(std::ranges::max(places_), values.size());
    auto const highest = first(true, most), lowest = first(false, most);
    filled_.clear();
    for (std::size_t f = 0; f < results.size(); ++f) {
      std::size_t const place = places_[f];
      filled_.push(place <= most);
      if (place == 0)
        results[f].push(found[f]);
      else if (place > most)
        append_zeros(results[f], 1);
      else
        results[f].append(slice((largest_[f] ? highest : lowest).view(), place - 1, 1));
    }
  }

 private:
  static std::vector<result_field> fields_of(std::vector<operator_use> const& uses,
                                             io::dtype type) {
    std::vector<result_field> all;
    for (auto const& use : uses)
      all.push_back({use.written(), is(use.id, trait::at_rank) ? type : io::dtype::f64});
    return all;
  }
  /// The largest or the smallest values.
  [[nodiscard]] column_buffer first(bool largest, std::size_t count) const {
    auto const values = values_.view();
    column_buffer found(values.type);
    found.resize(count);
    dynamic::top(on_, values.type, values.bytes.data(), values.size(), largest, found.bytes(),
                 count);
    return found;
  }

  cpu on_;
  std::vector<double> ranks_;
  std::vector<std::size_t> places_;  // of each field: K of largest and smallest, otherwise 0
  std::vector<bool> largest_;
  column_buffer values_, filled_{io::dtype::boolean};
};

}  // namespace

std::unique_ptr<aggregate> make_mode(operator_use const& use, io::dtype type,
                                     aggregate_settings const& settings) {
  io::dtype const gives = io::is_float(type) ? compute_type(type) : type;
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<aggregate> {
    return std::make_unique<mode_aggregate<T>>(use.name, gives, settings);
  });
}

std::unique_ptr<aggregate> make_distinct(operator_use const& use, io::dtype type,
                                         aggregate_settings const& settings) {
  if (settings.scans) return make_rank(use, type, settings);
  return std::make_unique<distinct_aggregate>(compute_type(type), settings);
}

std::size_t parse_place(std::string const& text, std::string const& option) {
  std::uint64_t place = 0;
  io::parse_option_number(text, io::dtype::u64, &place, option);
  if (place == 0 || place > 1000)
    throw io::usage_error(fmt::format("{}: it must be from 1 to 1000.", option));
  return static_cast<std::size_t>(place);
}

std::unique_ptr<aggregate> make_quantiles(std::vector<operator_use> const& uses, io::dtype type,
                                          aggregate_settings const& settings) {
  auto const computed = compute_type(type);
  return std::make_unique<quantiles_aggregate>(
      uses, io::is_integer(computed) ? computed : io::dtype::f64, settings);
}

}  // namespace upsweep::cli
