/// Sorts, order statistics and runs of the C interface, by types and by callbacks.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/orders.hpp>
#include <support/random.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
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

// Sorts and order statistics of the C interface: every type against std::stable_sort by an order
// written here, and each error.

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
      std::vector<double> same(q);
      EXPECT_EQ(upsweep_quantile(type_of<T>(), x.data(), n, same.data(), 5, nullptr, &same[1]),
                UPSWEEP_INVALID_ARGUMENT);
      EXPECT_EQ(same, q);
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

// upsweep_sort_by and upsweep_unique_by: elements of many sizes beside the standard library, and
// each error.

/// An element of `size` bytes whose first is its key.
template <std::size_t size>
using bytes = std::array<unsigned char, size>;

template <std::size_t size>
std::vector<bytes<size>> random_elements(std::size_t n, unsigned keys, random_bits& next) {
  std::vector<bytes<size>> x(n);
  for (auto& element : x) {
    for (auto& byte : element) byte = static_cast<unsigned char>(next());
    element[0] = static_cast<unsigned char>(element[0] % keys);
  }
  return x;
}

int key(void const* element) {
  return *static_cast<unsigned char const*>(element);
}
int comes_first(void const* a, void const* b, void* calls) {
  if (calls) ++*static_cast<std::atomic<std::size_t>*>(calls);
  return key(a) < key(b) ? 42 : 0;  // anything but 0 is yes
}
int is_equal(void const* a, void const* b, void* calls) {
  if (calls) ++*static_cast<std::atomic<std::size_t>*>(calls);
  return key(a) == key(b) ? -1 : 0;
}

template <std::size_t size>
void check_size() {
  SCOPED_TRACE(size);
  random_bits next(upsweep::test::test_seed());
  for (std::size_t const n : {0u, 1u, 2u, 1000u, 70'001u})
    for (int const threads : {1, 3}) {
      upsweep_options o = UPSWEEP_OPTIONS_INIT;
      o.threads = threads;
      std::atomic<std::size_t> calls = 0;
      auto x = random_elements<size>(n, 200, next), expected = x;
      std::stable_sort(expected.begin(), expected.end(),
                       [](auto const& a, auto const& b) { return a[0] < b[0]; });
      ASSERT_EQ(upsweep_sort_by(x.data(), n, size, comes_first, &calls, &o), UPSWEEP_OK)
          << upsweep_last_error_message();
      EXPECT_TRUE(x == expected);
      EXPECT_EQ(calls > 0, n > 1);
      o.flags = UPSWEEP_REVERSE;
      std::stable_sort(expected.begin(), expected.end(),
                       [](auto const& a, auto const& b) { return a[0] > b[0]; });
      ASSERT_EQ(upsweep_sort_by(x.data(), n, size, comes_first, nullptr, &o), UPSWEEP_OK);
      EXPECT_TRUE(x == expected);

      o.flags = 0;
      calls = 0;
      x = random_elements<size>(n, 2, next);
      expected.clear();
      for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || x[i - 1][0] != x[i][0]) expected.push_back(x[i]);
      std::vector<bytes<size>> out(expected.size());
      std::size_t count = 99;
      ASSERT_EQ(upsweep_unique_by(x.data(), n, size, is_equal, &calls, &o, out.data(), out.size(),
                                  &count),
                UPSWEEP_OK)
          << upsweep_last_error_message();
      EXPECT_TRUE(out == expected);
      EXPECT_EQ(count, expected.size());
      EXPECT_EQ(calls, n > 0 ? n - 1 : 0);
      if (n == 0) continue;
      auto const last = out.back();
      out.back()[0] ^= 1;
      bytes<size> const fence = out.back();
      expect_refused(upsweep_unique_by(x.data(), n, size, is_equal, nullptr, &o, out.data(),
                                       out.size() - 1, &count),
                     UPSWEEP_CAPACITY, "upsweep_unique_by: `out` has room for");
      EXPECT_EQ(count, expected.size());
      EXPECT_TRUE(out.back() == fence);
      out.back() = last;
      EXPECT_TRUE(out == expected);
    }
}

TEST(c_callbacks, sort_and_unify_elements_of_any_size) {
  check_size<1>();
  check_size<3>();
  check_size<8>();
  check_size<100>();
}

TEST(c_callbacks, may_throw_anything_and_leave_the_elements_alone) {
  std::vector<int> x(50'000), out(x.size());
  std::iota(x.rbegin(), x.rend(), 0);
  auto const before = x;
  std::size_t count = 7;
  auto const throws = [](void const* a, void const* b, void*) {
    if (*static_cast<int const*>(a) == 777) throw 5;
    return static_cast<int>(*static_cast<int const*>(a) < *static_cast<int const*>(b));
  };
  expect_refused(upsweep_sort_by(x.data(), x.size(), sizeof(int), throws, nullptr, nullptr),
                 UPSWEEP_INTERNAL, "a function of the caller threw something");
  EXPECT_EQ(x, before);
  expect_refused(upsweep_unique_by(x.data(), x.size(), sizeof(int), throws, nullptr, nullptr,
                                   out.data(), out.size(), &count),
                 UPSWEEP_INTERNAL, "a function of the caller threw something");
  EXPECT_EQ(count, 7u);
}

TEST(c_callbacks, refuse_wrong_calls_and_leave_arrays_alone) {
  unsigned char x[4] = {3, 1, 2, 2}, out[4] = {9, 9, 9, 9};
  std::size_t count = 7;
  expect_refused(upsweep_sort_by(nullptr, 4, 1, comes_first, nullptr, nullptr), wrong,
                 "upsweep_sort_by: `x` is NULL, but n is 4");
  expect_refused(upsweep_sort_by(x, 4, 0, comes_first, nullptr, nullptr), wrong,
                 "element_size is 0");
  expect_refused(upsweep_sort_by(x, 4, 1, nullptr, nullptr, nullptr), wrong, "`less` is NULL");
  expect_refused(upsweep_sort_by(x, SIZE_MAX / 20, 100, comes_first, nullptr, nullptr), wrong,
                 "more elements than memory can hold");
  auto const unique = [&](void const* in, upsweep_equal equal, void* to, std::size_t* c) {
    return upsweep_unique_by(in, 4, 1, equal, nullptr, nullptr, to, 4, c);
  };
  expect_refused(unique(nullptr, is_equal, out, &count), wrong, "`in` is NULL");
  expect_refused(unique(x, nullptr, out, &count), wrong, "`equal` is NULL");
  expect_refused(unique(x, is_equal, nullptr, &count), wrong, "`out` is NULL, but capacity is 4");
  expect_refused(unique(x, is_equal, out, nullptr), wrong, "`count` is NULL");
  expect_refused(unique(x, is_equal, x, &count), wrong, "overlap");
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(std::vector(x, x + 4), (std::vector<unsigned char>{3, 1, 2, 2}));
  EXPECT_EQ(std::vector(out, out + 4), std::vector<unsigned char>(4, 9));
}

}  // namespace
