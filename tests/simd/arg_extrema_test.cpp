/// Contract 2: scans of positions of extrema have the results of the operator, element by element,
/// in both directions, on every SIMD target: ties, NaN, zeros of both signs and the least and the
/// greatest numbers among them. Calls by name too, on several threads and in place.
#include "kernel_checks.hpp"
#include "segment_checks.hpp"

#include <upsweep/by_name/run.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/ops/parts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(kernels);
namespace {

template <class T>
T number(int x) {
  if constexpr (detail::is_float<T>)
    return static_cast<T>(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

/// Five different numbers, one in `every` a new extremum (0: none), and perhaps a few special ones.
template <class T>
std::vector<T> with_extrema(std::size_t n, std::size_t every, bool special) {
  random_bits next(test_seed() + n + every);
  std::vector<T> x(n);
  int extremum = 4;
  for (T& e : x)
    if (every != 0 && next.below(every) == 0)
      e = number<T>(extremum = extremum > 0 ? -extremum : 1 - extremum);
    else
      e = number<T>(static_cast<int>(next.below(5)));
  if (!special) return x;
  using limits = std::numeric_limits<detail::selected_t<T>>;
  std::vector<T> numbers{T(0), static_cast<T>(limits::lowest()), static_cast<T>(limits::max())};
  if constexpr (detail::is_float<T>)
    for (auto const f : {-0.0f, HUGE_VALF, -HUGE_VALF, std::nanf("")})
      numbers.push_back(static_cast<T>(f));
  for (int i = 0; i < 4; ++i) x[next.below(n)] = numbers[next.below(numbers.size())];
  return x;
}

/// The scan of x after `before` by the operator itself.
template <class Op, class T, class A>
std::vector<A> results_of(std::vector<T> const& x, A before, scan_kind kind, bool reversed,
                          std::size_t first) {
  std::vector<A> out(x.size(), before);
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::size_t const i = reversed ? x.size() - 1 - k : k;
    A const after = Op{}(before, Op{}.lift(x[i], first + i));
    out[i] = kind == scan_kind::inclusive ? after : before;
    before = after;
  }
  return out;
}

/// Sizes around the kernel's blocks of 32, elements of many and of few extrema.
template <class T, class F>
void for_each_input(F const& f) {
  for (std::size_t const n : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 200u})
    for (std::size_t const every : {0u, 1u, 20u})
      for (int round = 0; round < 6; ++round)
        f(with_extrema<T>(n + static_cast<std::size_t>(n == 200 ? round : 0), every, round > 0));
}

/// `same_x`: the elements once more, with no readable memory after them.
template <class Op, class T>
void expect_the_operators_scan(std::vector<T> const& x, T const* same_x, scan_kind kind,
                               bool reversed) {
  constexpr std::size_t first = 1000;
  for (T const value : {x[0], number<T>(3)}) {
    indexed<T> const before{value, reversed ? first + x.size() : first - 1};
    auto const want = results_of<Op>(x, before, kind, reversed, first);
    auto const total = results_of<Op>(x, before, scan_kind::inclusive, reversed, first);
    std::vector<indexed<T>> pairs(x.size(), before);
    std::vector<std::uint64_t> positions(x.size());
    host::extremum_scan const how{Op{}.rule(), kind, reversed};
    auto best = before;
    host::scan_extremum(how, same_x, first, x.size(), best, pairs.data());
    EXPECT_TRUE(detail::parts::same(best, reversed ? total.front() : total.back()));
    best = before;
    host::scan_extremum(how, same_x, first, x.size(), best, positions.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(detail::parts::same(pairs[i], want[i])) << i << " of " << x.size();
      ASSERT_EQ(positions[i], want[i].index) << i << " of " << x.size();
    }
  }
}

template <class T>
class extremum_scan : public testing::Test {};
using scanned_types =
    testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(extremum_scan, scanned_types);

TYPED_TEST(extremum_scan, has_the_results_of_the_operator_on_every_target) {
  for_each_target([] {
    for_each_input<TypeParam>([](std::vector<TypeParam> const& x) {
      SCOPED_TRACE(seed_note());
      numbers_before_fence<TypeParam> same_x(x.size());
      std::ranges::copy(x, same_x.data());
      for (scan_kind const kind : {scan_kind::inclusive, scan_kind::exclusive})
        for (bool const reversed : {false, true}) {
          expect_the_operators_scan<argmin>(x, same_x.data(), kind, reversed);
          expect_the_operators_scan<argmax>(x, same_x.data(), kind, reversed);
          expect_the_operators_scan<argmin_last>(x, same_x.data(), kind, reversed);
          expect_the_operators_scan<argmax_last>(x, same_x.data(), kind, reversed);
        }
    });
  });
}

/// The results of a call by name.
template <class Op, class T>
std::vector<std::uint64_t> by_name(dynamic::verb verb, std::vector<T> const& x, bool reversed,
                                   int threads) {
  dynamic::request how;
  how.on.threads = threads;
  how.reverse = reversed;
  std::vector<std::uint64_t> out(verb == dynamic::verb::reduce ? 1 : x.size());
  dynamic::find(catalog::id_of<Op>, dynamic::dtype_of<T>)
      ->run(verb, x.data(), x.size(), how, out.data());
  return out;
}

template <class Op, class T>
void expect_the_same_by_name(std::vector<T> const& x, bool reversed, int threads) {
  using A = accumulator_t<Op, T>;
  A const none = identity_of<A>(Op{});
  auto const inclusive = results_of<Op>(x, none, scan_kind::inclusive, reversed, 0);
  auto const exclusive = results_of<Op>(x, none, scan_kind::exclusive, reversed, 0);
  auto const got = by_name<Op>(dynamic::verb::inclusive_scan, x, reversed, threads);
  auto const shifted = by_name<Op>(dynamic::verb::exclusive_scan, x, reversed, threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(got[i], inclusive[i].index) << i << " of " << x.size();
    ASSERT_EQ(shifted[i], exclusive[i].index) << i << " of " << x.size();
  }
  EXPECT_EQ(by_name<Op>(dynamic::verb::reduce, x, reversed, threads)[0],
            (reversed ? inclusive.front() : inclusive.back()).index);
}

TEST(positions_by_name, are_the_operators_at_every_size_in_both_directions) {
  dynamic::for_each_type(dynamic::numbers{}, []<class T>() {
    SCOPED_TRACE(dynamic::name_of(dynamic::dtype_of<T>));
    for (bool const reversed : {false, true}) {
      for_each_input<T>([reversed](std::vector<T> const& x) {
        expect_the_same_by_name<argmin>(x, reversed, 1);
        expect_the_same_by_name<argmax>(x, reversed, 1);
      });
      for (std::size_t const every : {0u, 1000u})
        expect_the_same_by_name<argmax>(with_extrema<T>(300007, every, true), reversed, 3);
    }
  });
}

TEST(positions_by_name, replace_elements_in_place) {
  for (std::size_t const n : {64u, 500u})
    for (bool const reversed : {false, true})
      for (auto const verb : {dynamic::verb::inclusive_scan, dynamic::verb::exclusive_scan}) {
        auto x = with_extrema<std::uint64_t>(n, 20, true);
        auto const want = by_name<argmin>(verb, x, reversed, 1);
        dynamic::request how;
        how.reverse = reversed;
        dynamic::find(catalog::id::argmin, dynamic::dtype::u64)
            ->run(verb, x.data(), n, how, x.data());
        EXPECT_EQ(x, want) << n;
      }
}

}  // namespace
}  // namespace upsweep::test
