/// The checks of vector kernels that only reduce: the bits of the combine tree at every size, with
/// special values at every position, on every SIMD target.
#pragma once

#include "kernel_checks.hpp"

#include <upsweep/ops/parts.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

template <class Op, class T>
struct reduction {
  using op = Op;
  using element = T;
};

/// Compares the totals of the first n of `x` with the tree's, for each of `sizes`.
template <class Op, class T>
void expect_totals_of_the_tree(std::vector<T> const& x, std::vector<std::size_t> const& sizes) {
  auto const expected = tree_prefixes(as_accumulators(x, Op{}), Op{});
  for_each_target([&] {
    for (std::size_t const n : sizes) {
      auto const got = host::simd::reduce<Op>(x.data(), n, mode::reproducible);
      ASSERT_FALSE(upper_halves_in_use());
      ASSERT_TRUE(detail::parts::same(got, expected[n - 1])) << n << " elements, " << seed_note();
    }
  });
}

/// Numbers in [-scale, scale), or all numbers of an integer type.
template <class T>
std::vector<T> numbers_within(double scale, std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x(n);
  for (T& e : x)
    if constexpr (detail::is_integer<T>)
      e = static_cast<T>(next());
    else
      e = static_cast<T>(scale * small(next));
  return x;
}

template <class T>
std::vector<T> special_numbers() {
  using limits = std::numeric_limits<T>;
  if constexpr (detail::is_integer<T>)
    return {T{0}, limits::max(), limits::min()};
  else
    return {limits::quiet_NaN(),
            limits::infinity(),
            -limits::infinity(),
            T(-0.0),
            T(0.0),
            limits::max(),
            limits::lowest(),
            limits::min(),
            limits::denorm_min()};
}

template <class Reduction>
class totals : public testing::Test {};
TYPED_TEST_SUITE_P(totals);

TYPED_TEST_P(totals, have_the_trees_bits_at_every_size) {
  using T = typename TypeParam::element;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 300; ++n) sizes.push_back(n);
  for (int k = 9; k <= 16; ++k)
    for (std::size_t const n : {(1u << k) - 1, 1u << k, (1u << k) + 1}) sizes.push_back(n);
  for (double const scale : {1.0, 30.0, 1000.0})
    expect_totals_of_the_tree<typename TypeParam::op>(numbers_within<T>(scale, (1u << 16) + 1),
                                                      sizes);
}

TYPED_TEST_P(totals, have_the_trees_bits_with_a_special_value_at_every_position) {
  using T = typename TypeParam::element;
  for (std::size_t const n : {64u, 300u})
    for (T const special : special_numbers<T>())
      for (std::size_t at = 0; at < n; ++at) {
        auto x = numbers_within<T>(10, n);
        x[at] = special;
        expect_totals_of_the_tree<typename TypeParam::op>(x, {n});
        if (testing::Test::HasFailure()) FAIL() << "special value at " << at;
      }
}

TYPED_TEST_P(totals, have_the_trees_bits_with_many_special_values) {
  using T = typename TypeParam::element;
  auto const special = special_numbers<T>();
  random_bits next(test_seed());
  for (std::size_t const every : {2u, 50u, 3000u})
    for (bool const infinities : {true, false})
      for (int round = 0; round < 20; ++round) {
        auto x = numbers_within<T>(100, 5000 + static_cast<std::size_t>(round));
        for (T& e : x)
          if (next.below(every) == 0) e = special[infinities ? 2 : next.below(special.size())];
        expect_totals_of_the_tree<typename TypeParam::op>(x, {64, 1024, 2048, x.size()});
      }
}

REGISTER_TYPED_TEST_SUITE_P(totals, have_the_trees_bits_at_every_size,
                            have_the_trees_bits_with_a_special_value_at_every_position,
                            have_the_trees_bits_with_many_special_values);

}  // namespace upsweep::test
