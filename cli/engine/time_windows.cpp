/// window-by:W:OPERATOR: results of the rows of a group whose times are less than W before that of
/// the row.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/parameters.hpp>
#include <io/error.hpp>
#include <io/times.hpp>
#include <upsweep/ops/describe.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

constexpr double nanoseconds = 1e9;

/// The times of the rows in the latest window, which do not decrease: integers, which dates are as
/// nanoseconds, or decimals.
class window_times {
 public:
  window_times(operator_use const& use, io::dtype type, time_span width)
      : name_(use.written()),
        column_(use.others.empty() ? "2" : use.others[0]),
        are_dates_(use.of_dates),
        are_integers_(are_dates_ || io::is_integer(type)),
        width_(width.number),
        here_(!are_integers_           ? io::dtype::f64
              : type == io::dtype::u64 ? io::dtype::u64
                                       : io::dtype::i64) {
    if (are_integers_) steps_ = steps_in(width);
  }
  void clear() { integers_.clear(), decimals_.clear(); }
  /// The times of the rows of a call, of which push() appends the i-th.
  void take(io::typed_column column) {
    here_.clear();
    here_.append(column);
  }
  void push(std::size_t i) {
    auto const view = here_.view();
    if (!are_integers_) return append(decimals_, view.as<double>()[i]);
    append(integers_, view.type == io::dtype::u64 ? int128{view.as<std::uint64_t>()[i]}
                                                  : int128{view.as<std::int64_t>()[i]});
  }
  /// Whether time k is before the window that ends with the latest.
  [[nodiscard]] bool is_before_window(std::size_t k) const {
    if (are_integers_) return integers_.back() - integers_[k] >= steps_;
    double const last = decimals_.back(), time = decimals_[k];
    return last != time && !(last - time < width_);  // both may be infinite
  }
  void drop(std::size_t count) {
    auto const end = static_cast<std::ptrdiff_t>(count);
    if (are_integers_)
      integers_.erase(integers_.begin(), integers_.begin() + end);
    else
      decimals_.erase(decimals_.begin(), decimals_.begin() + end);
  }
  void save(saved_state& to) const {
    put_counted(to, std::span<int128 const>(integers_));
    put_counted(to, std::span<double const>(decimals_));
  }
  void load(saved_reader& from) {
    from.take_counted(integers_);
    from.take_counted(decimals_);
  }

 private:
  /// A width in nanoseconds is that of the decimal number that was written, unless it is between
  /// two integers by more than its rounding.
  [[nodiscard]] int128 steps_in(time_span width) const {
    if (width.whole && !are_dates_) return int128{*width.whole};
    double const exact = are_dates_ ? width.number * nanoseconds : width.number;
    double const nearest = std::round(exact);
    bool const is_rounded = are_dates_ && std::abs(exact - nearest) <= exact * 0x1p-51;
    return static_cast<int128>(is_rounded ? nearest : std::ceil(exact));
  }
  template <class Time>
  void append(std::vector<Time>& times, Time time) const {
    if (!times.empty() && !(times.back() <= time))
      throw io::data_error(
          "{}: in column '{}', {} comes after {} in the same group; sort the rows by it first, as "
          "upsweep sort --column {} does.",
          name_, column_, text_of(time), text_of(times.back()), column_);
    if (time != time)
      throw io::data_error(
          "{}: a time in column '{}' is nan; give --skip-missing to leave its row out.", name_,
          column_);
    times.push_back(time);
  }
  template <class Time>
  [[nodiscard]] std::string text_of(Time time) const {
    auto const date = are_dates_ ? io::time_text(static_cast<double>(time) / nanoseconds)
                                 : std::optional<std::string>();
    return date ? *date : describe(time);
  }

  std::string name_, column_;
  bool are_dates_, are_integers_;
  double width_;
  int128 steps_ = 0;  // the width in integers
  column_buffer here_;
  std::vector<int128> integers_;
  std::vector<double> decimals_;
};

/// Each result has the bits of the reduction of its window alone. Rows without a value or a time
/// have no result, and are in no window.
class time_window_aggregate final : public gap_filling_aggregate {
 public:
  time_window_aggregate(window_times times, window_operator op, std::string name,
                        aggregate_settings const& settings)
      : gap_filling_aggregate(op.takes, {{std::move(name), op.gives}}),
        op_(op),
        on_{.threads = settings.threads},
        times_(std::move(times)),
        values_(op.takes),
        here_(op.takes) {}

  void initialize(std::uint64_t /*first_row*/) override {
    times_.clear();
    values_.clear();
  }

  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    find_windows(values);
    std::size_t const before = results[0].size(), size = size_of(op_.gives);
    results[0].resize(before + n);
    std::byte* const out = results[0].bytes() + before * size;
    std::fill_n(out, n * size, std::byte{});
    std::size_t total = 0;
    for (auto const& w : windows_) total += w.end - w.begin;
    on_.for_each_line(n, n > 0 ? total / n : 0, [&](std::size_t i, cpu const& here) {
      auto const [begin, end] = windows_[i];
      if (begin != end) store(here, slice(values_.view(), begin, end - begin), out + i * size);
    });
    times_.drop(first_);
    column_buffer kept(op_.takes);
    kept.append(slice(values_.view(), first_, values_.size() - first_));
    values_ = std::move(kept);
  }
  void save(saved_state& to) const override {
    times_.save(to);
    values_.save(to);
  }
  void load(saved_reader& from) override {
    times_.load(from);
    values_.load(from);
  }

 private:
  struct bounds {
    std::size_t begin, end;
  };
  /// Stores the result of a window that is not empty.
  void store(cpu const& on, io::typed_column window, std::byte* out) const {
    using enum window_operator::kind;
    if (op_.what == total)
      return op_.of->reduce(window.bytes.data(), window.size(), {.on = on}, out);
    if (op_.what == count) return void(*reinterpret_cast<std::uint64_t*>(out) = window.size());
    auto const x = window.as<double>();
    auto const m = dynamic::moments_over(on, x);
    *reinterpret_cast<double*>(out) =
        op_.what == mean ? m.mean : dynamic::spread_of(on, x, m, op_.wanted);
  }
  /// The window of each row among values_, which is empty where a row has none; first_ is where the
  /// last one begins.
  void find_windows(std::span<io::typed_column const> values) {
    std::size_t const n = values[0].size();
    here_.clear();
    here_.append(values[0]);
    times_.take(values[1]);
    filled_.clear();
    auto const is_there = filled_.extend<bool>(n);
    windows_.clear();
    first_ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      is_there[i] = has(0, i) && has(1, i);
      if (is_there[i]) {
        times_.push(i);
        values_.append(slice(here_.view(), i, 1));
        while (times_.is_before_window(first_)) ++first_;
      }
      windows_.push_back({is_there[i] ? first_ : 0, is_there[i] ? values_.size() : 0});
    }
  }

  window_operator op_;
  cpu on_;
  window_times times_;
  column_buffer values_;  // of the rows whose times are kept
  std::vector<bounds> windows_;
  std::size_t first_ = 0;
  column_buffer here_;
};

}  // namespace

std::unique_ptr<aggregate> make_time_window(operator_use const& use, io::dtype values,
                                            io::dtype times, aggregate_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, name_of(values));
  auto const colon = use.parameter.find(':');
  auto const width = read_span(use.parameter.substr(0, colon));
  constexpr double most = 9e9;  // of seconds, whose nanoseconds are integers of 64 bits
  if (colon == std::string::npos || !width || !(width->number > 0) ||
      (use.of_dates && width->number > most) || width->number > most * nanoseconds)
    throw io::usage_error(
        "--op {0}:{1}: give a width above 0, up to 9e18 or 285 years, a number in the unit of the "
        "times, or with a unit of ms, s, min, h or d, and an operator, as in "
        "{0}:7d:mean:sales:date.",
        use.name, use.parameter);
  auto const op = find_window_operator(use.parameter.substr(colon + 1), use, compute_type(values));
  return std::make_unique<time_window_aggregate>(window_times(use, times, *width), op,
                                                 use.written(), settings);
}

}  // namespace upsweep::cli
