/// Contract 13: sorts are stable, in a total order of numbers, and leave the input as it was when
/// the order throws.
#pragma once

#include <conformance/contract_test.hpp>
#include <support/bits.hpp>
#include <support/orders.hpp>
#include <support/random.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

/// Elements in seven distributions: random bits (NaN and infinities among them), few values,
/// sorted, reversed, one value, up and down, and sorted with some after them.
template <class T>
std::vector<std::vector<T>> samples(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<std::vector<T>> all(7, std::vector<T>(n));
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const bits = next();
    if constexpr (std::is_same_v<T, bool>)
      all[0][i] = bits % 2 == 0;
    else
      std::memcpy(static_cast<void*>(&all[0][i]), &bits, sizeof(T));
    auto const small = [](std::size_t k) {
      return static_cast<T>(static_cast<std::int8_t>(k % 101));
    };
    all[1][i] = small(bits % 5);
    all[2][i] = small(i / 300);
    all[4][i] = static_cast<T>(1);
    all[5][i] = small(i < n / 2 ? i : n - i);
  }
  std::stable_sort(all[2].begin(), all[2].end(), comes_before<T>);
  all[3].assign(all[2].rbegin(), all[2].rend());
  all[6] = all[2];
  std::copy(all[0].begin(), all[0].begin() + static_cast<std::ptrdiff_t>(n / 9),
            all[6].end() - static_cast<std::ptrdiff_t>(n / 9));
  return all;
}

inline std::vector<std::size_t> sorting_sizes() {
  return {0, 1, 2, 127, 128, 129, 5'000, 40'001};
}

template <class T>
testing::AssertionResult are_the_same(std::vector<T> const& a, std::vector<T> const& b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    if (comes_before<T>(a[i], b[i]) || comes_before<T>(b[i], a[i]))
      return testing::AssertionFailure() << "element " << i << " of " << b.size();
  return testing::AssertionSuccess();
}

/// Whether keys are also sorted down. Small ones on `cpu` are in `make test-full` only: tests/c_api
/// sorts all types both ways by the same code, and each takes two seconds to compile.
#ifdef UPSWEEP_FULL_TESTS
template <class T, class E>
inline constexpr bool also_down = true;
#else
template <class T, class E>
inline constexpr bool also_down = sizeof(T) >= 4 || !std::is_same_v<E, cpu>;
#endif

/// sort, argsort and sort_by_key of `x`, up and down.
template <class T, class E>
void expect_sorted(E const& on, std::vector<T> const& x) {
  std::size_t const n = x.size();
  std::vector<std::size_t> up(n);
  std::iota(up.begin(), up.end(), std::size_t{0});
  std::vector<std::size_t> down = up;
  std::stable_sort(up.begin(), up.end(),
                   [&](std::size_t i, std::size_t j) { return comes_before<T>(x[i], x[j]); });
  std::stable_sort(down.begin(), down.end(),
                   [&](std::size_t i, std::size_t j) { return comes_before<T>(x[j], x[i]); });
  auto const check = [&](std::vector<std::size_t> const& expected, auto const& order) {
    std::vector<T> by_hand;
    for (std::size_t const i : expected) by_hand.push_back(x[i]);
    std::vector<T> sorted = x;
    upsweep::sort(on, sorted, order);
    ASSERT_TRUE(are_the_same(sorted, by_hand));

    std::vector<std::uint32_t> positions(n);
    upsweep::argsort(on, x, positions, order);
    ASSERT_TRUE(std::equal(positions.begin(), positions.end(), expected.begin()));

    std::vector<T> keys = x;
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.0);
    upsweep::sort_by_key(on, keys, values, order);
    ASSERT_TRUE(are_the_same(keys, by_hand));
    ASSERT_TRUE(std::equal(values.begin(), values.end(), expected.begin()));
  };
  check(up, ascending{});
  if constexpr (std::is_same_v<T, float>) check(up, total_order{});
  if constexpr (also_down<T, E>) check(down, descending{});
}

template <class Backend>
class sorting_contract : public testing::Test {};
TYPED_TEST_SUITE_P(sorting_contract);

CONTRACT_TEST(sorting_contract, numbers_are_sorted_in_their_total_order) {
  auto const on = TypeParam::make();
  auto const expect_type = [&]<class T>(T) {
    for (std::size_t const n : sorting_sizes())
      for (auto const& x : samples<T>(n)) expect_sorted(on, x);
  };
  expect_type(float{});
  expect_type(bfloat16{});
  expect_type(std::int8_t{});
  expect_type(std::int64_t{});
}

/// Strings in a deque, by the numbers before their points, and strings as values.
template <class E>
void expect_strings(E const& on, std::deque<std::string> words, std::vector<labeled> const& x,
                    std::vector<labeled> const& expected) {
  std::size_t const n = x.size();
  auto const number = [](std::string const& s) { return std::stoi(s); };
  upsweep::sort(on, words,
                [&](std::string const& a, std::string const& b) { return number(a) < number(b); });
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(words[i], std::to_string(expected[i].key) + "." + std::to_string(expected[i].label));
  // Values that are moved, not copied as bytes.
  std::vector<std::uint32_t> keys;
  std::vector<std::string> texts;
  for (auto const& element : x) {
    keys.push_back(element.key);
    texts.push_back(std::to_string(element.label));
  }
  upsweep::sort_by_key(on, keys, texts);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(keys[i], expected[i].key);
    ASSERT_EQ(texts[i], std::to_string(expected[i].label));
  }
}

CONTRACT_TEST(sorting_contract, equal_elements_keep_their_order) {
  auto const on = TypeParam::make();
  for (std::size_t const n : sorting_sizes()) {
    random_bits next(test_seed() + n);
    std::vector<labeled> x;
    std::deque<std::string> words;
    for (std::uint32_t i = 0; i < n; ++i) {
      x.push_back({static_cast<std::uint32_t>(next() % 1000), i});
      words.push_back(std::to_string(x.back().key) + "." + std::to_string(i));
    }
    auto expected = x;
    std::stable_sort(expected.begin(), expected.end(), order_of_keys{});
    auto sorted = x;
    upsweep::sort(on, sorted, order_of_keys{});
    ASSERT_EQ(sorted, expected);
    if constexpr (!is_device<TypeParam>) expect_strings(on, words, x, expected);
  }
}

template <class E>
void expect_any_kind_sorted(E const& on) {
  std::vector<bool> flags{true, false, true, false, false};
  upsweep::sort(on, flags);
  EXPECT_EQ(flags, (std::vector<bool>{false, false, false, true, true}));
  std::deque<int> numbers{3, 1, 2};
  upsweep::sort(on, numbers, descending{});
  EXPECT_EQ(numbers, (std::deque<int>{3, 2, 1}));
  std::vector<std::string> words{"b", "a", "c"}, values{"1", "2", "3"};
  upsweep::sort_by_key(on, words, values);
  EXPECT_EQ(values, (std::vector<std::string>{"2", "1", "3"}));
  // The order is written down; NaNs are told apart by their signs and payloads.
  long double const infinite = std::numeric_limits<long double>::infinity();
  std::vector<long double> const ascending_numbers{-std::nanl("9"),
                                                   -std::nanl("8"),
                                                   -infinite,
                                                   -1.5L,
                                                   -0.0L,
                                                   -0.0L,
                                                   0.0L,
                                                   0.0L,
                                                   0x1p-1060L,
                                                   2,
                                                   infinite,
                                                   std::nanl("8"),
                                                   std::nanl("9")};
  for (std::size_t first = 0; first < ascending_numbers.size(); ++first) {
    std::vector<long double> wide(ascending_numbers);
    std::rotate(wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(first), wide.end());
    upsweep::sort(on, wide);
    for (std::size_t i = 0; i < wide.size(); ++i)
      EXPECT_EQ(detail::bytes_from_the_highest(wide[i]),
                detail::bytes_from_the_highest(ascending_numbers[i]))
          << first << ", " << i;
    upsweep::sort(on, wide, descending{});
    EXPECT_TRUE(std::isnan(wide[0]) && !std::signbit(wide[0]) && std::signbit(wide.back()));
  }
}
CONTRACT_TEST(sorting_contract, ranges_of_any_kind_are_sorted) {
  if constexpr (is_device<TypeParam>)
    GTEST_SKIP() << "a device sorts contiguous memory of trivially copyable elements";
  else
    expect_any_kind_sorted(TypeParam::make());
}

template <class E>
void expect_input_kept(E const& on) {
  std::vector<labeled> x;
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    x.push_back({(i * 7919) % 10'007, i});
    if (i < 2'000) words.push_back(std::to_string(i * 7919 % 1009));
  }
  for (int const last : {0, 1, 7, 1'000, 20'000, 150'000}) {
    std::atomic<int> left = last;
    auto const tire = [&left] {
      if (left.fetch_sub(1) == 0) throw std::runtime_error("tired");
    };
    auto sorted = x;
    EXPECT_THROW(upsweep::sort(on, sorted,
                               [&](labeled const& a, labeled const& b) {
                                 tire();
                                 return a.key < b.key;
                               }),
                 std::runtime_error);
    EXPECT_EQ(sorted, x);
    if (last > 10'000) continue;
    left = last;
    auto texts = words;
    EXPECT_THROW(upsweep::sort(on, texts,
                               [&](std::string const& a, std::string const& b) {
                                 tire();
                                 return a < b;
                               }),
                 std::runtime_error);
    EXPECT_EQ(texts, words);
  }
}
CONTRACT_TEST(sorting_contract, an_order_that_throws_leaves_the_input_as_it_was) {
  if constexpr (is_device<TypeParam>)
    GTEST_SKIP() << "device code does not throw";
  else
    expect_input_kept(TypeParam::make());
}

CONTRACT_TEST(sorting_contract, the_top_elements_are_the_first_of_the_sorted) {
  auto const on = TypeParam::make();
  for (std::size_t const n : sorting_sizes())
    for (auto const& x : samples<float>(n))
      for (std::size_t const count :
           {std::size_t{0}, std::size_t{1}, std::size_t{100}, n / 20, n}) {
        auto expected = x;
        std::stable_sort(expected.begin(), expected.end(),
                         [](float a, float b) { return comes_before(b, a); });
        std::vector<float> found(count);
        ASSERT_EQ(upsweep::top(on, x, found), std::min(count, n));
        expected.resize(std::min(count, n));
        ASSERT_TRUE(are_the_same(found, expected));
      }
  std::vector<labeled> x;
  for (std::uint32_t i = 0; i < 100'000; ++i) x.push_back({i * 7919 % 50'021, i});
  std::vector<labeled> first(50);
  upsweep::top(on, x, first, order_of_keys{});
  std::stable_sort(x.begin(), x.end(), order_of_keys{});
  x.resize(50);
  EXPECT_EQ(first, x);
}

template <class T, class E>
void expect_top(E const& on, std::vector<T> x) {
  for (std::size_t const count : {std::size_t{1}, std::size_t{50}, x.size() / 2, x.size()}) {
    auto expected = x;
    std::stable_sort(expected.begin(), expected.end(), std::greater{});
    expected.resize(count);
    std::vector<T> found(count);
    ASSERT_EQ(upsweep::top(on, x, found), count);
    ASSERT_EQ(found, expected) << count << " of " << x.size();
  }
}
CONTRACT_TEST(sorting_contract, top_elements_may_be_of_any_type) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "a device cannot hold strings";
  } else {
    auto const on = TypeParam::make();
    for (std::size_t const n : {std::size_t{100}, std::size_t{40'000}}) {
      std::vector<std::string> words;
      std::vector<std::pair<int, int>> pairs;
      for (std::size_t i = 0; i < n; ++i) {
        words.push_back("the word " + std::to_string(i * 7919 % 1009));
        pairs.emplace_back(static_cast<int>(i * 7919 % 1009), static_cast<int>(i % 7));
      }
      expect_top(on, words);
      expect_top(on, pairs);
    }
    std::vector<std::pair<int, int>> const x{{1, 0}, {2, 1}, {2, 2}, {1, 3}, {2, 4}};
    std::vector<std::pair<int, int>> found(2), expected{{2, 1}, {2, 2}};
    upsweep::top(on, x, found, [](auto const& a, auto const& b) { return a.first > b.first; });
    EXPECT_EQ(found, expected) << "equal elements keep their order";
  }
}

template <class E>
void expect_quantiles(E const& on) {
  auto const expect_type = [&]<class T>(T) {
    for (std::size_t const n : sorting_sizes())
      for (auto x : samples<T>(n)) {
        if (n == 0) continue;
        for (T& value : x)
          if constexpr (detail::is_float<T>)
            if (!(std::abs(value) < T{1e30f})) value = 1;
        auto sorted = x;
        std::sort(sorted.begin(), sorted.end(), comes_before<T>);
        for (double const q : {0.0, 0.001, 0.25, 0.5, 0.99, 1.0})
          ASSERT_EQ(upsweep::quantile(on, x, q), quantile_of_sorted(sorted, q))
              << n << " elements, q = " << q;
      }
  };
  expect_type(float{});
  expect_type(std::int64_t{});
  expect_type(std::uint8_t{});
  // numpy.quantile([3, 1, 4, 1.5], [0.5, 0.1]) of NumPy 2.4
  EXPECT_EQ(upsweep::quantile(on, std::vector{3.0, 1.0, 4.0, 1.5}, 0.5), 2.25);
  EXPECT_EQ(upsweep::quantile(on, std::vector{3.0, 1.0, 4.0, 1.5}, 0.1), 1.15);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(upsweep::quantile(on, std::vector{1.0f, -nan, 2.0f}, 0.5)));
}
CONTRACT_TEST(sorting_contract, quantiles_lie_between_elements_of_neighboring_ranks) {
  if constexpr (is_device<TypeParam>)
    GTEST_SKIP() << "the executor of the tests has no kernels of quantile; top_on_gpu.cu tests it";
  else
    expect_quantiles(TypeParam::make());
}

CONTRACT_TEST(sorting_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> x(1000, 1), shorter(999);
  EXPECT_TRUE(
      refuses({"sort_by_key", "1000", "999"}, [&] { upsweep::sort_by_key(on, x, shorter); }));
  EXPECT_TRUE(refuses({"overlap"}, [&] {
    upsweep::sort_by_key(on, std::span(x).first(500), std::span(x).subspan(499, 500));
  }));
  EXPECT_TRUE(refuses({"argsort", "1000", "999"}, [&] { upsweep::argsort(on, x, shorter); }));
  std::vector<std::uint8_t> narrow(1000);
  EXPECT_TRUE(refuses({"8 bits"}, [&] { upsweep::argsort(on, x, narrow); }));
  EXPECT_TRUE(refuses({"top: two of its arrays overlap"},
                      [&] { upsweep::top(on, x, std::span(x).first(10)); }));
  std::vector<double> y(100, 1);
  std::vector<double> const medians(3, 0.5);
  EXPECT_TRUE(refuses({"quantiles: two of its arrays overlap"},
                      [&] { upsweep::quantiles(on, y, medians, std::span(y).last(3)); }));
  std::vector<double> positions{0.5, 0.25, 1, 0};
  EXPECT_TRUE(refuses({"quantiles: two of its arrays overlap"}, [&] {
    upsweep::quantiles(on, y, std::span(positions).first(3), std::span(positions).last(3));
  }));
  EXPECT_TRUE(refuses({"quantile", "empty"},
                      [&] { (void)upsweep::quantile(on, std::vector<float>{}, 0.5); }));
  for (double const q : {-0.1, 1.1, std::nan("")})
    EXPECT_TRUE(refuses({"between 0 and 1"}, [&] { (void)upsweep::quantile(on, x, q); }));
  EXPECT_EQ(x, std::vector<int>(1000, 1));
}

REGISTER_TYPED_TEST_SUITE_P(sorting_contract, numbers_are_sorted_in_their_total_order,
                            equal_elements_keep_their_order, ranges_of_any_kind_are_sorted,
                            an_order_that_throws_leaves_the_input_as_it_was,
                            the_top_elements_are_the_first_of_the_sorted,
                            top_elements_may_be_of_any_type,
                            quantiles_lie_between_elements_of_neighboring_ranks,
                            wrong_calls_are_refused);

}  // namespace upsweep::test
