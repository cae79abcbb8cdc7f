/// Sums and products of integers of every width and name, which wrap in the accumulator, and in the
/// element for scans.
#include "kernel_checks.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

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

}  // namespace upsweep::test
