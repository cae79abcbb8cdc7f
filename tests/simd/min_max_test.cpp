/// Minima and maxima of integers and floats: NaN wins or is ignored, -0 is below +0.
#include "kernel_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

using integers =
    testing::Types<kernel<min, std::int8_t>, kernel<max, std::uint8_t>, kernel<max, std::int16_t>,
                   kernel<min, std::uint16_t>, kernel<min, std::int32_t>,
                   kernel<max, std::uint32_t>, kernel<max, std::int64_t>,
                   kernel<min, std::uint64_t>, kernel<max_number, long long>>;
using floats = testing::Types<kernel<min, float>, kernel<max, double>, kernel<min_number, double>,
                              kernel<max_number, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(integers, kernels, integers);
INSTANTIATE_TYPED_TEST_SUITE_P(floats, kernels, floats);

/// Ascending or descending inputs, so that a scan's results change often and far into the input.
template <class Op, class T>
void expect_moving_extremes() {
  for (bool const climbing : {false, true}) {
    auto x = kernel_elements<T>(900);
    std::sort(x.begin(), x.end());
    if (!climbing) std::reverse(x.begin(), x.end());
    expect_every_length<Op>(x);
  }
}
template <class T>
class extremes : public testing::Test {};
using all_types =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(extremes, all_types);
TYPED_TEST(extremes, follow_inputs_that_climb_and_fall) {
  expect_moving_extremes<min, TypeParam>();
  expect_moving_extremes<max, TypeParam>();
}

template <class Op, class T>
void expect_special_values() {
  for (std::uint64_t const rarity : {0u, 2u, 30u, 500u}) {
    expectation<kernel<Op, T>> const e(elements_with_specials<T>(900, rarity));
    for_each_target([&] {
      for (std::size_t n = 1; n <= 900; n += n < 140 ? 1 : 37) {
        ASSERT_TRUE(reduce_is_right(e, n)) << n;
        for (scan_kind const kind : both_kinds)
          for (around const a : all_arounds)
            ASSERT_TRUE(scan_is_right(e, kind, n, a, host::simd::stores::cached)) << n;
      }
    });
  }
}
template <class T>
class extremes_of_floats : public testing::Test {};
using float_types = testing::Types<float, double>;
TYPED_TEST_SUITE(extremes_of_floats, float_types);
TYPED_TEST(extremes_of_floats, propagate_or_ignore_nan_and_order_the_zeros) {
  expect_special_values<min, TypeParam>();
  expect_special_values<max, TypeParam>();
  expect_special_values<min_number, TypeParam>();
  expect_special_values<max_number, TypeParam>();
}

TYPED_TEST(extremes_of_floats, of_nan_alone_are_nan) {
  std::vector<TypeParam> const x(70, std::numeric_limits<TypeParam>::quiet_NaN());
  for_each_target([&] {
    for (std::size_t n = 1; n <= x.size(); ++n) {
      auto const least = host::simd::reduce<min_number>(x.data(), n, mode::reproducible);
      auto const greatest = host::simd::reduce<max_number>(x.data(), n, mode::reproducible);
      ASSERT_TRUE(least != least && greatest != greatest) << n;
    }
  });
}

}  // namespace upsweep::test
