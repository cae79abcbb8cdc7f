/// window:W:OPERATOR, lag, lead and diff: results of a row and a few rows before or after it.
#include <cli/engine/dispatch.hpp>
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/windowed.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// The latest values, as many as a later row needs.
template <class T>
class recent_values {
 public:
  explicit recent_values(std::size_t most) : most_(most) {}
  void clear() { values_.clear(); }
  /// Appends values; those before them stay until keep_latest().
  void append(std::span<T const> values) {
    values_.insert(values_.end(), values.begin(), values.end());
  }
  void keep_latest() {
    if (values_.size() > most_)
      values_.erase(values_.begin(), values_.end() - static_cast<std::ptrdiff_t>(most_));
  }
  [[nodiscard]] std::span<T const> all() const { return values_; }
  void save(saved_state& to) const {
    put(to, values_.size());
    put_all(to, all());
  }
  void load(saved_reader& from) {
    values_.resize(from.take<std::size_t>());
    from.take(std::as_writable_bytes(std::span(values_)));
  }

 private:
  std::size_t most_;
  std::vector<T> values_;
};

/// The common part of operators that look back: scans of one column.
class looking_back : public folding {
 public:
  looking_back(io::dtype takes, result_field field) : takes_(takes), fields_{std::move(field)} {}
  [[nodiscard]] io::dtype takes() const noexcept override { return takes_; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void reduce(std::span<io::typed_column const> /*values*/) override { refuse(); }
  void result(std::span<column_buffer> /*results*/) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("window, lag, lead and diff: upsweep reduce refuses them");
  }
  io::dtype takes_;
  std::vector<result_field> fields_;
};

/// Each result has the bits of the reduction of its window alone. The first windows have fewer than
/// `width` rows.
template <class Op, class T, class Finish>
class window_folding final : public looking_back {
 public:
  using looking_back::looking_back;
  window_folding(std::size_t width, io::dtype takes, result_field field, Finish finish,
                 folding_settings const& settings)
      : looking_back(takes, std::move(field)),
        width_(width),
        finish_(finish),
        on_{.threads = settings.threads},
        recent_(width - 1) {}

  void restart(std::uint64_t /*first_row*/) override {
    recent_.clear();
    first_.reset();
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    totals_.resize(x.size());
    std::size_t const missing = width_ - 1 - recent_.all().size();
    std::size_t const partial = std::min(x.size(), missing);
    recent_.append(x);
    if (partial > 0) scan_first(x.first(partial));
    if (partial < x.size())
      upsweep::windowed(on_, recent_.all(), width_, std::span(totals_).subspan(partial), Op{});
    recent_.keep_latest();
    auto const out = results[0].template extend<decltype(finish_(totals_[0]))>(x.size());
    std::ranges::transform(totals_, out.begin(), finish_);
  }
  void save(saved_state& to) const override { recent_.save(to); }
  void load(saved_reader& from) override {
    recent_.load(from);
    first_.reset();
    if (auto const all = recent_.all(); all.size() < width_ - 1) scan_first(all);
  }

 private:
  using total = std::conditional_t<std::is_same_v<Op, moments>, moments_of, T>;
  /// The windows of the first rows, which begin with the first.
  void scan_first(std::span<T const> x) {
    if (!first_) first_.emplace(on_);
    totals_.resize(std::max(totals_.size(), x.size()));
    first_->inclusive(x, std::span(totals_).first(x.size()));
  }
  std::size_t width_;
  Finish finish_;
  cpu on_;
  recent_values<T> recent_;
  std::optional<scan_stream<T, Op>> first_;  // of the windows that are not full
  std::vector<total> totals_;
};

/// The value `distance` rows before, or the difference from it.
template <class T, bool difference>
class lag_folding final : public looking_back {
 public:
  lag_folding(std::size_t distance, T before, io::dtype takes, result_field field)
      : looking_back(takes, std::move(field)),
        distance_(distance),
        before_(before),
        recent_(distance) {}

  void restart(std::uint64_t /*first_row*/) override { recent_.clear(); }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    std::size_t const held = recent_.all().size();
    recent_.append(x);
    auto const all = recent_.all();
    auto const out = results[0].template extend<T>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      T const earlier = held + i < distance_ ? before_ : all[held + i - distance_];
      out[i] = difference ? minus(x[i], earlier) : earlier;
    }
    recent_.keep_latest();
  }
  void save(saved_state& to) const override { recent_.save(to); }
  void load(saved_reader& from) override { recent_.load(from); }

 private:
  /// Integers wrap.
  static T minus(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
      return a - b;
  }
  std::size_t distance_;
  T before_;
  recent_values<T> recent_;
};

/// The value `distance` rows after.
template <class T>
class lead_folding final : public looking_back {
 public:
  lead_folding(std::size_t distance, T behind, io::dtype takes, result_field field)
      : looking_back(takes, std::move(field)), distance_(distance), behind_(behind) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void restart(std::uint64_t /*first_row*/) override {
    all_.clear();
    row_ = 0;
  }
  void reduce(std::span<io::typed_column const> values) override {
    auto const x = values[0].as<T>();
    all_.insert(all_.end(), x.begin(), x.end());
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    for (T& later : results[0].template extend<T>(values[0].size()))
      later = all_.size() - row_ > distance_ ? all_[row_ + distance_] : behind_, ++row_;
  }

 private:
  std::size_t distance_;
  T behind_;
  std::vector<T> all_;
  std::size_t row_ = 0;
};

std::size_t number_of_rows(std::string const& text, std::string const& option) {
  std::uint64_t rows = 0;
  io::parse_option_number(text, io::dtype::u64, &rows, option);
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (rows == 0 || rows > most)
    throw io::usage_error(fmt::format("{}: the number of rows must be from 1 to 2^40.", option));
  return static_cast<std::size_t>(rows);
}

template <class Op, class T, class Finish>
std::unique_ptr<folding> window_of(std::size_t width, operator_use const& use, Finish finish,
                                   folding_settings const& settings) {
  using result = decltype(finish(std::conditional_t<std::is_same_v<Op, moments>, moments_of, T>{}));
  return std::make_unique<window_folding<Op, T, Finish>>(
      width, dynamic::dtype_of<T>,
      result_field{"window:" + use.parameter, dynamic::dtype_of<result>}, finish, settings);
}

std::unique_ptr<folding> moments_window(std::size_t width, std::string const& name,
                                        operator_use const& use, folding_settings const& settings) {
  auto const of = [&](auto finish) {
    return window_of<moments, double>(width, use, finish, settings);
  };
  if (name == "mean") return of([](moments_of const& m) { return m.mean; });
  if (name == "var") return of([](moments_of const& m) { return m.variance(); });
  if (name == "std") return of([](moments_of const& m) { return m.stddev(); });
  if (name == "sample-var") return of([](moments_of const& m) { return m.sample_variance(); });
  if (name == "sample-std") return of([](moments_of const& m) { return m.sample_stddev(); });
  throw io::usage_error(fmt::format(
      "--op window:{}: windows have sum, product, min, max, mean, var, std, sample-var and "
      "sample-std.",
      use.parameter));
}

}  // namespace

std::unique_ptr<folding> make_window(operator_use const& use, io::dtype type,
                                     folding_settings const& settings) {
  refuse_initial("window", settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu("window", name_of(type));
  auto const colon = use.parameter.find(':');
  if (colon == std::string::npos)
    throw io::usage_error(
        fmt::format("--op window:{}: the operator is missing; write --op window:{}:mean.",
                    use.parameter, use.parameter));
  std::string const name = use.parameter.substr(colon + 1);
  std::size_t const width =
      number_of_rows(use.parameter.substr(0, colon), "--op window:" + use.parameter);
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<folding> {
    auto const same = [](T x) { return x; };
    if (name == "sum") return window_of<plus, T>(width, use, same, settings);
    if (name == "product") return window_of<multiplies, T>(width, use, same, settings);
    if (name == "min") return window_of<min, T>(width, use, same, settings);
    if (name == "max") return window_of<max, T>(width, use, same, settings);
    return moments_window(width, name, use, settings);
  });
}

std::unique_ptr<folding> make_lag(operator_use const& use, io::dtype type,
                                  folding_settings const& settings) {
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, name_of(type));
  std::string const option =
      "--op " + use.name + (use.parameter.empty() ? "" : ":" + use.parameter);
  std::size_t const distance = use.parameter.empty() ? 1 : number_of_rows(use.parameter, option);
  // Without a value for rows outside the table, the results are decimals, which have nan.
  io::dtype const computes = settings.initial                       ? compute_type(type)
                             : compute_type(type) == io::dtype::f32 ? io::dtype::f32
                                                                    : io::dtype::f64;
  std::string const name = option.substr(5);
  return with_compute_type(computes, [&]<class T>() -> std::unique_ptr<folding> {
    T outside = std::numeric_limits<T>::quiet_NaN();
    if (settings.initial) io::parse_option_number(*settings.initial, computes, &outside, "--init");
    result_field field{name, computes};
    if (use.id == only_here::lead)
      return std::make_unique<lead_folding<T>>(distance, outside, computes, std::move(field));
    if (use.id == only_here::diff)
      return std::make_unique<lag_folding<T, true>>(distance, outside, computes, std::move(field));
    return std::make_unique<lag_folding<T, false>>(distance, outside, computes, std::move(field));
  });
}

}  // namespace upsweep::cli
