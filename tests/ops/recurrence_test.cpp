/// Linear recurrences against the loop that defines them.
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
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

TEST(recurrence, continues_behind_earlier_results) {
  recurrence const op({std::int64_t{1}, std::int64_t{1}});
  std::vector<int> const nothing(10);
  std::vector<std::int64_t> fibonacci(10);
  upsweep::inclusive_scan(nothing, fibonacci, op, {.initial = op.after({1, 0})});
  EXPECT_EQ(fibonacci, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13, 21, 34, 55, 89}));
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

TEST(recurrence, that_grows_beyond_all_numbers_is_refused) {
  recurrence const op({3.0});
  std::vector<double> x(10'000, 1), y(10'000);
  EXPECT_THROW(upsweep::inclusive_scan(x, y, op), precondition_error);
  x.resize(100);
  EXPECT_EQ(upsweep::reduce(x, polynomial(1.0)), 100);
}

}  // namespace upsweep::test
