/// Histograms and recurrences of the C interface: every type against plain loops, and each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::for_each_type_in_c;
using upsweep::test::random_bits;
using upsweep::test::type_of;
using upsweep::test::wrong;

/// Numbers from -60 or 0 to 120, many of them on borders; of floats, NaN and infinity too.
template <class T>
std::vector<T> numbers(std::size_t n, random_bits& next) {
  std::vector<T> x(n);
  for (T& value : x) {
    auto const k = static_cast<float>(next.below(120));
    value = static_cast<T>(std::is_unsigned_v<T> ? k : k - 60);
    if constexpr (!std::is_integral_v<T>) {
      if (next.below(50) == 0) value = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
      if (next.below(50) == 0) value = static_cast<T>(-std::numeric_limits<float>::infinity());
    }
  }
  return x;
}

struct counted {
  std::vector<std::uint64_t> bins;
  upsweep_outside_counts outside;
  explicit counted(std::size_t size) : bins(size), outside{} {}
  friend bool operator==(counted const& a, counted const& b) {
    return a.bins == b.bins && a.outside.below == b.outside.below &&
           a.outside.above == b.outside.above && a.outside.nan == b.outside.nan;
  }
};

/// By looking at every border for every element.
template <class T>
counted expected(std::vector<T> const& x, std::vector<double> const& levels, bool closed_right) {
  counted c(levels.size() - 1);
  for (T const element : x) {
    auto const value = static_cast<double>(element);
    if (std::isnan(value)) {
      ++c.outside.nan;
    } else if (value < levels.front()) {
      ++c.outside.below;
    } else if (value > levels.back() || (value == levels.back() && !closed_right)) {
      ++c.outside.above;
    } else {
      std::size_t b = levels.size() - 2;
      while (value < levels[b]) --b;
      ++c.bins[b];
    }
  }
  return c;
}

TEST(c_histograms, agree_with_plain_loops_for_every_type) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  for_each_type_in_c([&]<class T>() {
    for (std::size_t const n : {0u, 1u, 1000u, 100'000u})
      for (bool const closed : {false, true}) {
        SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", n = " + std::to_string(n));
        upsweep_options o = UPSWEEP_OPTIONS_INIT;
        o.flags = closed ? unsigned{UPSWEEP_CLOSED_RIGHT} : 0u;
        auto const x = numbers<T>(n, next);
        std::vector<double> even, given{-7.5, 0, 0.5, 1, 30, 50};
        for (int b = 0; b < 10; ++b) even.push_back(-10 + b * (70.0 / 10));
        even.push_back(60);
        counted found(10);
        ASSERT_EQ(upsweep_histogram(type_of<T>(), x.data(), n, -10, 60, 10, &o, found.bins.data(),
                                    &found.outside),
                  UPSWEEP_OK)
            << upsweep_last_error_message();
        EXPECT_TRUE(found == expected(x, even, closed));
        counted between(5);
        ASSERT_EQ(upsweep_histogram_levels(type_of<T>(), x.data(), n, given.data(), 5, &o,
                                           between.bins.data(), &between.outside),
                  UPSWEEP_OK)
            << upsweep_last_error_message();
        EXPECT_TRUE(between == expected(x, given, closed));
      }
  });
}

TEST(c_histograms, compare_large_integers_exactly) {
  std::int64_t const edge = std::int64_t{1} << 53;
  std::int64_t const x[] = {edge - 1, edge, edge + 1};
  double const levels[] = {0, static_cast<double>(edge), 0x1p60};
  std::uint64_t counts[2];
  ASSERT_EQ(upsweep_histogram_levels(UPSWEEP_I64, x, 3, levels, 2, nullptr, counts, nullptr),
            UPSWEEP_OK);
  EXPECT_EQ(counts[0], 1u);
  EXPECT_EQ(counts[1], 2u);
}

TEST(c_histograms, count_indices_of_every_integer_type) {
  random_bits next(upsweep::test::test_seed());
  for_each_type_in_c([&]<class T>() {
    std::uint64_t counts[100];
    if constexpr (!std::is_integral_v<T>) {
      T const x{};
      expect_refused(upsweep_count_indices(type_of<T>(), &x, 1, nullptr, counts, 100),
                     UPSWEEP_UNSUPPORTED, "indices must be integers, not UPSWEEP_");
    } else {
      std::vector<T> x(50'000);
      std::vector<std::uint64_t> wanted(100);
      for (T& i : x) ++wanted[static_cast<std::size_t>(i = static_cast<T>(next.below(100)))];
      ASSERT_EQ(upsweep_count_indices(type_of<T>(), x.data(), x.size(), nullptr, counts, 100),
                UPSWEEP_OK);
      EXPECT_EQ(std::vector(counts, counts + 100), wanted);
      x[777] = static_cast<T>(std::is_signed_v<T> ? -1 : 100);
      expect_refused(upsweep_count_indices(type_of<T>(), x.data(), x.size(), nullptr, counts, 100),
                     wrong, "position 777");
      EXPECT_EQ(std::vector(counts, counts + 100), wanted);
    }
  });
}

/// The weights of each bin in input order, reduced by the C interface.
template <class T, class W>
void check_weights(upsweep_operator op, bool closed, random_bits& next) {
  std::vector<double> const levels{-7.5, 0, 0.5, 1, 30, 50};
  std::size_t const n = 20'000;
  auto const x = numbers<T>(n, next);
  std::vector<W> weights(n);
  for (W& w : weights) w = static_cast<W>(static_cast<float>(next.below(800)) / 7);
  std::vector<std::vector<W>> of_bins(5);
  for (std::size_t i = 0; i < n; ++i) {
    counted const one = expected(std::vector<T>{x[i]}, levels, closed);
    for (std::size_t b = 0; b < 5; ++b)
      if (one.bins[b] > 0) of_bins[b].push_back(weights[i]);
  }
  upsweep_type result;
  ASSERT_EQ(upsweep_result_type(type_of<W>(), op, &result), UPSWEEP_OK);
  std::size_t const bytes = upsweep_type_size(result);
  std::vector<std::uint64_t> wanted(5), found(5);
  for (std::size_t b = 0; b < 5; ++b)
    ASSERT_EQ(upsweep_reduce(type_of<W>(), op, of_bins[b].data(), of_bins[b].size(), nullptr,
                             reinterpret_cast<char*>(wanted.data()) + b * bytes),
              UPSWEEP_OK);
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = closed ? unsigned{UPSWEEP_CLOSED_RIGHT} : 0u;
  upsweep_histogram_weights const w{type_of<W>(), op, weights.data()};
  counted outside(5);
  ASSERT_EQ(upsweep_weighted_histogram_levels(type_of<T>(), x.data(), &w, n, levels.data(), 5, &o,
                                              found.data(), &outside.outside),
            UPSWEEP_OK)
      << upsweep_last_error_message();
  EXPECT_EQ(found, wanted);
  counted const all = expected(x, levels, closed);
  outside.bins = all.bins;
  EXPECT_TRUE(outside == all);
}

TEST(c_histograms, reduce_the_weights_of_each_bin_with_its_bits) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  for_each_type_in_c([&]<class T>() {
    for (bool const closed : {false, true}) {
      check_weights<T, float>(UPSWEEP_SUM, closed, next);
      check_weights<double, T>(UPSWEEP_SUM, closed, next);
      check_weights<float, T>(UPSWEEP_MAX, closed, next);
    }
    if constexpr (std::is_integral_v<T>) check_weights<float, T>(UPSWEEP_BIT_XOR, false, next);
  });
  check_weights<float, double>(UPSWEEP_EXACT_SUM, true, next);
}

TEST(c_histograms, refuse_wrong_weights_and_leave_results_alone) {
  double const x[4] = {1, 2, 3, 4};
  double results[4] = {-1, -1, -1, -1};
  upsweep_outside_counts outside = {9, 9, 9};
  upsweep_histogram_weights w{UPSWEEP_F64, UPSWEEP_SUM, x};
  auto even = [&](double high, std::size_t bins, void* to, upsweep_options const* o = nullptr) {
    return upsweep_weighted_histogram(UPSWEEP_F64, x, &w, 4, 0, high, bins, o, to, &outside);
  };
  expect_refused(even(1, 0, results), wrong, "there are no bins");
  expect_refused(even(0, 4, results), wrong, "must be above the lower");
  expect_refused(even(1, 4, nullptr), wrong,
                 "upsweep_weighted_histogram: `results` is NULL, but bins is 4");
  expect_refused(even(1, 4, reinterpret_cast<char*>(results) + 4), wrong, "not aligned");
  expect_refused(even(1, 4, const_cast<double*>(x)), wrong, "overlap");
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.initial = x;
  expect_refused(even(1, 4, results, &o), wrong, "takes no initial value");
  w.first = nullptr;
  expect_refused(even(1, 4, results), wrong, "`weights->first` is NULL, but n is 4");
  w = {UPSWEEP_F64, UPSWEEP_GCD, x};
  expect_refused(even(1, 4, results), UPSWEEP_UNSUPPORTED, "UPSWEEP_GCD is not defined for");
  expect_refused(
      upsweep_weighted_histogram(UPSWEEP_F64, x, nullptr, 4, 0, 1, 4, nullptr, results, &outside),
      wrong, "`weights` is NULL");
  w = {UPSWEEP_F64, UPSWEEP_SUM, x};
  expect_refused(upsweep_weighted_histogram_levels(UPSWEEP_F64, x, &w, 4, results, 3, nullptr,
                                                   results, &outside),
                 wrong, "overlap");
  EXPECT_EQ(std::vector(results, results + 4), std::vector<double>(4, -1));
  w.op = UPSWEEP_ARGMIN;
  std::uint64_t places[4];
  expect_refused(even(100, 4, places), wrong, "");
  EXPECT_EQ(outside.below + outside.above + outside.nan, 27u);
}

TEST(c_histograms, refuse_wrong_calls_and_leave_counts_alone) {
  double const x[4] = {1, 2, 3, 4}, levels[3] = {0, 2, 2};
  std::uint64_t counts[4] = {9, 9, 9, 9};
  upsweep_outside_counts outside = {9, 9, 9};
  auto even = [&](void const* in, double low, double high, std::size_t bins, std::uint64_t* to,
                  upsweep_options const* o = nullptr) {
    return upsweep_histogram(UPSWEEP_F64, in, 4, low, high, bins, o, to, &outside);
  };
  expect_refused(even(nullptr, 0, 1, 4, counts), wrong, "upsweep_histogram: `in` is NULL");
  expect_refused(even(x, 0, 1, 4, nullptr), wrong, "`counts` is NULL, but bins is 4");
  expect_refused(even(reinterpret_cast<char const*>(x) + 1, 0, 1, 4, counts), wrong, "not aligned");
  expect_refused(even(x, 0, 1, 0, counts), wrong, "there are no bins");
  expect_refused(even(x, 0, 1, std::size_t{1} << 31, counts), wrong, "at most 2147483647 bins");
  expect_refused(even(x, 1, 1, 4, counts), wrong, "must be above the lower");
  expect_refused(even(x, 0, std::numeric_limits<double>::infinity(), 4, counts), wrong, "finite");
  expect_refused(even(counts, 0, 1, 4, counts), wrong, "overlap");
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = UPSWEEP_REVERSE;
  expect_refused(even(x, 0, 1, 4, counts, &o), wrong, "the only flag is UPSWEEP_CLOSED_RIGHT");
  auto between = [&](double const* at, std::size_t bins) {
    return upsweep_histogram_levels(UPSWEEP_F64, x, 4, at, bins, nullptr, counts, &outside);
  };
  expect_refused(between(nullptr, 2), wrong, "upsweep_histogram_levels: `levels` is NULL");
  expect_refused(between(levels, 2), wrong, "level 2 of 3 is not above the one before it");
  expect_refused(between(levels, 0), wrong, "there are no bins");
  expect_refused(between(reinterpret_cast<double const*>(counts), 2), wrong, "overlap");
  expect_refused(upsweep_count_indices(UPSWEEP_U64, counts, 4, nullptr, counts, 4), wrong,
                 "overlap");
  EXPECT_EQ(std::vector(counts, counts + 4), std::vector<std::uint64_t>(4, 9));
  EXPECT_EQ(outside.below + outside.above + outside.nan, 27u);
}

template <class T>
void check_recurrence(upsweep_type type) {
  std::vector<T> x(50'000), out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(static_cast<double>(i % 17) - 8);
  double const a[] = {0.5, -0.25, 0.125, 0.0625};
  T const before[] = {1, 2, 3, 4};
  for (std::size_t order = 1; order <= 4; ++order) {
    SCOPED_TRACE("order " + std::to_string(order));
    for (bool const reverse : {false, true}) {
      upsweep_options o = UPSWEEP_OPTIONS_INIT;
      o.initial = before;
      o.flags = reverse ? unsigned{UPSWEEP_REVERSE} : 0u;
      ASSERT_EQ(upsweep_recurrence(type, a, order, x.data(), x.size(), &o, out.data()), UPSWEEP_OK)
          << upsweep_last_error_message();
      std::vector<double> y(before, before + order);  // the latest first
      for (std::size_t k = 0; k < x.size(); ++k) {
        std::size_t const i = reverse ? x.size() - 1 - k : k;
        double next = static_cast<double>(x[i]);
        for (std::size_t j = 0; j < order; ++j) next += a[j] * y[j];
        y.insert(y.begin(), next);
        y.pop_back();
        ASSERT_NEAR(static_cast<double>(out[i]), next, sizeof(T) == 4 ? 1e-4 : 1e-12) << i;
      }
    }
  }
  upsweep::recurrence<2, T> const op({static_cast<T>(0.5), static_cast<T>(-0.25)});
  std::vector<T> expected(x.size());
  upsweep::inclusive_scan(x, expected, op);
  ASSERT_EQ(upsweep_recurrence(type, a, 2, x.data(), x.size(), nullptr, x.data()), UPSWEEP_OK);
  EXPECT_EQ(std::memcmp(x.data(), expected.data(), x.size() * sizeof(T)), 0);
}

TEST(c_recurrences, follow_the_plain_loop_and_have_the_bits_of_the_cpp_interface) {
  check_recurrence<float>(UPSWEEP_F32);
  check_recurrence<double>(UPSWEEP_F64);
}

TEST(c_recurrences, refuse_wrong_calls) {
  double x[4] = {1, 2, 3, 4}, out[4] = {-1, -1, -1, -1}, a[5] = {0.5};
  auto run = [&](upsweep_type type, double const* c, std::size_t order, void const* in, void* to) {
    return upsweep_recurrence(type, c, order, in, 3, nullptr, to);
  };
  expect_refused(run(UPSWEEP_I64, a, 1, x, out), UPSWEEP_UNSUPPORTED,
                 "UPSWEEP_F32 and UPSWEEP_F64");
  expect_refused(run(UPSWEEP_F64, a, 0, x, out), wrong, "the order is 0; it is between 1 and 4");
  expect_refused(run(UPSWEEP_F64, a, 5, x, out), wrong, "the order is 5");
  expect_refused(run(UPSWEEP_F64, nullptr, 1, x, out), wrong, "`coefficients` is NULL");
  expect_refused(run(UPSWEEP_F64, a, 1, nullptr, out), wrong, "`in` is NULL");
  expect_refused(run(UPSWEEP_F64, a, 1, x, nullptr), wrong, "`out` is NULL");
  expect_refused(run(UPSWEEP_F64, a, 1, x, x + 1), wrong, "overlap");
  double const infinite[] = {0.5, std::numeric_limits<double>::infinity()};
  expect_refused(run(UPSWEEP_F64, infinite, 2, x, out), wrong, "coefficient 1 is inf");
  EXPECT_EQ(std::vector(out, out + 4), std::vector<double>(4, -1));
  EXPECT_EQ(x[1], 2);
  std::vector<double> long_input(5000, 1);
  a[0] = 1e100;
  expect_refused(upsweep_recurrence(UPSWEEP_F64, a, 1, long_input.data(), long_input.size(),
                                    nullptr, long_input.data()),
                 wrong, "the results overflow within");
}

}  // namespace
