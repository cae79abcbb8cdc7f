/// How many different numbers a column has, and which of them is the most frequent.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/executor.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
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

}  // namespace upsweep::cli
