/// `upsweep check`: the effect of rounding, overflow and the order of the values on the sum of a
/// column.
#include <bench/harness/random.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/reduce.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct check_flags {
  input_flags in;
  std::uint64_t seed = 1;
  int shuffles = 3;
  std::optional<double> tolerance;
  bool json = false;
};

/// The result of one way to sum the column.
struct finding {
  std::string order, sum;
  std::string error, ulps;  // relative to the exact sum; empty for the exact sum
  std::string remark;
};

struct verdict {
  io::column_info column;
  std::size_t values = 0;
  std::vector<finding> findings;
  int status = 0;  // exit status for this column
};

/// Distance from |x| to the next larger number.
template <class T>
T ulp(T x) {
  T const size = std::abs(x);
  T const next = std::nextafter(size, std::numeric_limits<T>::infinity());
  return std::isfinite(next) ? next - size : size - std::nextafter(size, T{});
}

/// The same shuffles on every machine.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}
  /// A number less than `n`, by multiplication; the bias is less than n / 2^64.
  std::uint64_t below(std::uint64_t n) {
    std::uint64_t const word = bench::random_word(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return static_cast<std::uint64_t>((uint128{word} * n) >> 64);
  }

 private:
  std::uint64_t state_;
};

template <class T>
class float_check {
 public:
  float_check(std::vector<T> values, check_flags const& flags, verdict& v)
      : values_(std::move(values)),
        flags_(flags),
        verdict_(v),
        exact_(upsweep::reduce(values_, exact_sum{})) {}

  void run() {
    note("exact", exact_, "correctly rounded");
    judge("tree", upsweep::reduce(values_));
    judge("left to right", in_order());
    std::reverse(values_.begin(), values_.end());
    note("right to left", in_order());
    random_bits random(flags_.seed);
    for (int s = 0; s < flags_.shuffles; ++s) {
      for (std::size_t i = values_.size(); i > 1; --i)
        std::swap(values_[i - 1], values_[random.below(i)]);
      note(fmt::format("shuffle {} of seed {}", s + 1, flags_.seed), in_order());
    }
    auto const smaller = [](T a, T b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    std::sort(values_.begin(), values_.end(), smaller);
    note("ascending", in_order());
    std::sort(values_.begin(), values_.end(),
              [&](T a, T b) { return smaller(std::abs(a), std::abs(b)); });
    note("growing magnitude", in_order());
  }

 private:
  [[nodiscard]] T in_order() const {
    T sum{};
    bool first = true;
    for (T const x : values_) {
      sum = first ? x : sum + x;
      first = false;
    }
    return sum;
  }

  finding& note(std::string order, T sum, std::string remark = {}) {
    finding f{std::move(order), io::number_text(sum), {}, {}, std::move(remark)};
    if (f.order != "exact") {
      bool const comparable = std::isfinite(sum) && std::isfinite(exact_);
      bool const equal = sum == exact_ || (std::isnan(sum) && std::isnan(exact_));
      double const error = static_cast<double>(sum) - static_cast<double>(exact_);
      f.error = comparable ? io::number_text(error) : equal ? "0" : "inf";
      f.ulps = equal        ? "0"
               : comparable ? io::number_text(std::abs(error) / static_cast<double>(ulp(exact_)))
                            : "inf";
    }
    verdict_.findings.push_back(std::move(f));
    return verdict_.findings.back();
  }

  /// Records a sum that a program would compute. Exit status 1 if its error is above the tolerance.
  void judge(std::string order, T sum) {
    finding& f = note(std::move(order), sum);
    double const limit = flags_.tolerance.value_or(
        std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())));
    double const error = std::abs(static_cast<double>(sum) - static_cast<double>(exact_));
    bool const wrong =
        std::isfinite(exact_) && !(error <= limit * std::abs(static_cast<double>(exact_)));
    if (!wrong) return;
    f.remark = flags_.tolerance ? "beyond the tolerance" : "more than half of the digits are lost";
    verdict_.status = 1;
  }

  std::vector<T> values_;
  check_flags const& flags_;
  verdict& verdict_;
  T exact_;
};

template <class T>
void check_floats(io::chunk const& all, io::typed_column column, check_flags const& flags,
                  verdict& v) {
  column_buffer wide(dynamic::dtype_of<T>);
  wide.append(column);
  auto const values = wide.view().template as<T>();
  auto count = [&](auto is, char const* what) {
    auto const first = std::find_if(values.begin(), values.end(), is);
    if (first != values.end())
      v.findings.push_back({what,
                            fmt::format("{}", std::count_if(values.begin(), values.end(), is)),
                            {},
                            {},
                            fmt::format("first at row {}", all.number(static_cast<std::size_t>(
                                                               first - values.begin())))});
  };
  count([](T x) { return std::isnan(x); }, "NaN values");
  count([](T x) { return std::isinf(x); }, "infinite values");
  float_check<T>(std::vector<T>(values.begin(), values.end()), flags, v).run();
}

/// The exact sum, and the rows at which running sums in the column's type and in 64 bits first
/// overflow.
void check_integers(io::chunk const& all, io::typed_column column, verdict& v) {
  dispatch(column.type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      using wide = detail::widened_t<T>;
      auto const values = column.as<T>();
      int128 exact = 0;
      std::optional<std::size_t> own, widest;
      for (std::size_t row = 0; row < values.size(); ++row) {
        exact += values[row];
        if (!own && exact != static_cast<int128>(static_cast<T>(exact))) own = row;
        if (!widest && exact != static_cast<int128>(static_cast<wide>(exact))) widest = row;
      }
      v.findings.push_back({"exact", describe(exact), {}, {}, {}});
      auto note = [&](std::string order, int128 wrapped, std::optional<std::size_t> row) {
        v.findings.push_back(
            {std::move(order),
             describe(wrapped),
             describe(wrapped - exact),
             {},
             row ? fmt::format("overflows at row {}", all.number(*row)) : std::string()});
        if (row) v.status = 6;
      };
      if (!std::is_same_v<T, wide> && !std::is_same_v<T, bool>)
        note(fmt::format("in {}", name_of(column.type)), int128{static_cast<T>(exact)}, own);
      note(fmt::format("in {}", name_of(compute_type(column.type))),
           int128{static_cast<wide>(exact)}, widest);
    }
  });
}

void print_text(std::vector<verdict> const& verdicts) {
  for (auto const& v : verdicts) {
    fmt::print("{} ({}, {} values)\n", io::printable(v.column.name), name_of(v.column.type),
               v.values);
    for (auto const& f : v.findings) {
      std::string line = fmt::format("  {:<20} {:>24}", f.order, f.sum);
      if (!f.error.empty()) line += fmt::format("  error {}", f.error);
      if (!f.ulps.empty()) line += fmt::format("  {} ulps", f.ulps);
      if (!f.remark.empty()) line += "  " + f.remark;
      fmt::print("{}\n", line);
    }
  }
}

void print_json(std::vector<verdict> const& verdicts, check_flags const& flags,
                io::input const& in) {
  nlohmann::ordered_json object{
      {"input", in->name()}, {"seed", flags.seed}, {"columns", nlohmann::ordered_json::array()}};
  for (auto const& v : verdicts) {
    nlohmann::ordered_json column{{"column", v.column.name},
                                  {"dtype", name_of(v.column.type)},
                                  {"values", v.values},
                                  {"status", v.status},
                                  {"sums", nlohmann::ordered_json::array()}};
    for (auto const& f :
         v.findings)  // as text: exact sums of integers exceed the range of JSON readers
      column["sums"].push_back({{"order", f.order},
                                {"sum", f.sum},
                                {"error", f.error},
                                {"ulps", f.ulps},
                                {"remark", f.remark}});
    object["columns"].push_back(std::move(column));
  }
  fmt::print("{}\n", object.dump(-1, ' ', io::shows_on_terminal(),
                                 nlohmann::ordered_json::error_handler_t::replace));
}

int run(check_flags const& flags) {
  io::input in(flags.in.options());
  row_buffer owned;
  auto const all = read_whole(in, owned);
  std::vector<verdict> verdicts;
  int status = 0;
  for (std::size_t c = 0; c < all.columns.size(); ++c) {
    auto const& column = all.columns[c];
    verdict v{in->columns[c], column.size(), {}, 0};
    if (v.column.type == io::dtype::f64)
      check_floats<double>(all, column, flags, v);
    else if (io::is_float(v.column.type))
      check_floats<float>(all, column, flags, v);
    else
      check_integers(all, column, v);
    status = std::max(status, v.status);
    verdicts.push_back(std::move(v));
  }
  if (flags.json)
    print_json(verdicts, flags, in);
  else
    print_text(verdicts);
  return status;
}

}  // namespace

void add_check_command(registry& tool) {
  auto const [add, flags] = add_command<check_flags>(tool, "check");
  add("--seed N", flags.seed, "Random seed for the shuffles (default: 1)", not_negative);
  add("--shuffles N", flags.shuffles, "Number of shuffled orders to try (default: 3)",
      in_range(0, 1000));
  add("--tolerance R", flags.tolerance,
      "Largest acceptable relative error (default: half of the type's digits)",
      finite_number(true));
  add("--json", flags.json, "Write JSON");
  add_input_options(add, flags.in);
}

}  // namespace upsweep::cli
