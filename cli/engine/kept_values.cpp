/// Operators that need all values at once: distinct, mode, trimmed-mean:P, median, quantile:Q,
/// largest:K and smallest:K.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/gapless_rows.hpp>
#include <cli/engine/texts.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/host/executor.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
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

/// Keeps all values of a column for operators that need them at once. Several operators of a
/// `family` share the values; `wanted` says what the results are.
template <class Wanted>
class kept_values : public aggregate {
 public:
  kept_values(std::string family, io::dtype takes, result_field field, Wanted wanted,
              aggregate_settings const& settings)
      : aggregate(takes, {std::move(field)}),
        on_{.threads = settings.threads},
        values_(takes),
        family_(std::move(family)) {
    wanted_.push_back(std::move(wanted));
  }

  bool absorb(aggregate& other) final {
    auto* const same = dynamic_cast<kept_values*>(&other);
    if (same == nullptr || same->family_ != family_) return false;
    wanted_.push_back(std::move(same->wanted_[0]));
    add_field(same->fields()[0]);
    return true;
  }
  void initialize(std::uint64_t /*first_row*/) final { values_.clear(); }
  void update(std::span<io::typed_column const> values) override { values_.append(values[0]); }
  [[nodiscard]] bool has_result() const noexcept final { return values_.size() > 0; }
  void finalize(std::span<column_buffer> results) final {
    if (!has_result()) refuse_empty(this->fields()[0].name);
    store(results);
  }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept final { return true; }
  void serialize(saved_state& to) const final { values_.save(to); }
  void combine(saved_reader& from) final {
    column_buffer later(takes());
    later.load(from);
    values_.append(later.view());
  }

 protected:
  /// Appends the results. There is a value, and the order of the values may be changed.
  virtual void store(std::span<column_buffer> results) = 0;

  cpu on_;
  column_buffer values_;
  std::vector<Wanted> wanted_;  // of each field

 private:
  std::string family_;
};

/// A result from all values in ascending order, of which there is one at least. -0 and 0 are one
/// number, and all NaNs are one, the last.
template <class T>
using function_of_sorted = std::function<T(cpu const&, std::span<T const>)>;

template <class T>
class sorted_values final : public kept_values<function_of_sorted<T>> {
 public:
  using kept_values<function_of_sorted<T>>::kept_values;

  void update(std::span<io::typed_column const> values) override {
    std::ranges::transform(values[0].as<T>(), values_.template extend<T>(values[0].size()).begin(),
                           one_of_equals<T>);
  }

 private:
  using kept_values<function_of_sorted<T>>::values_;
  void store(std::span<column_buffer> results) override {
    auto const& on = this->on_;
    dynamic::sort(on, values_.type(), values_.bytes(), values_.size(), false, values_.bytes());
    for (std::size_t f = 0; f < results.size(); ++f)
      results[f].push(this->wanted_[f](on, values_.view().template as<T>()));
  }
};

/// An operator whose result is `f(on, sorted)`, of which `gives` is the type.
template <class T>
std::unique_ptr<aggregate> make_of_sorted(operator_use const& use, io::dtype gives,
                                          aggregate_settings const& settings,
                                          function_of_sorted<T> f) {
  return std::make_unique<sorted_values<T>>(
      use.name, dynamic::dtype_of<T>, result_field{use.written(), gives}, std::move(f), settings);
}

/// A quantile, or a value by its rank among the largest or the smallest.
struct wanted_value {
  double quantile = 0;
  std::size_t place = 0;  ///< from 1; 0: a quantile
  bool is_largest = false;
};

/// Selects, which is faster than to sort. Of numbers in f64, whose order is that of the original
/// ones, or of integers of 64 bits, which are rounded after interpolation.
class selected_values final : public kept_values<wanted_value> {
 public:
  using kept_values::kept_values;

  [[nodiscard]] io::typed_column filled() const noexcept override { return filled_.view(); }

 private:
  void store(std::span<column_buffer> results) override {
    auto const values = values_.view();
    std::vector<double> ranks;
    std::size_t most = 0;
    for (auto const& wanted : wanted_) {
      if (wanted.place == 0) ranks.push_back(wanted.quantile);
      most = std::max(most, std::min(wanted.place, values.size()));
    }
    std::vector<double> found(ranks.size());
    dynamic::quantiles(on_, values.type, values.bytes.data(), values.size(), ranks.data(),
                       ranks.size(), found.data());
    auto const highest = first(true, most), lowest = first(false, most);
    filled_.clear();
    for (std::size_t f = 0, q = 0; f < results.size(); ++f) {
      std::size_t const place = wanted_[f].place;
      filled_.push(place <= most);
      if (place == 0)
        results[f].push(found[q++]);
      else if (place > most)
        append_zeros(results[f], 1);
      else
        results[f].append(slice((wanted_[f].is_largest ? highest : lowest).view(), place - 1, 1));
    }
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

  column_buffer filled_{io::dtype::boolean};
};

std::unique_ptr<aggregate> make_selected(operator_use const& use, io::dtype type,
                                         aggregate_settings const& settings, wanted_value wanted) {
  io::dtype const computed = compute_type(type);
  io::dtype const takes = io::is_integer(computed) ? computed : io::dtype::f64;
  return std::make_unique<selected_values>(
      "selected", takes, result_field{use.written(), wanted.place > 0 ? takes : io::dtype::f64},
      wanted, settings);
}

}  // namespace

std::unique_ptr<aggregate> make_mode(operator_use const& use, io::dtype type,
                                     aggregate_settings const& settings) {
  io::dtype const gives = io::is_float(type) ? compute_type(type) : type;
  return with_compute_type(compute_type(type), [&]<class T>() {
    return make_of_sorted<T>(use, gives, settings, [](cpu const&, std::span<T const> x) {
      std::size_t best = 0, most = 0;
      for (std::size_t first = 0, end = 0; first < x.size(); first = end) {
        while (end < x.size() && std::memcmp(&x[first], &x[end], sizeof(T)) == 0) ++end;
        if (end - first > most) best = first, most = end - first;
      }
      return x[best];
    });
  });
}

std::unique_ptr<aggregate> make_quantile(operator_use const& use, io::dtype type,
                                         aggregate_settings const& settings) {
  double q = 0.5;
  if (!use.parameter.empty())
    io::parse_option_number(use.parameter, io::dtype::f64, &q, "--op quantile");
  if (!(q >= 0 && q <= 1))
    throw io::usage_error("--op {}: it must be from 0 to 1; divide percentiles by 100.",
                          use.written());
  return make_selected(use, type, settings, {.quantile = q});
}

std::unique_ptr<aggregate> make_at_rank(operator_use const& use, io::dtype type,
                                        aggregate_settings const& settings) {
  return make_selected(use, type, settings,
                       {.place = parse_place(use.parameter, "--op " + use.written()),
                        .is_largest = use.name == "largest"});
}

std::unique_ptr<aggregate> make_trimmed_mean(operator_use const& use, io::dtype /*type*/,
                                             aggregate_settings const& settings) {
  std::string const option = "--op " + use.written();
  double percent = 0;
  io::parse_option_number(use.parameter, io::dtype::f64, &percent, option);
  if (!(percent >= 0 && percent < 50))
    throw io::usage_error("{}: the percent to leave out at each end must be from 0 to below 50.",
                          option);
  return make_of_sorted<double>(
      use, io::dtype::f64, settings,
      [share = percent / 100](cpu const& on, std::span<double const> x) {
        if (std::isnan(x.back())) return x.back();
        auto const cut = static_cast<std::size_t>(share * static_cast<double>(x.size()));
        return dynamic::moments_over(on, x.subspan(cut, x.size() - 2 * cut)).mean;
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
  if (place == 0 || place > 1000) throw io::usage_error("{}: it must be from 1 to 1000.", option);
  return static_cast<std::size_t>(place);
}

}  // namespace upsweep::cli
