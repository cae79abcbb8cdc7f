/// Sorts and order statistics on the CPU, beyond their contract.
#include <conformance/backends.hpp>
#include <support/message.hpp>
#include <support/random.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/sort_lines.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Sorts of what the library moves as words: lines that are sorted together, values of each size,
// and calls by name, against std::stable_sort.

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

// Several quantiles in one call have the bits of one call for each.

template <class T, class E>
void expect_the_bits_of_each(E const& on, std::vector<T> const& x) {
  std::vector<double> const q{0.5, 0, 1, 0.25, 0.999, 0.5, 1.0 / 3};
  for (std::size_t count = 0; count <= q.size(); ++count) {
    std::vector<double> got(count, -7);
    quantiles(on, x, std::span(q).first(count), got);
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(quantile(on, x, q[k])),
                std::bit_cast<std::uint64_t>(got[k]))
          << q[k] << " of " << x.size() << ", " << count << " in all";
  }
}

TEST(quantiles, have_the_bits_of_one_call_for_each) {
  for (std::size_t const n : {1u, 2u, 3u, 4u, 1000u}) {
    std::vector<double> x(n);
    std::vector<int> i(n);
    std::vector<std::int64_t> large(n);
    for (std::size_t k = 0; k < n; ++k) {
      i[k] = static_cast<int>(k * 7919 % 1009) - 500;
      x[k] = i[k] / 3.0;
      large[k] = (std::int64_t{1} << 53) + i[k];
    }
    for (auto const on : {cpu{.threads = 1}, cpu{.threads = 3}}) {
      expect_the_bits_of_each(on, x);
      expect_the_bits_of_each(on, i);
      expect_the_bits_of_each(on, large);
    }
  }
  double const inf = std::numeric_limits<double>::infinity();
  expect_the_bits_of_each(serial{}, std::vector<double>{inf, -inf, 0.0, -0.0, 1});
  expect_the_bits_of_each(serial{}, std::vector<float>{-0.0f, 0.0f});
}
TEST(quantiles, are_nan_if_there_is_one) {
  std::vector<double> const x{1, std::nan(""), 2};
  for (std::size_t const count : {1u, 3u, 4u, 5u}) {
    std::vector<double> const q(count, 0.0);
    std::deque<float> got(count);
    quantiles(x, q, got);
    for (float const each : got) EXPECT_TRUE(std::isnan(each));
  }
}
TEST(quantiles, refuse_wrong_arguments_before_anything_is_stored) {
  std::vector<double> const x{1, 2}, q{0.5, 0.5, 0.5, 0.5, 1.5}, none;
  std::vector<double> got(5, -7);
  EXPECT_EQ("quantile: q must be between 0 and 1; for percentiles divide by 100",
            message_of([&] { quantiles(x, q, got); }));
  EXPECT_NE("", message_of([&] { quantiles(x, std::span(q).first(4), got); }));
  EXPECT_NE("", message_of([&] { quantiles(none, std::span(q).first(1), got); }));
  EXPECT_EQ(std::vector<double>(5, -7), got);
  got.clear();
  EXPECT_EQ("", message_of([&] { quantiles(none, none, got); }));
}

// top and quantile where the elements at the positions of the sample mislead: the bounds that
// they give are too low, too high, too wide, or end between the two ranks of a quantile.

constexpr std::size_t n = 100'000;

/// Whether detail::sorted_sample reads the element at i, for samples of so many.
std::vector<char> sampled_positions(std::size_t size) {
  std::vector<char> sampled(n);
  for (std::size_t i = 0; i < size; ++i) sampled[detail::mixed(i) % n] = 1;
  return sampled;
}

/// The numbers 0 to n - 1, of which the elements of the sample are the `low` lowest and else the
/// highest. Neither is in order.
std::vector<double> numbers(std::size_t size, std::size_t low) {
  auto const sampled = sampled_positions(size);
  auto const count =
      static_cast<std::size_t>(std::accumulate(sampled.begin(), sampled.end(), std::size_t{0}));
  low = std::min(low, count);
  std::vector<double> of_sample, others;
  for (std::size_t k = 0; k < n; ++k)
    (k < low || k >= n - (count - low) ? of_sample : others).push_back(static_cast<double>(k));
  random_bits next(test_seed());
  for (auto* const part : {&of_sample, &others})
    for (std::size_t k = part->size(); k > 1; --k)
      std::swap((*part)[k - 1], (*part)[next.below(k)]);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& from = sampled[i] ? of_sample : others;
    x[i] = from.back();
    from.pop_back();
  }
  return x;
}

/// Of 0 to n - 1 the quantile q is q (n - 1).
void expect_quantiles(std::vector<double> const& x) {
  for (double const q : {0.001, 0.25, 0.5, 0.75, 0.999}) {
    double const place = q * static_cast<double>(n - 1);
    EXPECT_NEAR(quantile(serial{}, x, q), place, 1e-9) << q << ", " << seed_note();
    EXPECT_NEAR(quantile(cpu{.threads = 3}, x, q), place, 1e-9) << q << ", " << seed_note();
  }
}

TEST(order_statistics, quantiles_between_infinities_and_between_far_numbers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> const all{-inf, 1, inf}, far{-1.7e308, 1.7e308};
  EXPECT_EQ(quantile(serial{}, all, 0.25), -inf);
  EXPECT_EQ(quantile(serial{}, all, 0.5), 1);
  EXPECT_EQ(quantile(serial{}, all, 0.75), inf);
  EXPECT_EQ(quantile(serial{}, far, 0.5), 0);
}

TEST(order_statistics, quantiles_outside_the_bounds_of_the_sample) {
  expect_quantiles(numbers(4096, n));  // the sample has the lowest elements
  expect_quantiles(numbers(4096, 0));  // the highest
}

TEST(order_statistics, quantiles_with_most_elements_inside_the_bounds_of_the_sample) {
  expect_quantiles(numbers(4096, 2000));  // lowest and highest
}

TEST(order_statistics, quantiles_whose_upper_rank_is_outside_the_bounds) {
  // The sample's elements are around the middle; the upper bound, found as the library does, is
  // made the element of the median's lower rank: others are moved from its one side to the other.
  auto const sampled = sampled_positions(4096);
  for (std::size_t margin = 64; margin <= 512; margin += 32) {
    std::vector<double> x(n);
    double inner = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (sampled[i]) x[i] = inner++;
    std::vector<double> sample;
    for (std::size_t i = 0; i < 4096; ++i) sample.push_back(x[detail::mixed(i) % n]);
    std::sort(sample.begin(), sample.end());
    double const high = sample[2047 + margin];
    std::size_t const rank = (n - 1) / 2;
    std::size_t below = rank - static_cast<std::size_t>(high);  // so many others are lower
    for (std::size_t i = 0; i < n; ++i)
      if (!sampled[i]) {
        x[i] = below > 0 ? -static_cast<double>(below) : 1e6 + static_cast<double>(i);
        below -= below > 0;
      }
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted[rank], high);
    ASSERT_EQ(quantile(serial{}, x, 0.5), (sorted[rank] + sorted[rank + 1]) / 2) << margin;
  }
}

TEST(order_statistics, top_elements_that_the_sample_misjudges) {
  for (std::size_t const low : {std::size_t{0}, n, std::size_t{500}}) {
    auto const x = numbers(1024, low);
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end(), std::greater{});
    for (std::size_t const count : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
      std::vector<double> const expected(sorted.begin(),
                                         sorted.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<double> found(count);
      EXPECT_EQ(top(serial{}, x, found), count);
      EXPECT_EQ(found, expected) << low << " of the sample are low, " << seed_note();
      EXPECT_EQ(top(cpu{.threads = 3}, x, found), count);
      EXPECT_EQ(found, expected) << low << " of the sample are low, " << seed_note();
    }
  }
}

TEST(order_statistics, many_elements_equal_to_a_bound_of_the_sample) {
  auto const by_thousands = [](int a, int b) { return a / 1000 > b / 1000; };
  for (int const most : {50'000, 70'000, 99'999}) {  // what is higher becomes `most`
    std::vector<int> x(n);
    random_bits next(test_seed());
    for (int& value : x) value = std::min(static_cast<int>(next.below(n)), most);
    auto sorted = x, by_order = x;
    std::sort(sorted.begin(), sorted.end());
    std::stable_sort(by_order.begin(), by_order.end(), by_thousands);
    for (std::size_t const rank : {std::size_t{0}, n / 4, n / 2, 7 * n / 10, n - 1}) {
      double const q = static_cast<double>(rank) / static_cast<double>(n - 1);
      EXPECT_NEAR(quantile(serial{}, x, q), sorted[rank], 1e-4) << most << ", " << seed_note();
    }
    for (std::size_t const count : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
      std::vector<int> const expected(by_order.begin(),
                                      by_order.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<int> found(count);
      EXPECT_EQ(top(serial{}, x, found, by_thousands), count);
      EXPECT_EQ(found, expected) << most << ", " << seed_note();
    }
  }
}

}  // namespace
}  // namespace upsweep::test
