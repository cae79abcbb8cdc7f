/// Each operator and the types of its results in a few lines, with what it prints: examples of the
/// reference.
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/ops/weighted_moments.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/upsweep.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "print.hpp"

namespace {

std::vector<int> const x{3, 1, 4, 1, 5};
std::vector<double> const price{4, 5, 3, 6};
double const missing = std::numeric_limits<double>::quiet_NaN();

void sums() {
  print(upsweep::reduce(x, upsweep::plus{}), upsweep::reduce(x, upsweep::multiplies{}));
}
void minima_and_maxima() {
  print(upsweep::reduce(x, upsweep::min{}), upsweep::reduce(x, upsweep::max{}));
  std::vector<double> const gaps{2, missing, 1};
  print(std::isnan(upsweep::reduce(gaps, upsweep::max{})));
  print(upsweep::reduce(gaps, upsweep::min_number{}), upsweep::reduce(gaps, upsweep::max_number{}));
}
void bits() {
  std::vector<unsigned> const masks{12, 10};
  print(upsweep::reduce(masks, upsweep::bit_and{}), upsweep::reduce(masks, upsweep::bit_or{}),
        upsweep::reduce(masks, upsweep::bit_xor{}));
}
void flags() {
  std::vector<bool> const rainy{true, false, true};
  print(upsweep::reduce(rainy, upsweep::logical_and{}),
        upsweep::reduce(rainy, upsweep::logical_or{}),
        upsweep::reduce(rainy, upsweep::logical_xor{}));
}
void positions() {
  upsweep::indexed<int> const least = upsweep::reduce(x, upsweep::argmin{});
  print(least.value, least.index);
  print(upsweep::reduce(x, upsweep::argmin_last{}).index);
  print(upsweep::reduce(x, upsweep::argmax{}).index);
  print(upsweep::reduce(x, upsweep::argmax_last{}).index);
}
void no_index() {
  std::vector<std::size_t> at(5);
  upsweep::exclusive_scan(x, at, upsweep::argmax{});
  print(at[0] == upsweep::no_index, at[1], at[4]);
}
void minmax() {
  upsweep::extrema<int> const both = upsweep::reduce(x, upsweep::minmax{});
  print(both.min, both.max);
}
void gcd() {
  print(upsweep::reduce(std::vector<int>{12, 18, 30}, upsweep::gcd{}));
}
void checked() {
  std::vector<std::int32_t> const large{1, 2147483647, -5};
  try {
    print(upsweep::reduce(large, upsweep::checked_plus<std::int32_t>{}));
  } catch (upsweep::overflow_error const& e) {
    print("overflow at element", e.index());
  }
  print(upsweep::reduce(x, upsweep::checked_multiplies<>{}));
}
void exact_sum() {
  std::vector<double> const canceling{1e100, 1, -1e100};
  print(upsweep::reduce(canceling), upsweep::reduce(canceling, upsweep::exact_sum{}));
}
void accumulators() {
  using state = upsweep::accumulator_t<upsweep::exact_sum, double>;
  upsweep::exact_sum const sum;
  state a = sum.identity<state>();
  sum.absorb(a, 1e100), sum.absorb(a, 1.0), sum.absorb(a, -1e100);
  print(sum.finish(a));
}
void first_and_last() {
  upsweep::maybe<int> const first = upsweep::reduce(x, upsweep::first{});
  print(*first, upsweep::reduce(x, upsweep::last{}).value());
  print(upsweep::reduce(std::vector<int>{}, upsweep::last{}).has_value());
}
void log_sum_exp() {
  std::vector<double> const logs{-1000, -1000};  // of two equal probabilities
  print(upsweep::reduce(logs, upsweep::log_sum_exp{}));
  print(upsweep::reduce(std::vector<double>{-1000}, upsweep::log_sum_exp{}, {.initial = -1000.0}));
}
void moments() {
  auto const m = upsweep::reduce(price, upsweep::moments{});
  print(m.count, m.mean, m.variance(), m.sample_variance(), m.stddev());
}
void central_moments() {
  auto const m = upsweep::reduce(price, upsweep::central_moments{});
  print(m.mean, m.skewness(), m.kurtosis());
}
void comoments() {
  std::vector<upsweep::xy<double>> const points{{1, 2}, {2, 4}, {3, 7}};
  auto const m = upsweep::reduce(points, upsweep::comoments{});
  print(m.covariance(), m.slope(), m.intercept());
}
void weighted_moments() {
  std::vector<upsweep::xy<double>> const weighted{{10, 1}, {20, 3}};  // value and weight
  auto const m = upsweep::reduce(weighted, upsweep::weighted_moments{});
  print(m.weight, m.mean, m.variance());
}
void wide_range() {
  std::vector<double> const huge{1e200, 3e200};
  auto const m = upsweep::reduce(huge, upsweep::wide_range<upsweep::moments>{});
  print(mean_of(m), stddev_of(m), variance_of(m));
  std::vector<upsweep::xy<double>> const line{{1e200, 1e200}, {3e200, 2e200}};
  auto const c = upsweep::reduce(line, upsweep::wide_range<upsweep::comoments>{});
  print(slope_of(c), intercept_of(c) / 1e200, covariance_of(c));
}
void affine() {
  // x[i] = 2 x[i - 1] + 1 from x[-1] = 0, as maps x -> a x + b
  std::vector<upsweep::affine_map<int>> const maps(4, {2, 1});
  std::vector<int> y(4);
  upsweep::inclusive_scan(maps, y, upsweep::affine{});
  print(y);
}
void matrix2x2() {
  std::vector<upsweep::matrix2x2<int>> const steps(10, {1, 1, 1, 0});
  print(upsweep::reduce(steps, upsweep::matrix2x2_product{}).b);  // a Fibonacci number
}
void recurrence() {
  upsweep::recurrence const smooth({0.5});  // y[i] = x[i] + 0.5 y[i - 1]
  std::vector<double> y(4);
  upsweep::inclusive_scan(price, y, smooth);
  print(y);
  upsweep::recurrence_state<1, double> const before = smooth.after({8.0});  // y[-1]
  upsweep::inclusive_scan(price, y, smooth, {.initial = before});
  print(y);
}
void polynomial() {
  std::vector<int> const coefficients{2, 0, 1};  // 2 x^2 + 1
  print(upsweep::reduce(coefficients, upsweep::polynomial(3)));
}
void concat() {
  std::vector<std::string> const words{"up", "sweep"};
  print(upsweep::reduce(words, upsweep::concat{}));
}
void decimals() {
  std::vector<upsweep::decimal> factors;
  for (auto const* text : {"1.10", "1.10", "0.5"})
    factors.push_back(upsweep::parse_decimal(text).value());
  print(upsweep::to_string(upsweep::reduce(factors, upsweep::decimal_product{})));
  print(upsweep::to_string(upsweep::reduce(factors, upsweep::decimal_mean{})));
  upsweep::decimal_total const start{{.units = 210, .scale = 2}, 1};  // one more element, 2.10
  print(upsweep::to_string(upsweep::reduce(factors, upsweep::decimal_mean{}, {.initial = start})));
}
void describe() {
  print(upsweep::describe(x), upsweep::describe(0.1), upsweep::describe(std::string("up")));
}
void drawdown() {
  upsweep::drawdown_of const d = upsweep::reduce(price, upsweep::drawdown{});
  print(d.deepest, d.highest, d.fall());
}
struct cube {  // the function of a mean, and its inverse
  static double to(double v) { return v * v * v; }
  static double from(double v) { return std::cbrt(v); }
};
void mean_of_function() {
  upsweep::mean_of_function<cube> const cubic;
  upsweep::mean_sum const total = cubic(cubic.lift(1), cubic.lift(3));
  print(total.sum, total.count);
  print(std::round(1000 * upsweep::reduce(std::vector<double>{1, 3}, cubic)) / 1000);
}
void sequence_state() {
  upsweep::sessions const visits{30.0};  // a gap of more than 30 begins a new visit
  upsweep::sequence_state<double> const morning = visits(visits.lift(0.0), visits.lift(20.0));
  upsweep::sequence_state<double> const day = visits(morning, visits.lift(60.0));
  print(morning.count, day.count, day.first, day.last);
}

// A user-defined operator: the longer of two strings, the earlier one of equal lengths.
struct longer {
  static constexpr bool exact = true;
  std::string identity() const { return {}; }
  std::string operator()(std::string const& a, std::string const& b) const {
    return b.size() > a.size() ? b : a;
  }
};
void traits() {
  static_assert(upsweep::monoid_over<longer, std::string>);
  static_assert(std::is_same_v<upsweep::accumulator_t<longer, std::string>, std::string>);
  static_assert(std::is_same_v<upsweep::result_t<upsweep::plus, std::int32_t>, std::int64_t>);
  print(upsweep::is_exact<longer, std::string>, upsweep::is_commutative<longer>);
  print(upsweep::is_exact<upsweep::plus, double>, upsweep::is_commutative<upsweep::plus>);
  print(upsweep::identity_of<double>(upsweep::plus{}), upsweep::identity_of<int>(upsweep::min{}));
}

example const examples[] = {EXAMPLE(sums),
                            EXAMPLE(minima_and_maxima),
                            EXAMPLE(bits),
                            EXAMPLE(flags),
                            EXAMPLE(positions),
                            EXAMPLE(no_index),
                            EXAMPLE(minmax),
                            EXAMPLE(gcd),
                            EXAMPLE(checked),
                            EXAMPLE(exact_sum),
                            EXAMPLE(accumulators),
                            EXAMPLE(first_and_last),
                            EXAMPLE(log_sum_exp),
                            EXAMPLE(moments),
                            EXAMPLE(central_moments),
                            EXAMPLE(comoments),
                            EXAMPLE(weighted_moments),
                            EXAMPLE(wide_range),
                            EXAMPLE(affine),
                            EXAMPLE(matrix2x2),
                            EXAMPLE(recurrence),
                            EXAMPLE(polynomial),
                            EXAMPLE(concat),
                            EXAMPLE(decimals),
                            EXAMPLE(describe),
                            EXAMPLE(drawdown),
                            EXAMPLE(mean_of_function),
                            EXAMPLE(sequence_state),
                            EXAMPLE(traits)};

}  // namespace

int main() {
  run_all(examples);
}
