/// Sorts and order statistics of the C interface: every type against std::stable_sort by an order
/// written here, and each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/interpolated.hpp>
#include <support/random.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace upsweep::test;

constexpr std::size_t lengths[] = {0, 1, 2, 100, 5000, 300'000};
/// Large arrays are divided into buckets on 4 threads and more. A type of each size shows it.
template <class T>
constexpr bool shows_buckets =
    std::is_same_v<T, std::int16_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Random bits, so that floats include NaN with both signs, infinities and subnormals; every tenth
/// is a zero of either sign, for equal elements.
template <class T>
std::vector<T> random_patterns(std::size_t n, random_bits& next) {
  std::vector<T> x(n);
  for (T& value : x) {
    std::uint64_t const bits = next();
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    if (next.below(10) == 0) value = static_cast<T>(next.below(2) == 0 ? 0.0f : -0.0f);
  }
  return x;
}

/// Whether a comes before b: integers by <; floats by sign and magnitude.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    using bits =
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    auto const x = std::bit_cast<bits>(a), y = std::bit_cast<bits>(b);
    bits const sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    bool const x_negative = (x & sign) != 0, y_negative = (y & sign) != 0;
    if (x_negative != y_negative) return x_negative;
    return x_negative ? x > y : x < y;
  }
}

template <class T>
std::vector<std::uint64_t> expected_order(std::vector<T> const& x, bool descending) {
  std::vector<std::uint64_t> order(x.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t p, std::uint64_t q) {
    return descending ? before(x[q], x[p]) : before(x[p], x[q]);
  });
  return order;
}

template <class T>
std::vector<T> in_order(std::vector<T> const& x, std::vector<std::uint64_t> const& order) {
  std::vector<T> sorted;
  for (std::uint64_t const i : order) sorted.push_back(x[i]);
  return sorted;
}

/// Calls f.operator()<T>(x, order, options) for inputs of every type, in both directions.
template <class F>
void for_every_order(F const& f) {
  SCOPED_TRACE(seed_note());
  random_bits next(test_seed());
  for_each_type_in_c([&]<class T>() {
    for (std::size_t const n : lengths) {
      if (n > 100'000 && !shows_buckets<T>) continue;
      for (bool const descending : {false, true}) {
        SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", n = " + std::to_string(n) +
                     (descending ? ", descending" : ""));
        auto const x = random_patterns<T>(n, next);
        upsweep_options o = UPSWEEP_OPTIONS_INIT;
        o.flags = descending ? unsigned{UPSWEEP_REVERSE} : 0u;
        auto const order = expected_order(x, descending);
        for (int const threads : {1, 5}) {
          if (n > 100'000 && threads == 1) continue;
          o.threads = threads;
          f.template operator()<T>(x, order, o);
        }
      }
    }
  });
}

TEST(c_sorts, order_every_type_in_both_directions) {
  for_every_order([]<class T>(std::vector<T> const& x, std::vector<std::uint64_t> const& order,
                              upsweep_options const& o) {
    auto const expected = in_order(x, order);
    std::vector<T> out(x.size()), in_place = x;
    ASSERT_EQ(upsweep_sort(type_of<T>(), x.data(), x.size(), &o, out.data()), UPSWEEP_OK)
        << upsweep_last_error_message();
    EXPECT_TRUE(same_bytes(out, expected));
    ASSERT_EQ(upsweep_sort(type_of<T>(), in_place.data(), x.size(), &o, in_place.data()),
              UPSWEEP_OK);
    EXPECT_TRUE(same_bytes(in_place, expected));
    std::vector<std::uint64_t> positions(x.size());
    ASSERT_EQ(upsweep_argsort(type_of<T>(), x.data(), x.size(), &o, positions.data()), UPSWEEP_OK);
    EXPECT_EQ(positions, order);
  });
}

template <class V, class T>
void check_sort_by_key(std::vector<T> const& x, std::vector<std::uint64_t> const& order,
                       upsweep_options const& o) {
  std::vector<V> values(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    values[i] = static_cast<V>(static_cast<float>(i % 128));
  auto const expected = in_order(values, order);
  std::vector<T> keys = x;
  ASSERT_EQ(
      upsweep_sort_by_key(type_of<T>(), keys.data(), type_of<V>(), values.data(), x.size(), &o),
      UPSWEEP_OK)
      << upsweep_last_error_message();
  EXPECT_TRUE(same_bytes(keys, in_order(x, order)));
  EXPECT_TRUE(same_bytes(values, expected));
}

TEST(c_sorts, move_values_of_any_size_along_with_their_keys) {
  for_every_order([]<class T>(std::vector<T> const& x, std::vector<std::uint64_t> const& order,
                              upsweep_options const& o) {
    check_sort_by_key<std::int8_t>(x, order, o);
    check_sort_by_key<upsweep::bfloat16>(x, order, o);
    check_sort_by_key<float>(x, order, o);
    check_sort_by_key<std::uint64_t>(x, order, o);
  });
}

TEST(c_sorts, find_the_largest_and_the_smallest) {
  for_every_order([]<class T>(std::vector<T> const& x, std::vector<std::uint64_t> const& order,
                              upsweep_options const& o) {
    auto const sorted = in_order(x, order);
    // Largest first is what a descending order begins with.
    upsweep_options opposite = o;
    opposite.flags = o.flags ^ unsigned { UPSWEEP_REVERSE };
    for (std::size_t const k :
         {std::size_t{0}, std::size_t{1}, std::size_t{40}, x.size(), x.size() + 9}) {
      std::vector<T> out(std::min(k, x.size()));
      ASSERT_EQ(upsweep_top(type_of<T>(), x.data(), x.size(), k, &opposite, out.data()), UPSWEEP_OK)
          << upsweep_last_error_message();
      EXPECT_TRUE(std::equal(out.begin(), out.end(), sorted.begin(), [](T const& a, T const& b) {
        return std::memcmp(&a, &b, sizeof a) == 0;
      })) << k;
    }
  });
}

TEST(c_sorts, interpolate_quantiles_one_or_many_at_once) {
  SCOPED_TRACE(seed_note());
  random_bits next(test_seed());
  std::vector<double> const q{0.5, 0, 1, 0.25, 0.999, 0.123};
  for_each_type_in_c([&]<class T>() {
    for (std::size_t const n : {1u, 2u, 1001u, 200'000u}) {
      SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", n = " + std::to_string(n));
      std::vector<T> x(n);
      for (T& value : x) value = random_element<T>(next);
      std::vector<T> sorted = x;
      std::sort(sorted.begin(), sorted.end());
      std::vector<double> out(q.size());
      ASSERT_EQ(
          upsweep_quantile(type_of<T>(), x.data(), n, q.data(), q.size(), nullptr, out.data()),
          UPSWEEP_OK)
          << upsweep_last_error_message();
      for (std::size_t k = 0; k < q.size(); ++k) {
        EXPECT_EQ(out[k], quantile_of_sorted(sorted, q[k])) << q[k];
        double one = 0;
        ASSERT_EQ(upsweep_quantile(type_of<T>(), x.data(), n, &q[k], 1, nullptr, &one), UPSWEEP_OK);
        EXPECT_EQ(one, out[k]);
      }
      if constexpr (!std::is_integral_v<T>) {
        x[n / 2] = static_cast<T>(-std::numeric_limits<float>::quiet_NaN());
        ASSERT_EQ(upsweep_quantile(type_of<T>(), x.data(), n, q.data(), 2, nullptr, out.data()),
                  UPSWEEP_OK);
        EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
        x[n / 2] = static_cast<T>(std::numeric_limits<float>::infinity());
        double const last = 1;
        ASSERT_EQ(upsweep_quantile(type_of<T>(), x.data(), n, &last, 1, nullptr, out.data()),
                  UPSWEEP_OK);
        EXPECT_EQ(out[0], std::numeric_limits<double>::infinity());
      }
    }
  });
}

TEST(c_sorts, refuse_wrong_calls_and_leave_arrays_alone) {
  double x[4] = {4, 3, 2, 1}, out[4] = {-1, -1, -1, -1}, q = 0.5;
  std::uint64_t order[4] = {9, 9, 9, 9};
  char* const odd = reinterpret_cast<char*>(x) + 4;
  auto const f64 = UPSWEEP_F64;
  expect_refused(upsweep_sort(static_cast<upsweep_type>(-1), x, 4, nullptr, out), wrong,
                 "-1 is not an upsweep_type");
  expect_refused(upsweep_sort(f64, nullptr, 4, nullptr, out), wrong,
                 "upsweep_sort: `in` is NULL, but n is 4");
  expect_refused(upsweep_sort(f64, x, 4, nullptr, nullptr), wrong, "`out` is NULL, but n is 4");
  expect_refused(upsweep_sort(f64, odd, 3, nullptr, out), wrong, "`in` is not aligned");
  expect_refused(upsweep_sort(f64, x, 3, nullptr, x + 1), wrong, "overlap");
  expect_refused(upsweep_argsort(f64, x, 4, nullptr, nullptr), wrong, "`out` is NULL");
  expect_refused(upsweep_argsort(UPSWEEP_U64, order, 4, nullptr, order), wrong, "overlap");
  expect_refused(upsweep_sort_by_key(f64, x, f64, nullptr, 4, nullptr), wrong, "`values` is NULL");
  expect_refused(upsweep_sort_by_key(f64, x, f64, x + 2, 3, nullptr), wrong, "overlap");
  expect_refused(upsweep_sort_by_key(f64, x, static_cast<upsweep_type>(0), out, 4, nullptr), wrong,
                 "0 is not an upsweep_type");
  expect_refused(upsweep_top(f64, x, 4, 2, nullptr, x + 3), wrong, "overlap");
  expect_refused(upsweep_top(f64, x, 4, 2, nullptr, nullptr), wrong, "`out` is NULL");
  expect_refused(upsweep_quantile(f64, x, 4, &q, 1, nullptr, x), wrong,
                 "quantiles: two of its arrays overlap");
  expect_refused(upsweep_sort(f64, x, PTRDIFF_MAX / 8 + 1, nullptr, out), wrong,
                 "more elements than memory can hold");
  expect_refused(upsweep_quantile(f64, x, 0, &q, 1, nullptr, out), wrong, "the input is empty");
  expect_refused(upsweep_quantile(f64, x, 4, nullptr, 1, nullptr, out), wrong, "`q` is NULL");
  double const outside[] = {0.5, 1.5}, nan[] = {std::numeric_limits<double>::quiet_NaN()};
  expect_refused(upsweep_quantile(f64, x, 4, outside, 2, nullptr, out), wrong, "between 0 and 1");
  expect_refused(upsweep_quantile(f64, x, 4, nan, 1, nullptr, out), wrong, "between 0 and 1");
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = UPSWEEP_REVERSE;
  expect_refused(upsweep_quantile(f64, x, 4, &q, 1, &o, out), wrong, "takes no flags");
  o.flags = UPSWEEP_CLOSED_RIGHT;
  expect_refused(upsweep_sort(f64, x, 4, &o, out), wrong, "the only flag is UPSWEEP_REVERSE");
  o = UPSWEEP_OPTIONS_INIT;
  o.initial = x;
  expect_refused(upsweep_sort(f64, x, 4, &o, out), wrong, "takes no initial value");
  EXPECT_EQ(std::vector(x, x + 4), (std::vector<double>{4, 3, 2, 1}));
  EXPECT_EQ(std::vector(out, out + 4), std::vector<double>(4, -1));
  EXPECT_EQ(std::vector(order, order + 4), std::vector<std::uint64_t>(4, 9));
}

}  // namespace
