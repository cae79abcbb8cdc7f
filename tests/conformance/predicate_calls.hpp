/// How select and its relatives call predicates: once for each element, and what they throw.
#pragma once

#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {

inline std::vector<std::size_t> numbers_below(std::size_t n) {
  std::vector<std::size_t> x(n);
  std::iota(x.begin(), x.end(), std::size_t{0});
  return x;
}

/// Predicates are called once for each element, an equality for each pair of neighbors.
template <class E>
void expect_each_called_once(E const& on, std::size_t n) {
  auto const x = numbers_below(n);
  std::vector<std::size_t> a(n), b(n), c(n), places(n);
  auto const calls = std::make_unique<std::atomic<int>[]>(n);
  auto const odd = [&](std::size_t i) {
    ++calls[i];
    return i % 2 == 1;
  };
  auto const expect = [&](char const* verb, auto const& wanted) {
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(calls[i].exchange(0), wanted(i)) << verb << ", element " << i << " of " << n;
  };
  auto const once = [](std::size_t) { return 1; };
  EXPECT_EQ(upsweep::select(on, x, a, odd), n / 2);
  expect("select", once);
  EXPECT_EQ(upsweep::select_positions(on, x, places, odd), n / 2);
  expect("select_positions", once);
  EXPECT_EQ(upsweep::partition(on, x, a, b, odd).yes, n / 2);
  expect("partition", once);
  auto const third = [](std::size_t i) { return i % 3 == 0; };
  upsweep::partition(on, x, a, b, c, odd, third);
  expect("the first predicate of partition", once);
  upsweep::partition(on, x, a, b, c, third, odd);
  expect("the second predicate of partition",
         [&](std::size_t i) { return static_cast<int>(!third(i)); });
  auto const equal = [&](std::size_t before, std::size_t i) {
    calls[i] += before + 1 == i ? 1 : 100;
    return i % 2 == 1;
  };
  auto const once_after_the_first = [](std::size_t i) { return static_cast<int>(i > 0); };
  EXPECT_EQ(upsweep::unique(on, x, a, equal), (n + 1) / 2);
  expect("unique", once_after_the_first);
  EXPECT_EQ(upsweep::run_starts(on, x, places, equal), (n + 1) / 2);
  expect("run_starts", once_after_the_first);
  EXPECT_EQ(upsweep::runs(on, x, a, places, equal), (n + 1) / 2);
  expect("runs", once_after_the_first);
}

/// Predicates that throw for all elements from `at` on: the exception of the first arrives.
template <class E>
void expect_first_exception(E const& on, std::size_t n, std::size_t at) {
  auto const x = numbers_below(n);
  std::vector<std::size_t> a(n), b(n), c(n), in_place = x;
  auto const third = [at](std::size_t i) {
    if (i >= at) throw std::runtime_error(std::to_string(i));
    return i % 3 == 0;
  };
  auto const never = [](std::size_t) { return false; };
  auto const equal = [&](std::size_t, std::size_t i) { return third(i); };
  auto const expect = [&](char const* verb, std::size_t first, auto const& call) {
    if (first >= n) return;
    try {
      call();
      ADD_FAILURE() << verb << " throws nothing, element " << first << " of " << n;
    } catch (std::runtime_error const& e) {
      EXPECT_EQ(e.what(), std::to_string(first)) << verb << " of " << n;
    }
  };
  expect("select", at, [&] { upsweep::select(on, x, a, third); });
  expect("select in place", at, [&] { upsweep::select(on, in_place, in_place, third); });
  expect("select_positions", at, [&] { upsweep::select_positions(on, x, a, third); });
  expect("partition", at, [&] { upsweep::partition(on, x, a, b, third); });
  expect("partition by its first", at, [&] { upsweep::partition(on, x, a, b, c, third, never); });
  expect("partition by its second", at, [&] { upsweep::partition(on, x, a, b, c, never, third); });
  std::size_t const pair = at == 0 ? 1 : at;
  expect("unique", pair, [&] { upsweep::unique(on, x, a, equal); });
  expect("run_starts", pair, [&] { upsweep::run_starts(on, x, a, equal); });
  expect("runs", pair, [&] { upsweep::runs(on, x, a, b, equal); });
  EXPECT_EQ(upsweep::select(on, x, a, never), 0u) << "the next call";
}

}  // namespace upsweep::test
