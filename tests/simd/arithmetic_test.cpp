/// Sums and products.
#include "kernel_checks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

// Sums and products of integers of every width and name, which wrap in the accumulator, and in the
// element for scans.

using sums = testing::Types<kernel<plus, std::int8_t>, kernel<plus, std::uint8_t>,
                            kernel<plus, std::int16_t>, kernel<plus, std::uint16_t>,
                            kernel<plus, std::int32_t>, kernel<plus, std::uint32_t>,
                            kernel<plus, std::int64_t>, kernel<plus, std::uint64_t>,
                            kernel<plus, long long>, kernel<plus, char>>;
using products =
    testing::Types<kernel<multiplies, std::int8_t>, kernel<multiplies, std::uint16_t>,
                   kernel<multiplies, std::int32_t>, kernel<multiplies, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(sums, kernels, sums);
INSTANTIATE_TYPED_TEST_SUITE_P(products, kernels, products);

/// Random products soon lose all bits; odd numbers keep theirs.
template <class T>
void expect_products_of_odd_numbers() {
  auto x = kernel_elements<T>(700);
  for (T& element : x) element = static_cast<T>(element | 1);
  expectation<kernel<multiplies, T>> const e(x);
  for_each_target([&] {
    for (std::size_t n = 1; n <= x.size(); ++n) {
      ASSERT_TRUE(reduce_is_right(e, n)) << n;
      for (scan_kind const kind : both_kinds)
        ASSERT_TRUE(scan_is_right(e, kind, n, around::both, host::simd::stores::cached)) << n;
    }
  });
}
TEST(integer_products, keep_every_bit_of_odd_factors) {
  expect_products_of_odd_numbers<std::int8_t>();
  expect_products_of_odd_numbers<std::uint8_t>();
  expect_products_of_odd_numbers<std::int16_t>();
  expect_products_of_odd_numbers<std::uint16_t>();
  expect_products_of_odd_numbers<std::int32_t>();
  expect_products_of_odd_numbers<std::uint32_t>();
  expect_products_of_odd_numbers<std::int64_t>();
  expect_products_of_odd_numbers<std::uint64_t>();
}

template <class T>
void expect_sums_of_extremes() {
  using limits = std::numeric_limits<T>;
  for (T const value : {limits::min(), limits::max()}) {
    std::size_t const n = 200003;
    std::vector<T> const x(n, value);
    using A = accumulator_t<plus, T>;
    A const expected = static_cast<A>(static_cast<std::uint64_t>(value) * n);
    for_each_target(
        [&] { ASSERT_EQ(host::simd::reduce<plus>(x.data(), n, mode::reproducible), expected); });
  }
}
TEST(integer_sums, of_the_extreme_values_do_not_overflow_any_lane) {
  expect_sums_of_extremes<std::int8_t>();
  expect_sums_of_extremes<std::uint8_t>();
  expect_sums_of_extremes<std::int16_t>();
  expect_sums_of_extremes<std::uint16_t>();
  expect_sums_of_extremes<std::int32_t>();
  expect_sums_of_extremes<std::uint32_t>();
}

TEST(sums_of_bool, count_what_is_true) {
  bool flags[301] = {};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < std::size(flags); ++i) count += flags[i] = i % 7 < 3;
  for_each_target([&] {
    EXPECT_EQ(host::simd::reduce<plus>(flags, std::size(flags), mode::reproducible), count);
  });
}

// Sums and products of floats: the operators for which every grouping gives other bits.

#ifdef UPSWEEP_HAS_FLOAT16
using float_sums = testing::Types<kernel<plus, float>, kernel<plus, double>, kernel<plus, bfloat16>,
                                  kernel<plus, float16>>;
using float_products = testing::Types<kernel<multiplies, float>, kernel<multiplies, double>,
                                      kernel<multiplies, bfloat16>, kernel<multiplies, float16>>;
#else
using float_sums =
    testing::Types<kernel<plus, float>, kernel<plus, double>, kernel<plus, bfloat16>>;
using float_products = testing::Types<kernel<multiplies, float>, kernel<multiplies, double>,
                                      kernel<multiplies, bfloat16>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(float_sums, kernels, float_sums);
INSTANTIATE_TYPED_TEST_SUITE_P(float_products, kernels, float_products);

template <class T>
class float_kernels : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(float_kernels, floats);

TYPED_TEST(float_kernels,
           keep_infinities_zeros_and_subnormals_and_make_nan_where_the_definition_does) {
  for (std::uint64_t const rarity : {3u, 40u, 700u}) {
    expectation<kernel<plus, TypeParam>> const added(
        elements_with_specials<TypeParam>(1500, rarity));
    expectation<kernel<multiplies, TypeParam>> const multiplied(
        elements_with_specials<TypeParam>(1500, rarity));
    for_each_target([&] {
      for (std::size_t n = 1; n <= 1500; n += n < 140 ? 1 : 67) {
        ASSERT_TRUE(reduce_is_right(added, n)) << n;
        ASSERT_TRUE(reduce_is_right(multiplied, n)) << n;
        for (scan_kind const kind : both_kinds) {
          ASSERT_TRUE(scan_is_right(added, kind, n, around::initial, host::simd::stores::cached))
              << n;
          ASSERT_TRUE(
              scan_is_right(multiplied, kind, n, around::prefix, host::simd::stores::cached))
              << n;
        }
      }
    });
  }
}

/// Sums and products of bfloat16 combine two elements while they are read.
TEST(bfloat16_kernels, take_special_values_at_any_position) {
  for (std::uint64_t const rarity : {2u, 40u, 700u}) {
    auto x = kernel_elements<bfloat16>(1500);
    random_bits next(test_seed() + rarity);
    for (auto& element : x)  // any bits: also NaN, infinities, zeros and subnormals
      if (next.below(rarity) == 0)
        element = std::bit_cast<bfloat16>(static_cast<std::uint16_t>(next() >> (48 + rarity % 4)));
    for (std::size_t i = 0; i < 40; ++i) x[i] = bfloat16(-0.0F);
    expectation<kernel<plus, bfloat16>> const added(x);
    expectation<kernel<multiplies, bfloat16>> const multiplied(x);
    for_each_target([&] {
      for (std::size_t n = 1; n <= 1500; n += n < 140 ? 1 : 67) {
        ASSERT_TRUE(reduce_is_right(added, n)) << n;
        ASSERT_TRUE(reduce_is_right(multiplied, n)) << n;
      }
    });
  }
}

TYPED_TEST(float_kernels, keep_negative_zero_in_sums_of_nothing_else) {
  expectation<kernel<plus, TypeParam>> const e(std::vector<TypeParam>(600, TypeParam(-0.0)));
  for_each_target([&] {
    for (std::size_t n = 1; n <= 600; ++n) {
      ASSERT_TRUE(std::signbit(host::simd::reduce<plus>(e.x().data(), n, mode::reproducible))) << n;
      ASSERT_TRUE(std::signbit(host::simd::reduce<plus>(e.x().data(), n, mode::fast))) << n;
      ASSERT_TRUE(
          scan_is_right(e, scan_kind::inclusive, n, around::nothing, host::simd::stores::cached))
          << n;
    }
  });
}

/// In any grouping the error of a sum is at most (n - 1) * eps * the sum of magnitudes; integers of
/// this size have none.
TYPED_TEST(float_kernels, add_every_element_exactly_once_in_fast_mode) {
  for_each_target([&] {
    for (std::size_t n = 1; n <= 3000; n += n < 700 ? 1 : 61) {
      std::vector<TypeParam> x(n);
      std::uint64_t sum = 0;
      random_bits next(test_seed() + n);
      for (auto& element : x) {
        std::uint64_t const value = next.below(1000);
        element = static_cast<TypeParam>(value);
        sum += value;
      }
      ASSERT_EQ(host::simd::reduce<plus>(x.data(), n, mode::fast), static_cast<TypeParam>(sum))
          << "n = " << n << ", " << seed_note();
    }
  });
}

TEST(wrong_associations, differ_from_the_trees_on_these_inputs) {
  auto const x = kernel_elements<float>(1200);
  expectation<kernel<plus, float>> const e(x);
  auto differs = [&](auto const& wrong_total) {
    std::size_t count = 0;
    for (std::size_t n = 1; n <= x.size(); ++n) count += !same_bits(wrong_total(n), e.total(n));
    return count;
  };
  auto left_fold = [&](std::size_t n) {
    float sum = x[0];
    for (std::size_t i = 1; i < n; ++i) sum += x[i];
    return sum;
  };
  auto lanes = [&](std::size_t n) {  // a vertical sum of four lanes
    float lane[4] = {-0.0f, -0.0f, -0.0f, -0.0f};
    for (std::size_t i = 0; i < n; ++i) lane[i % 4] += x[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  };
  auto padded = [&](std::size_t n) {  // the ragged end filled up with zeros to a power of two
    std::vector<float> level(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    while (level.size() > 1) {
      if (level.size() % 2 == 1) level.push_back(-0.0f);
      for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = level[2 * i] + level[2 * i + 1];
      level.resize(level.size() / 2);
    }
    return level[0];
  };
  auto naive_tiles = [&](std::size_t n) {  // every 64 elements are added to a running sum: right
                                           // up to 128, wrong beyond
    float total = e.total(n < 64 ? n : 64);
    for (std::size_t begin = 64; begin < n; begin += 64) {
      std::vector<float> const rest(x.begin() + static_cast<std::ptrdiff_t>(begin), x.end());
      total += tree_prefixes(rest, plus{})[std::min<std::size_t>(64, n - begin) - 1];
    }
    return total;
  };
  EXPECT_GT(differs(left_fold), 800u) << seed_note();
  EXPECT_GT(differs(lanes), 800u) << seed_note();
  EXPECT_GT(differs(padded), 300u) << seed_note();
  EXPECT_GT(differs(naive_tiles), 300u) << seed_note();
}

}  // namespace upsweep::test
