/// The checks of vector kernels whose accumulator is made of two numbers, of reductions and then of
/// scans: the bits of the combine tree at every size, with special values at every position, on
/// every SIMD target and any number of threads.
#pragma once

#include "kernel_checks.hpp"

#include <upsweep/host/threads.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
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

/// Compares both scans of the first n of `x`, for each of `sizes`, with the tree's prefixes.
template <class Op, class T, class A = accumulator_t<Op, T>>
void expect_scans_of_the_tree(std::vector<T> const& x, std::vector<std::size_t> const& sizes,
                              std::optional<A> const& initial = {}, bool reverse = false,
                              int threads = 1) {
  Op const op;
  auto const finished = [&](A const& p) {
    return detail::finish(op, initial ? op(*initial, p) : p);
  };
  using R = decltype(finished(A{}));
  std::vector<R> expected{detail::finish(op, initial ? *initial : identity_of<A>(op))};
  for (A const& p : tree_prefixes(as_accumulators(x, op), op)) expected.push_back(finished(p));
  host::threads::largest_cutoff = threads == 1 ? ~std::size_t{0} : 1;
  for_each_target([&] {
    for (std::size_t const n : sizes) {
      std::vector<T> in(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
      std::vector<R> out(n);
      if (reverse) std::reverse(in.begin(), in.end());
      auto const expect = [&](char const* kind, std::size_t first) {
        if (reverse) std::reverse(out.begin(), out.end());
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_TRUE(detail::parts::same(out[i], expected[first + i]))
              << kind << " result " << i << " of " << n << ", " << threads << " threads, "
              << (initial ? "with" : "without") << " initial, got " << describe(out[i])
              << ", expected " << describe(expected[first + i]) << ", " << seed_note();
      };
      cpu const on{.threads = threads};
      upsweep::inclusive_scan(on, in, out, op, {.initial = initial, .reverse = reverse});
      expect("inclusive", 1);
      upsweep::exclusive_scan(on, in, out, op, {.initial = initial, .reverse = reverse});
      expect("exclusive", 0);
      if (testing::Test::HasFailure()) return;
    }
  });
  host::threads::largest_cutoff = ~std::size_t{0};
}

/// Initial values before which the kernels need the operator itself, and others.
template <class A>
std::vector<A> initial_values() {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  if constexpr (std::is_same_v<A, detail::moments_of>)
    return {{},
            {7, -1.5, 20},
            {1, infinity, 0},
            {3, std::numeric_limits<double>::max(), 0},
            {std::uint64_t{1} << 60, 1, 1}};
  else
    return {{},
            {3, 1},
            {-2, 100},
            {0, 0.25f},
            {infinity, 1},
            {-infinity, 1},
            {std::numeric_limits<float>::quiet_NaN(), 1},
            {-200, 1e30f}};
}

template <class Reduction>
class block_scans : public testing::Test {
 public:
  using op = typename Reduction::op;
  using element = typename Reduction::element;
  using A = accumulator_t<op, element>;
};
TYPED_TEST_SUITE_P(block_scans);

TYPED_TEST_P(block_scans, have_the_trees_bits_at_every_size) {
  using T = typename TypeParam::element;
  using Op = typename TypeParam::op;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 150; ++n) sizes.push_back(n);
  for (std::size_t n : {255u, 256u, 257u, 511u, 512u, 513u, 1023u, 1024u, 1025u, 3000u, 8191u})
    sizes.push_back(n);
  for (double const scale : {1.0, 30.0, 1000.0})
    expect_scans_of_the_tree<Op>(numbers_within<T>(scale, 8191), sizes);
  expect_scans_of_the_tree<Op>(numbers_within<T>(30, 600), {1, 2, 9, 64, 600}, {}, true);
}

TYPED_TEST_P(block_scans, have_the_trees_bits_with_every_initial_value) {
  using T = typename TypeParam::element;
  using Op = typename TypeParam::op;
  for (auto const& initial : initial_values<accumulator_t<Op, T>>())
    for (double const scale : {1.0, 1000.0})
      expect_scans_of_the_tree<Op>(numbers_within<T>(scale, 700),
                                   {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 256, 700},
                                   {initial});
}

TYPED_TEST_P(block_scans, have_the_trees_bits_on_any_number_of_threads) {
  using T = typename TypeParam::element;
  using Op = typename TypeParam::op;
  for (int const threads : {2, 3, 7})
    for (bool const reverse : {false, true})
      expect_scans_of_the_tree<Op>(numbers_within<T>(100, 30000), {5, 1000, 16384, 30000}, {},
                                   reverse, threads);
}

TYPED_TEST_P(block_scans, have_the_trees_bits_with_a_special_value_at_every_position) {
  using T = typename TypeParam::element;
  for (std::size_t const n : {64u, 300u})
    for (T const special : special_numbers<T>())
      for (std::size_t at = 0; at < n; at += n == 64 ? 1 : 7) {
        auto x = numbers_within<T>(10, n);
        x[at] = special;
        expect_scans_of_the_tree<typename TypeParam::op>(x, {n});
        if (testing::Test::HasFailure()) FAIL() << "special value at " << at;
      }
}

TYPED_TEST_P(block_scans, have_the_trees_bits_with_many_special_values) {
  using T = typename TypeParam::element;
  auto const special = special_numbers<T>();
  random_bits next(test_seed());
  for (std::size_t const every : {2u, 50u, 1000u})
    for (bool const infinities : {true, false})
      for (int round = 0; round < 8; ++round) {
        auto x = numbers_within<T>(100, 1500 + static_cast<std::size_t>(round));
        for (T& e : x)
          if (next.below(every) == 0) e = special[infinities ? 2 : next.below(special.size())];
        expect_scans_of_the_tree<typename TypeParam::op>(x, {64, x.size()});
      }
}

REGISTER_TYPED_TEST_SUITE_P(block_scans, have_the_trees_bits_at_every_size,
                            have_the_trees_bits_with_every_initial_value,
                            have_the_trees_bits_on_any_number_of_threads,
                            have_the_trees_bits_with_a_special_value_at_every_position,
                            have_the_trees_bits_with_many_special_values);

}  // namespace upsweep::test
