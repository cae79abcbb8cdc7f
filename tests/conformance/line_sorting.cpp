/// Sorts of what the library moves as words: lines that are sorted together, values of each size,
/// and calls by name, against std::stable_sort.
#include <conformance/every_call_starts_threads.hpp>
#include <support/random.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/sort_lines.hpp>
#include <upsweep/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace upsweep::test {
namespace {

/// Lines of few different elements, so that equal ones are frequent. Sizes around a power of two,
/// the longest line of a network and the next; counts around blocks of lanes.
template <class T>
void expect_sorted_lines(dynamic::dtype type) {
  random_bits next(test_seed());
  for (std::size_t const size : {1u, 2u, 3u, 7u, 8u, 9u, 33u, 128u, 129u})
    for (std::size_t const count : {1u, 7u, 8u, 32u, 65u, 130u}) {
      std::vector<T> x(size * count), want(x), got(x);
      for (T& e : x) e = static_cast<T>(static_cast<int>(next() % 20) - 10);
      std::vector<std::uint64_t> places(x.size()), want_places(x.size());
      for (bool const descending : {false, true}) {
        for (std::size_t line = 0; line < count; ++line) {
          auto const first = want_places.begin() + static_cast<std::ptrdiff_t>(line * size);
          T const* const from = x.data() + line * size;
          std::iota(first, first + static_cast<std::ptrdiff_t>(size), 0u);
          std::stable_sort(first, first + static_cast<std::ptrdiff_t>(size), [&](auto a, auto b) {
            return descending ? from[b] < from[a] : from[a] < from[b];
          });
          for (std::size_t i = 0; i < size; ++i)
            want[line * size + i] = from[want_places[line * size + i]];
        }
        for (int const threads : {1, 3}) {
          std::fill(got.begin(), got.end(), T{});
          dynamic::sort_lines(cpu{threads}, type, x.data(), {count, size}, descending, got.data());
          ASSERT_EQ(want, got) << count << " lines of " << size << "; " << seed_note();
          dynamic::argsort_lines(cpu{threads}, type, x.data(), {count, size}, descending,
                                 places.data());
          ASSERT_EQ(want_places, places) << count << " lines of " << size << "; " << seed_note();
        }
      }
    }
}

TEST(lines, of_integers_are_sorted_as_one_by_one) {
  expect_sorted_lines<std::int8_t>(dynamic::dtype::i8);
  expect_sorted_lines<std::int16_t>(dynamic::dtype::i16);
  expect_sorted_lines<std::int32_t>(dynamic::dtype::i32);
  expect_sorted_lines<std::int64_t>(dynamic::dtype::i64);
}
TEST(lines, of_floats_are_sorted_as_one_by_one) {
  expect_sorted_lines<float>(dynamic::dtype::f32);
  expect_sorted_lines<double>(dynamic::dtype::f64);
}

/// Values that are words, which the library moves, and others.
template <class K, std::size_t bytes>
void expect_values_move(std::size_t n) {
  random_bits next(test_seed() + n + bytes);
  using value = std::array<std::uint8_t, bytes>;
  std::vector<K> keys(n);
  std::vector<value> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<K>(next() % 50 - 25);
    for (std::uint8_t& byte : values[i]) byte = static_cast<std::uint8_t>(next());
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  auto sorted = keys;
  auto moved = values;
  upsweep::sort_by_key(sorted, moved);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(keys[order[i]], sorted[i]) << i << ", " << bytes << " bytes";
    ASSERT_EQ(values[order[i]], moved[i]) << i << ", " << bytes << " bytes";
  }
}
template <class K>
void expect_values_of_each_size_move() {
  for (std::size_t const n : {2u, 100u, 1000u}) {
    expect_values_move<K, 1>(n);
    expect_values_move<K, 2>(n);
    expect_values_move<K, 3>(n);
    expect_values_move<K, 4>(n);
    expect_values_move<K, 8>(n);
    expect_values_move<K, 16>(n);
    expect_values_move<K, 20>(n);
  }
}
TEST(sort_by_key, moves_values_of_each_size) {
  expect_values_of_each_size_move<std::int8_t>();
  expect_values_of_each_size_move<std::uint16_t>();
  expect_values_of_each_size_move<float>();
  expect_values_of_each_size_move<std::int64_t>();
}

/// Into another array, also by several threads and if they are in order already.
TEST(sort_by_name, of_numbers_in_order_stores_them) {
  every_call_starts_threads const small_too;
  std::vector<std::int32_t> x(10'000), sorted(x.size()), falling(x.size());
  std::iota(x.begin(), x.end(), -5'000);
  for (int const threads : {1, 4}) {
    std::fill(sorted.begin(), sorted.end(), 0);
    dynamic::sort(cpu{threads}, dynamic::dtype::i32, x.data(), x.size(), false, sorted.data());
    ASSERT_EQ(x, sorted) << threads;
    dynamic::sort(cpu{threads}, dynamic::dtype::i32, x.data(), x.size(), true, falling.data());
    ASSERT_TRUE(std::equal(x.rbegin(), x.rend(), falling.begin(), falling.end())) << threads;
  }
}

/// By the principle of zeros and ones (Knuth 5.3.4, theorem Z): a network that sorts all of them
/// sorts all keys.
TEST(sorting_network, sorts_all_zeros_and_ones) {
  for (std::size_t n = 0; n <= 13; ++n) {
    host::sorting_network const network(n);
    for (unsigned bits = 0; bits < 1u << n; ++bits) {
      unsigned x = bits;
      for (auto const [first, second] : network.exchanges())
        if ((x >> first & 1) > (x >> second & 1)) x ^= 1u << first | 1u << second;
      ASSERT_EQ(x, ~0u << (n - static_cast<unsigned>(__builtin_popcount(bits))) & ((1u << n) - 1));
    }
  }
}

}  // namespace
}  // namespace upsweep::test
