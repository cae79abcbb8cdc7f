/// Recurrences by the vector kernels against the definition, with every SIMD target.
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

/// Every size to 300, which pads, and around multiples of 64 and of the kernels' blocks.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= 300; ++n) all.push_back(n);
  for (std::size_t const n : {512u, 1024u, 2048u, 3072u, 4096u})
    for (std::size_t const m : {n - 64, n - 1, n, n + 1, n + 63}) all.push_back(m);
  return all;
}

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::mt19937 random(2026);
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  for (auto& e : x) e = static_cast<T>(normal(random));
  for (std::size_t i = 0; i < n; i = i < 6 ? i + 1 : i + 7) x[i] = T(-0.0);
  return x;
}

/// The results of the longest input; those of a shorter one are their beginning.
template <class T>
struct expectation {
  std::vector<T> x, inclusive, exclusive, behind, after_exclusive;

  template <class Op>
  expectation(std::vector<T> elements, Op const& op)
      : x(std::move(elements)),
        inclusive(reference::inclusive_scan(x, op)),
        exclusive(reference::exclusive_scan(x, op)),
        behind(reference::inclusive_scan(x, op, std::optional(op.lift(1.5)))),
        after_exclusive(reference::exclusive_scan(x, op, std::optional(op.lift(1.5)))) {}
};

template <class T>
void expect_same(std::vector<T> const& expected, std::vector<T> const& y, char const* what) {
  for (std::size_t i = 0; i < y.size(); ++i)
    ASSERT_TRUE(same(expected[i], y[i]))
        << what << " of " << y.size() << ": result " << i << " is " << y[i] << ", not "
        << expected[i] << ", with " << host::simd::target();
}

template <class T, class Op>
void expect_all(expectation<T> const& e, Op const& op, std::size_t n, cpu const& on) {
  std::span const x = std::span(e.x).first(n);
  std::vector<T> y(n);
  upsweep::inclusive_scan(on, x, y, op);
  expect_same(e.inclusive, y, "inclusive scan");
  upsweep::exclusive_scan(on, x, y, op);
  expect_same(e.exclusive, y, "exclusive scan");
  upsweep::inclusive_scan(on, x, y, op, {.initial = op.lift(1.5)});
  expect_same(e.behind, y, "inclusive scan with an initial value");
  upsweep::exclusive_scan(on, x, y, op, {.initial = op.lift(1.5)});
  expect_same(e.after_exclusive, y, "exclusive scan with an initial value");
  y.assign(x.begin(), x.end());
  upsweep::inclusive_scan(on, y, y, op);
  expect_same(e.inclusive, y, "inclusive scan in place");
  y.assign(x.begin(), x.end());
  upsweep::exclusive_scan(on, y, y, op);
  expect_same(e.exclusive, y, "exclusive scan in place");
  ASSERT_TRUE(same(e.inclusive[n - 1], T(upsweep::reduce(on, x, op)))) << "reduction of " << n;
}

/// With every SIMD target, of at least `least` elements.
template <class T, class Op>
void expect_everywhere(std::vector<T> const& x, Op const& op, std::size_t least = 1) {
  expectation<T> const e(x, op);
  for (auto const& name : host::simd::targets()) {
    host::simd::forced_target const here(name);
    for (std::size_t const n : sizes()) {
      if (n < least) continue;
      expect_all(e, op, n, {.threads = 1});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  for (std::size_t const n : {4096u, 4159u}) expect_all(e, op, n, {.threads = 3});
}

template <class Op>
class recurrence_kernels : public testing::Test {};
using orders = testing::Types<recurrence<1, float>, recurrence<2, float>, recurrence<3, float>,
                              recurrence<4, float>, recurrence<1, double>, recurrence<2, double>,
                              recurrence<3, double>, recurrence<4, double>>;
TYPED_TEST_SUITE(recurrence_kernels, orders);

template <std::size_t order, class T>
recurrence<order, T> filter(recurrence<order, T>*, double first, double others) {
  T a[order];
  for (std::size_t k = 0; k < order; ++k)
    a[k] = static_cast<T>((k == 0 ? first : others) / static_cast<double>(k * k + 1));
  return recurrence<order, T>(a);
}

TYPED_TEST(recurrence_kernels, have_the_bits_of_the_tree) {
  using T = decltype(TypeParam::state::y[0] + 0);
  using number = std::remove_cvref_t<T>;
  auto const op = filter(static_cast<TypeParam*>(nullptr), 0.6, 0.3);
  auto x = numbers<number>(4'159);
  expect_everywhere(x, op);
  x[700] = std::numeric_limits<number>::infinity();
  expect_everywhere(x, op, 701);  // shorter ones have been seen
}

TYPED_TEST(recurrence_kernels, have_the_bits_of_the_tree_where_results_grow) {
  using T = decltype(TypeParam::state::y[0] + 0);
  using number = std::remove_cvref_t<T>;
  auto const op = filter(static_cast<TypeParam*>(nullptr), 1.01, 0.01);
  expectation<number> const e(numbers<number>(2'000), op);
  for (std::size_t const n : {63u, 65u, 700u, 1'025u, 2'000u}) expect_all(e, op, n, {.threads = 1});
}

/// Its power for 2^11 elements is infinite, but no block of these is a right operand before 2^12.
TEST(recurrence_kernels_limits, take_filters_whose_powers_overflow_late_and_refuse_them_later) {
  recurrence const op({1.05f});
  ASSERT_GT(op.finite_powers(), 10u);
  ASSERT_LT(op.finite_powers(), 13u);
  std::vector<float> x(20'000, 0), y(x.size());
  x[0] = 1e-30f;
  std::vector<float> const small(x.begin(), x.begin() + 2'000);
  y.resize(small.size());
  upsweep::inclusive_scan(cpu{.threads = 1}, small, y, op);
  EXPECT_EQ(y, reference::inclusive_scan(small, op));
  y.resize(x.size());
  EXPECT_THROW(upsweep::inclusive_scan(cpu{.threads = 1}, x, y, op), precondition_error);
  EXPECT_THROW((void)upsweep::reduce(cpu{.threads = 1}, x, op), precondition_error);
}

/// Its powers overflow inside a block of a kernel, so the operator itself scans.
TEST(recurrence_kernels_limits, leave_filters_that_explode_to_the_operator) {
  recurrence const op({3.0f, 1.0f});
  std::vector<float> const x(50, 1e-10f);
  std::vector<float> y(x.size());
  upsweep::inclusive_scan(cpu{.threads = 1}, x, y, op);
  EXPECT_EQ(y, reference::inclusive_scan(x, op));
  EXPECT_EQ(upsweep::reduce(x, op), y.back());
}

TEST(recurrence_kernels_sources, may_be_of_another_type_or_no_memory) {
  recurrence const op({0.5, 0.25});
  std::vector<std::int16_t> x(3'001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(i * i % 201 - 100);
  auto const expected = reference::inclusive_scan(x, op);
  for (int const threads : {1, 3}) {
    cpu const on{.threads = threads};
    std::vector<double> y(x.size());
    upsweep::inclusive_scan(on, x, y, op);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(upsweep::reduce(on, x, op), expected.back());
    std::deque<double> results(x.size());
    upsweep::inclusive_scan(on, std::deque<std::int16_t>(x.begin(), x.end()), results, op);
    EXPECT_EQ(std::vector<double>(results.begin(), results.end()), expected);
    std::vector<std::int16_t> const backwards(x.rbegin(), x.rend());
    upsweep::inclusive_scan(on, backwards, y, op, {.reverse = true});
    EXPECT_EQ(std::vector<double>(y.rbegin(), y.rend()), expected);
    auto const twice = [](std::int16_t v) { return 2.0 * v; };
    EXPECT_EQ(upsweep::transform_reduce(on, x, twice, op), 2 * expected.back());
  }
}

/// 16 MiB and more are written past the caches.
TEST(recurrence_kernels_sources, may_be_larger_than_the_caches) {
  recurrence const op({0.75f});
  auto const x = numbers<float>((std::size_t{1} << 22) + 77);
  std::vector<float> y(x.size()), in_place = x;
  upsweep::inclusive_scan(cpu{.threads = 1}, x, y, op);
  upsweep::inclusive_scan(cpu{.threads = 2}, in_place, in_place, op);
  EXPECT_EQ(y, in_place);
  EXPECT_EQ(y.back(), upsweep::reduce(x, op));
  auto const beginning =
      reference::inclusive_scan(std::vector<float>(x.begin(), x.begin() + 3'000), op);
  EXPECT_TRUE(std::equal(beginning.begin(), beginning.end(), y.begin()));
}

}  // namespace
}  // namespace upsweep::test
