/// Linear recurrences against the loop that defines them.
#include <conformance/every_call_starts_threads.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {

/// y[i] = x[i] + a[0] y[i-1] + ..., with `before` = {y[-1], y[-2], ...}.
template <class T, class X, std::size_t order>
std::vector<T> by_loop(std::vector<X> const& x, T const (&a)[order], T const (&before)[order]) {
  std::vector<T> y(before, before + order);
  std::reverse(y.begin(), y.end());
  for (X const& element : x) {
    T sum = static_cast<T>(element);
    for (std::size_t k = 0; k < order; ++k) sum = static_cast<T>(sum + a[k] * y[y.size() - 1 - k]);
    y.push_back(sum);
  }
  y.erase(y.begin(), y.begin() + order);
  return y;
}

TEST(recurrence, of_integers_is_the_loop_on_any_number_of_threads) {
  std::uint64_t const a[] = {3, 0x9e3779b97f4a7c15u, 7}, before[] = {5, 6, 7};
  recurrence const op(a);
  for (std::size_t const n : {1u, 2u, 3u, 1'000u, 100'003u}) {
    std::vector<std::uint32_t> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i * 2'654'435'761u);
    auto const expected = by_loop(x, a, before);
    for (int const threads : {1, 2, 5}) {
      std::vector<std::uint64_t> y(n);
      upsweep::inclusive_scan(cpu{.threads = threads}, x, y, op, {.initial = op.after(before)});
      ASSERT_EQ(y, expected);
      ASSERT_EQ(upsweep::reduce(cpu{.threads = threads}, x, op, {.initial = op.after(before)}),
                expected.back());
    }
  }
}

TEST(recurrence, of_doubles_is_the_loop_but_for_rounding) {
  double const a[] = {1.6, -0.64}, before[] = {0.5, -2};  // poles at 0.8: errors decay
  recurrence const op(a);
  std::vector<float> x(50'001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i * i % 1'000));
  std::vector<double> y(x.size()), alone(x.size());
  upsweep::inclusive_scan(x, y, op, {.initial = op.after(before)});
  upsweep::inclusive_scan(serial{}, x, alone, op, {.initial = op.after(before)});
  EXPECT_EQ(y, alone);
  long double const wide[] = {1.6, -0.64}, wide_before[] = {0.5, -2};
  auto const exact = by_loop(x, wide, wide_before);
  for (std::size_t i = 0; i < x.size(); ++i)  // the impulse response sums up to 25
    ASSERT_NEAR(y[i], static_cast<double>(exact[i]), 25 * 25 * 0x1p-52) << i;
}

TEST(recurrence, has_the_bits_of_its_tree) {
  recurrence const op({1.25f, -0.5f});
  std::vector<float> x(1'000), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 37) / 3;
  upsweep::inclusive_scan(x, y, op);
  EXPECT_EQ(y, reference::inclusive_scan(x, op));
}

/// The operator adds products to +0, so a sum of zeros is +0 whatever their signs.
template <class Op>
void expect_positive_zeros(Op const& op) {
  std::vector<float> const x(2'000, -0.0f);
  std::vector<float> y(x.size(), 1);
  for (int const threads : {1, 3}) {
    upsweep::inclusive_scan(cpu{.threads = threads}, x, y, op);
    for (float const v : y) ASSERT_TRUE(v == 0 && !std::signbit(v));
  }
}
TEST(recurrence, has_no_negative_zeros) {
  expect_positive_zeros(recurrence({0.5f}));
  expect_positive_zeros(recurrence({-0.5f}));
  expect_positive_zeros(recurrence({0.5f, 0.25f}));
}

TEST(recurrence, continues_after_earlier_results) {
  recurrence const op({std::int64_t{1}, std::int64_t{1}});
  std::vector<int> const nothing(10);
  std::vector<std::int64_t> fibonacci(10);
  upsweep::inclusive_scan(nothing, fibonacci, op, {.initial = op.after({1, 0})});
  EXPECT_EQ(fibonacci, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13, 21, 34, 55, 89}));
}

/// The results after `before`: the fold of the blocks that [0, m) splits into begins with it.
std::vector<float> behind(float before, float a, std::vector<float> const& x) {
  std::vector<float> power{a}, y;
  for (std::vector<float> const* last = &power; last->size() < 20;)
    power.push_back(last->back() * last->back());
  auto const total = [&](auto const& self, std::size_t begin, std::size_t k) -> float {
    if (k == 0) return x[begin];
    std::size_t const half = std::size_t{1} << (k - 1);
    float const left = power[k - 1] * self(self, begin, k - 1);
    return left + self(self, begin + half, k - 1);
  };
  for (std::size_t m = 1; m <= x.size(); ++m) {
    float result = before;
    for (std::size_t k = power.size(), begin = 0; k-- > 0;)
      if ((m >> k & 1) != 0) {
        float const advanced = power[k] * result;
        result = advanced + total(total, begin, k);
        begin += std::size_t{1} << k;
      }
    y.push_back(result);
  }
  return y;
}
TEST(recurrence, begins_every_fold_with_the_initial_value) {
  float const a = 0.9f, before = -3.7f;
  recurrence const op({a});
  options<recurrence_state<1, float>> const o{.initial = op.after({before})};
  for (std::size_t const n : {1u, 2u, 7u, 15u, 100u, 1'500u, 5'000u}) {
    std::vector<float> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * i % 37) / 3;
    auto const want = behind(before, a, x);
    std::vector<float> exclusive{before};
    exclusive.insert(exclusive.end(), want.begin(), want.end() - 1);
    EXPECT_EQ(reference::inclusive_scan(x, op, o.initial), want);
    EXPECT_EQ(reference::exclusive_scan(x, op, o.initial), exclusive);
    EXPECT_EQ(reference::reduce(x, op, o.initial), want.back());
    for (int const threads : {1, 3}) {
      cpu const on{.threads = threads};
      upsweep::inclusive_scan(on, x, y, op, o);
      EXPECT_EQ(y, want);
      upsweep::exclusive_scan(on, x, y, op, o);
      EXPECT_EQ(y, exclusive);
      EXPECT_EQ(upsweep::reduce(on, x, op, o), want.back());
    }
    scan_stream<float, recurrence<1, float>> scanned(op, o);
    reduce_stream<float, recurrence<1, float>> reduced(op, o);
    EXPECT_EQ(scanned.result(), before);
    for (std::size_t begin = 0, size = 1; begin < n; begin += size, size = size % 97 + 5) {
      std::span const chunk = std::span(x).subspan(begin, std::min(size, n - begin));
      reduced.push(chunk);
      scanned.inclusive(chunk, std::span(y).subspan(begin, chunk.size()));
    }
    EXPECT_EQ(y, want);
    EXPECT_EQ(scanned.result(), want.back());
    EXPECT_EQ(reduced.result(), want.back());
  }
}
TEST(recurrence, begins_each_segment_and_window_with_it) {
  recurrence const op({0.9f});
  options<recurrence_state<1, float>> const o{.initial = op.after({2.3f})};
  std::vector<float> x(1'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 37) / 3;
  std::vector<std::size_t> const ends{0, 1, 4, 4, 60, 500, 1'000};
  std::vector<float> totals(ends.size() - 1), y(x.size());
  upsweep::reduce_segments(x, ends, totals, op, o);
  upsweep::inclusive_scan_segments(x, ends, y, op, o);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    auto const at = [&](auto& all, std::size_t i) { return all.begin() + std::ptrdiff_t(i); };
    auto const want = behind(2.3f, 0.9f, {at(x, ends[k]), at(x, ends[k + 1])});
    EXPECT_EQ(totals[k], want.empty() ? 2.3f : want.back());
    EXPECT_EQ(std::vector<float>(at(y, ends[k]), at(y, ends[k + 1])), want);
  }
  std::vector<float> windows(x.size() - 6);
  upsweep::windowed(x, 7, windows, op, o);
  for (std::size_t i = 0; i < windows.size(); ++i)
    ASSERT_EQ(windows[i], behind(2.3f, 0.9f, {x.data() + i, x.data() + i + 7}).back());
}

TEST(recurrence, takes_minus_zero_for_zero) {
  recurrence const op({-0.5f, 0.25f});
  for (std::size_t const n : {1u, 40u}) {
    std::vector<float> const x(n, -0.0f);
    std::vector<float> y(n);
    upsweep::inclusive_scan(x, y, op);
    for (float const result : y) EXPECT_FALSE(std::signbit(result));
    EXPECT_FALSE(std::signbit(upsweep::reduce(x, op)));
  }
}

TEST(recurrence, of_order_one_evaluates_polynomials) {
  std::vector<int> const coefficients{2, -3, 0, 5};  // 2 x^3 - 3 x^2 + 5
  EXPECT_EQ(upsweep::reduce(coefficients, polynomial(std::int64_t{10})), 1705);
  EXPECT_EQ(upsweep::reduce(coefficients, polynomial(0.5)), 4.5);
  EXPECT_EQ(upsweep::reduce(coefficients, polynomial(0.5), {.reverse = true}), 1.125);
}

TEST(recurrence, is_associative_over_integers) {
  recurrence const op({std::int64_t{3}, std::int64_t{-7}});
  std::vector<recurrence_state<2, std::int64_t>> samples{op.identity()};
  for (int i = 0; i < 12; ++i) samples.push_back(op(samples.back(), op.lift(i * i - 20)));
  for (auto const& a : samples)
    for (auto const& b : samples) {
      EXPECT_EQ(op(op.identity(), a), a);
      EXPECT_EQ(op(a, op.identity()), a);
      for (auto const& c : samples) EXPECT_EQ(op(op(a, b), c), op(a, op(b, c)));
    }
}

/// The terms of an average are weighted, but for the first one.
template <class T>
void expect_averages_of_their_terms(dynamic::dtype type) {
  recurrence const op({static_cast<T>(0.7)});
  std::vector<T> x(5'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * i % 1'009) / 7 - 60;
  for (bool const from_first : {true, false}) {
    std::vector<T> terms;
    for (T const element : x) terms.push_back(element * static_cast<T>(0.3));
    if (from_first) terms[0] = x[0];
    auto const want = reference::inclusive_scan(terms, op);
    for (std::size_t const n : {1u, 15u, 16u, 64u, 100u, 1'024u, 1'025u, 5'000u})
      for (int const threads : {1, 3}) {
        every_call_starts_threads const all;
        std::vector<T> y(n);
        dynamic::moving_average(type, 0.3, from_first, x.data(), n, {.on = {.threads = threads}},
                                y.data());
        EXPECT_TRUE(std::equal(y.begin(), y.end(), want.begin())) << n << ", " << threads;
      }
  }
}
TEST(recurrence, of_weighted_terms_averages_them) {
  expect_averages_of_their_terms<float>(dynamic::dtype::f32);
  expect_averages_of_their_terms<double>(dynamic::dtype::f64);
}

/// 3^1024 is infinite, so kernels cannot sum whole blocks.
TEST(recurrence, that_grows_has_the_bits_of_its_tree) {
  recurrence const op({3.0});
  std::vector<double> x(640);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 37) / 3;
  double const sum = upsweep::reduce(x, op);
  EXPECT_EQ(sum, reference::reduce(x, op));
  EXPECT_TRUE(sum > 1e303 && std::isfinite(sum)) << sum;
  std::vector<double> y(x.size());
  upsweep::inclusive_scan(x, y, op);
  EXPECT_EQ(y, reference::inclusive_scan(x, op));
}

TEST(recurrence, that_grows_beyond_all_numbers_is_refused) {
  recurrence const op({3.0});
  std::vector<double> x(10'000, 1), y(10'000);
  EXPECT_THROW(upsweep::inclusive_scan(x, y, op), precondition_error);
  x.resize(100);
  EXPECT_EQ(upsweep::reduce(x, polynomial(1.0)), 100);
}

}  // namespace upsweep::test
