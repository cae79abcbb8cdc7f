/// window:W:OPERATOR, lag, lead and diff: results of a row and a few rows before or after it.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/parameters.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/ops/describe.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Keeps the latest `n` values, which later rows need.
void keep_latest(column_buffer& values, std::size_t n) {
  if (values.size() <= n) return;
  column_buffer latest(values.type());
  latest.append(slice(values.view(), values.size() - n, n));
  values = std::move(latest);
}

/// Each result has the bits of the reduction of its window alone. The first windows have fewer than
/// `width` rows.
class window_aggregate final : public aggregate {
 public:
  window_aggregate(std::size_t width, window_operator op, std::string name,
                   aggregate_settings const& settings)
      : aggregate(op.takes, {{std::move(name), op.gives}}),
        width_(width),
        op_(op),
        on_{.threads = settings.threads},
        recent_(op.takes) {}

  void initialize(std::uint64_t /*first_row*/) override { recent_.clear(); }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size(), before = results[0].size();
    recent_.append(values[0]);
    results[0].resize(before + n);
    store(n, results[0].bytes() + before * size_of(op_.gives));
    keep_latest(recent_, width_ - 1);
  }
  void save(saved_state& to) const override { recent_.save(to); }
  void load(saved_reader& from) override { recent_.load(from); }

 private:
  /// Stores the results of the last n rows. Before the first whole window, all rows are there.
  void store(std::size_t n, std::byte* out) const {
    std::size_t const all = recent_.size(), row = all - n;  // the first of them
    std::byte const* const x = recent_.view().bytes.data();
    using enum window_operator::kind;
    if (op_.what == count) {
      for (std::size_t i = 0; i < n; ++i)
        reinterpret_cast<std::uint64_t*>(out)[i] = std::min(row + i + 1, width_);
    } else if (op_.what == total) {
      std::size_t const size = size_of(op_.takes), partial = std::min(all, width_ - 1);
      if (row < partial) {
        std::vector<std::byte> first(partial * size);
        op_.of->inclusive_scan(x, partial, {.on = on_}, first.data());
        std::copy(first.begin() + static_cast<std::ptrdiff_t>(row * size), first.end(), out);
        out += (partial - row) * size;
      }
      dynamic::windowed(*op_.of, x, all, width_, {.on = on_}, out);
    } else {
      bool const from_first = row + 1 < width_;
      dynamic::windows const windows{reinterpret_cast<double const*>(x), all, width_, from_first};
      std::vector<double> means(windows.count()), spreads(op_.what == spread ? means.size() : 0);
      dynamic::windowed_moments(
          on_, windows,
          {means.data(), spreads.empty() ? nullptr : spreads.data(), nullptr, op_.wanted});
      auto const& found = op_.what == spread ? spreads : means;
      std::copy(found.end() - static_cast<std::ptrdiff_t>(n), found.end(),
                reinterpret_cast<double*>(out));
    }
  }

  std::size_t width_;
  window_operator op_;
  cpu on_;
  column_buffer recent_;  // the latest rows, as many as a later one needs
};

/// A value, or the difference of two, as the type of the results.
template <class R, class T>
R as_result(T x) {
  auto const result = static_cast<R>(x);
  if constexpr (!std::is_floating_point_v<T> && std::is_floating_point_v<R>)
    if (static_cast<int128>(result) != static_cast<int128>(x))
      throw io::data_error(
          "The result {} is beyond 2^53, and f64 would round it; give --init 0, with which results "
          "are integers.",
          describe(x));
  return result;
}

/// Which value a row has: that of an earlier row, its own less that, or that of a later row.
enum class shift : std::uint8_t { lag, diff, lead };

/// By `distance` rows. For rows outside of the group there is `outside`, of the type of the
/// results.
template <class T, class R>
class shifted_values final : public aggregate {
 public:
  shifted_values(shift what, std::size_t distance, R outside, io::dtype takes, result_field field)
      : aggregate(takes, {std::move(field)}),
        what_(what),
        distance_(distance),
        outside_(outside),
        kept_(takes) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return what_ == shift::lead; }
  void initialize(std::uint64_t /*first_row*/) override {
    kept_.clear();
    row_ = 0;
  }
  void update(std::span<io::typed_column const> values) override { kept_.append(values[0]); }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    auto const out = results[0].template extend<R>(x.size());
    if (what_ == shift::lead) {
      auto const all = kept_.view().as<T>();
      for (std::size_t i = 0; i < x.size(); ++i, ++row_)
        out[i] = all.size() - row_ > distance_ ? as_result<R>(all[row_ + distance_]) : outside_;
      return;
    }
    std::size_t const held = kept_.size();
    kept_.append(values[0]);
    auto const all = kept_.view().as<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool const is_outside = held + i < distance_;
      if (what_ == shift::lag)
        out[i] = is_outside ? outside_ : as_result<R>(all[held + i - distance_]);
      else
        out[i] = is_outside ? minus(static_cast<R>(x[i]), outside_)
                            : from(all[held + i - distance_], x[i]);
    }
    keep_latest(kept_, distance_);
  }
  void save(saved_state& to) const override { kept_.save(to); }
  void load(saved_reader& from) override { kept_.load(from); }

 private:
  /// Integers wrap.
  static R minus(R a, R b) {
    if constexpr (std::is_integral_v<R>)
      return static_cast<R>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
      return a - b;
  }
  static R from(T earlier, T later) {
    if constexpr (std::is_same_v<R, T>)
      return minus(later, earlier);
    else
      return as_result<R>(static_cast<int128>(later) - earlier);
  }

  shift what_;
  std::size_t distance_;
  R outside_;
  column_buffer kept_;   // the latest values; of lead all
  std::size_t row_ = 0;  // of lead, the next one
};

std::size_t number_of_rows(std::string const& text, std::string const& option) {
  std::uint64_t rows = 0;
  io::parse_option_number(text, io::dtype::u64, &rows, option);
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (rows == 0 || rows > most)
    throw io::usage_error("{}: the number of rows must be from 1 to 2^40.", option);
  return static_cast<std::size_t>(rows);
}

}  // namespace

window_operator find_window_operator(std::string const& name, operator_use const& use,
                                     io::dtype type) {
  using enum window_operator::kind;
  constexpr std::pair<char const*, catalog::id> totals[] = {{"sum", catalog::id::sum},
                                                            {"product", catalog::id::product},
                                                            {"min", catalog::id::min},
                                                            {"max", catalog::id::max}};
  for (auto const& [known, op] : totals)
    if (name == known)
      return {.what = total, .of = dynamic::find(op, type), .takes = type, .gives = type};
  if (name == "count") return {.what = count, .takes = type, .gives = io::dtype::u64};
  io::dtype const f64 = io::dtype::f64;
  if (name == "mean") return {.what = mean, .takes = f64, .gives = f64};
  bool const root = name.ends_with("std"), of_sample = name.starts_with("sample-");
  if (std::string const plain = of_sample ? name.substr(7) : name; plain == "var" || plain == "std")
    return {.what = spread, .wanted = {of_sample ? 1.0 : 0.0, root}, .takes = f64, .gives = f64};
  throw io::usage_error(
      "--op {}:{}: windows have sum, product, min, max, count, mean, var, std, sample-var and "
      "sample-std.",
      use.name, use.parameter);
}

std::unique_ptr<aggregate> make_window(operator_use const& use, io::dtype type,
                                       aggregate_settings const& settings) {
  auto const colon = use.parameter.find(':');
  if (colon == std::string::npos)
    throw io::usage_error("--op window:{}: the operator is missing; write --op window:{}:mean.",
                          use.parameter, use.parameter);
  std::string const name = use.parameter.substr(colon + 1);
  std::size_t const width =
      number_of_rows(use.parameter.substr(0, colon), "--op window:" + use.parameter);
  return std::make_unique<window_aggregate>(width,
                                            find_window_operator(name, use, compute_type(type)),
                                            "window:" + use.parameter, settings);
}

std::unique_ptr<aggregate> make_lag(operator_use const& use, io::dtype type,
                                    aggregate_settings const& settings) {
  std::string const option = "--op " + use.written();
  std::size_t const distance = use.parameter.empty() ? 1 : number_of_rows(use.parameter, option);
  io::dtype const computes = compute_type(type);
  // Without a value for rows outside the table, the results are decimals, which have nan.
  bool const gives_decimals = !settings.initial && io::is_integer(computes);
  result_field field{option.substr(5), gives_decimals ? io::dtype::f64 : computes};
  return with_compute_type(computes, [&]<class T>() -> std::unique_ptr<aggregate> {
    auto const what = use.name == "lead"   ? shift::lead
                      : use.name == "diff" ? shift::diff
                                           : shift::lag;
    auto const make = [&]<class R>(R outside) -> std::unique_ptr<aggregate> {
      return std::make_unique<shifted_values<T, R>>(what, distance, outside, computes,
                                                    std::move(field));
    };
    if (gives_decimals) return make(std::numeric_limits<double>::quiet_NaN());
    T outside = std::numeric_limits<T>::quiet_NaN();
    if (settings.initial) io::parse_option_number(*settings.initial, computes, &outside, "--init");
    return make(outside);
  });
}

}  // namespace upsweep::cli
