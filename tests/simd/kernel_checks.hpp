/// The checks of every vector kernel: the bits of the combine tree at every size, alignment,
/// prefix, initial value and SIMD target.
#pragma once

#include <simd/every_target.hpp>
#include <support/fenced.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>
#include <support/tree.hpp>
#include <upsweep/host/simd/kernels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace upsweep::test {

template <class Op, class T>
struct kernel {
  using op = Op;
  using element = T;
  using accumulator = accumulator_t<Op, T>;
};

/// An input element. Slopes of affine maps are near 1, so that no prefix vanishes or overflows;
/// 16-bit floats use their whole range, including subnormals, so that sums in float are rounded
/// too.
template <class T>
T kernel_element(random_bits& next) {
  if constexpr (requires { T{}.a; }) {
    using number = decltype(T::a);
    auto const sign = next() >> 63 ? 1.0 : -1.0;
    return {static_cast<number>(sign * (1.0 + 0.25 * small(next))), random_element<number>(next)};
  } else if constexpr (detail::is_narrow_float<T>) {
    return static_cast<T>(scattered_float(next) * 0x1p-6f);
  } else {
    return random_element<T>(next);
  }
}
template <class T>
std::vector<T> kernel_elements(std::size_t n) {
  random_bits next(test_seed());
  std::vector<T> x;
  while (x.size() < n) x.push_back(kernel_element<T>(next));
  return x;
}

/// The arguments of a tile's scan besides its elements.
enum class around { nothing, prefix, initial, both };
inline constexpr around all_arounds[] = {around::nothing, around::prefix, around::initial,
                                         around::both};

/// What the kernels of an operator compute: products are multiplications, because the executor
/// looks at results that are not finite itself (host/restored_products.hpp).
template <class Op>
struct by_kernels {
  using type = Op;
};
struct plain_products : detail::plain_multiplies {
  template <class T>
  using accumulator = accumulator_t<multiplies, T>;
};
template <>
struct by_kernels<multiplies> {
  using type = plain_products;
};

/// An input and its expected results. Result i of an inclusive scan is `results(...)[i + 1]`, of an
/// exclusive one `[i]`. A result depends only on what precedes it, so one list serves every size.
template <class Kernel>
class expectation {
 public:
  using Op = typename by_kernels<typename Kernel::op>::type;
  using T = typename Kernel::element;
  using A = typename Kernel::accumulator;

  explicit expectation(std::vector<T> x) : x_(std::move(x)) {
    Op const op{};
    auto const accumulators = as_accumulators(x_, op);
    typename Kernel::op const restored{};
    totals_ = tree_prefixes(as_accumulators(x_, restored), restored);
    scan_totals_ = tree_prefixes(accumulators, op);
    random_bits next(test_seed() + 1);
    before_ = detail::lift(op, kernel_element<T>(next), 0);
    initial_ = detail::lift(op, kernel_element<T>(next), 0);
    for (around const a : all_arounds)
      results_[static_cast<int>(a)] = results_with(accumulators, a);
  }

  [[nodiscard]] std::vector<T> const& x() const { return x_; }
  [[nodiscard]] A const* prefix(around a) const {
    return a == around::prefix || a == around::both ? &before_ : nullptr;
  }
  [[nodiscard]] A const* initial(around a) const {
    return a == around::initial || a == around::both ? &initial_ : nullptr;
  }
  [[nodiscard]] A const& total(std::size_t n) const { return totals_[n - 1]; }
  [[nodiscard]] A const& scan_total(std::size_t n) const { return scan_totals_[n - 1]; }
  [[nodiscard]] T const* results(scan_kind kind, around a) const {
    return results_[static_cast<int>(a)].data() + (kind == scan_kind::inclusive ? 1 : 0);
  }

 private:
  /// initial op (before op blocks of [0, m)), m = 0 ... n, from the tree's blocks alone. What no
  /// scan writes is a sentinel.
  std::vector<T> results_with(std::vector<A> const& x, around a) const {
    Op const op{};
    std::vector<std::vector<A>> level{x};
    while (level.back().size() >= 2) {
      std::vector<A> above;
      for (std::size_t j = 0; j + 1 < level.back().size(); j += 2)
        above.push_back(op(level.back()[j], level.back()[j + 1]));
      level.push_back(std::move(above));
    }
    std::vector<A> fold{before_};
    std::vector<T> results;
    for (std::size_t m = 0; m <= x.size(); ++m) {
      std::size_t const start = m & (m - 1);  // m without its lowest digit
      auto const k = static_cast<std::size_t>(m == 0 ? 0 : std::countr_zero(m));
      if (m > 0)
        fold.push_back(start == 0 && !prefix(a) ? level[k][0]
                                                : op(fold[start], level[k][start >> k]));
      if (m == 0 && !prefix(a))
        results.push_back(sentinel<T>());
      else
        results.push_back(
            static_cast<T>(detail::finish(op, initial(a) ? op(initial_, fold[m]) : fold[m])));
    }
    return results;
  }

  std::vector<T> x_;
  std::vector<A> totals_, scan_totals_;
  A before_, initial_;
  std::vector<T> results_[4];
};

/// True when the n values have the same bits. Compares the memory first, which nearly always
/// suffices.
template <class T>
testing::AssertionResult same_values(T const* got, T const* expected, std::size_t n) {
  if (std::memcmp(static_cast<void const*>(got), static_cast<void const*>(expected),
                  n * sizeof(T)) == 0)
    return testing::AssertionSuccess();
  for (std::size_t i = 0; i < n; ++i)
    if (!same_bits(got[i], expected[i]))
      return testing::AssertionFailure()
             << "at " << i << " of " << n << ": got " << shown(got[i]) << ", expected "
             << shown(expected[i]) << ", " << seed_note();
  return testing::AssertionSuccess();
}

/// One call, into a fenced buffer (shifted by `shift` elements) or, with in_place, over a copy of
/// the input.
template <class Kernel>
testing::AssertionResult scan_is_right(expectation<Kernel> const& e, scan_kind kind, std::size_t n,
                                       around a, host::simd::stores s, std::size_t shift = 0,
                                       bool in_place = false) {
  using Op = typename Kernel::op;
  using T = typename Kernel::element;
  fenced<T> buffer(n + shift);
  T* const out = buffer.inside().data() + shift;
  T const* x = e.x().data();
  if (in_place) {
    std::copy_n(x, n, out);
    x = out;
  }
  accumulator_t<Op, T> total{};
  bool const wants_total = host::simd::scan_gives_total<Op, T> && std::has_single_bit(n);
  auto* const total_or_null = wants_total ? &total : nullptr;
  if (kind == scan_kind::inclusive)
    host::simd::scan<scan_kind::inclusive, Op, T>(x, out, n, e.prefix(a), e.initial(a), s, nullptr,
                                                  total_or_null);
  else
    host::simd::scan<scan_kind::exclusive, Op, T>(x, out, n, e.prefix(a), e.initial(a), s, nullptr,
                                                  total_or_null);
  if (upper_halves_in_use())
    return testing::AssertionFailure() << "left the upper halves of the registers in use";
  if (wants_total && !same_bits(total, e.scan_total(n)))
    return testing::AssertionFailure()
           << "got the total " << shown(total) << ", expected " << shown(e.scan_total(n));
  if (!buffer.intact()) return testing::AssertionFailure() << "wrote outside [0, n)";
  if (in_place && kind == scan_kind::exclusive &&
      !e.prefix(a)) {  // the first output is left as it was: the first input
    if (!same_bits(out[0], e.x()[0]))
      return testing::AssertionFailure() << "touched out[0], which is the caller's";
    return same_values(out + 1, e.results(kind, a) + 1, n - 1);
  }
  return same_values(out, e.results(kind, a), n);
}

template <class Kernel>
testing::AssertionResult reduce_is_right(expectation<Kernel> const& e, std::size_t n,
                                         mode m = mode::reproducible) {
  auto const got = host::simd::reduce<typename Kernel::op>(e.x().data(), n, m);
  if (upper_halves_in_use())
    return testing::AssertionFailure() << "left the upper halves of the registers in use";
  return same_values(&got, &e.total(n), 1);
}

inline constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

/// Reductions and scans of the first elements of x: of every number of them, from 300 on of every
/// seventh.
template <class Op, class T>
void expect_every_length(std::vector<T> const& x) {
  expectation<kernel<Op, T>> const e(x);
  for_each_target([&] {
    for (std::size_t n = 1; n <= x.size(); n += n < 300 ? 1 : 7) {
      ASSERT_TRUE(reduce_is_right(e, n)) << n;
      for (scan_kind const kind : both_kinds)
        ASSERT_TRUE(scan_is_right(e, kind, n, around::nothing, host::simd::stores::cached)) << n;
    }
  });
}

template <class Kernel>
class kernels : public testing::Test {};
TYPED_TEST_SUITE_P(kernels);

TYPED_TEST_P(kernels, have_the_trees_bits_at_every_size) {
  expectation<TypeParam> const e(kernel_elements<typename TypeParam::element>(last_of_every_size));
  for_each_target([&] {
    for (std::size_t n = 1; n <= last_of_every_size; ++n) {
      ASSERT_TRUE(reduce_is_right(e, n)) << "reduce, n = " << n;
      around const a = all_arounds[n / 3 % 4];  // every size mod 4 meets each
      auto const s = n / 13 % 2 ? host::simd::stores::streamed : host::simd::stores::cached;
      for (scan_kind const kind : both_kinds)
        ASSERT_TRUE(scan_is_right(e, kind, n, a, s, n / 7 % 16))
            << "n = " << n << ", kind " << static_cast<int>(kind) << ", around "
            << static_cast<int>(a);
    }
  });
}

TYPED_TEST_P(kernels, have_the_trees_bits_with_every_prefix_and_initial_value) {
  expectation<TypeParam> const e(kernel_elements<typename TypeParam::element>(1200));
  for_each_target([&] {
    for (std::size_t n : {1u,  2u,  3u,  4u,   7u,   8u,   15u,  16u,  17u,  31u,  33u,
                          63u, 64u, 65u, 100u, 127u, 129u, 255u, 257u, 511u, 700u, 1033u})
      for (around const a : all_arounds)
        for (scan_kind const kind : both_kinds)
          for (auto const s : {host::simd::stores::cached, host::simd::stores::streamed})
            ASSERT_TRUE(scan_is_right(e, kind, n, a, s))
                << "n = " << n << ", kind " << static_cast<int>(kind) << ", around "
                << static_cast<int>(a);
  });
}

TYPED_TEST_P(kernels, have_the_trees_bits_at_every_alignment_and_in_place) {
  constexpr std::size_t n = 4801;
  auto const all = kernel_elements<typename TypeParam::element>(n + 16);
  for (std::size_t skip : {0u, 1u, 2u, 3u, 5u, 8u, 13u}) {
    expectation<TypeParam> const e({all.begin() + static_cast<std::ptrdiff_t>(skip), all.end()});
    for_each_target([&] {
      ASSERT_TRUE(reduce_is_right(e, n)) << "skip " << skip;
      for (scan_kind const kind : both_kinds) {
        for (std::size_t shift = 0; shift < 16; ++shift)
          for (auto const s : {host::simd::stores::cached, host::simd::stores::streamed})
            ASSERT_TRUE(scan_is_right(e, kind, n - shift, around::prefix, s, shift))
                << "skip " << skip << ", shift " << shift;
        for (around const a : all_arounds)
          for (std::size_t m : {1u, 5u, 77u, 1023u, 4801u})
            ASSERT_TRUE(scan_is_right(e, kind, m, a, host::simd::stores::cached, skip, true))
                << "in place, n = " << m;
      }
    });
  }
}

TYPED_TEST_P(kernels, have_the_trees_bits_at_large_sizes) {
  constexpr std::size_t largest = slow_build ? 70001 : 300007;
  expectation<TypeParam> const e(kernel_elements<typename TypeParam::element>(largest));
  for_each_target([&] {
    for (std::size_t const n :
         {std::size_t{4095}, std::size_t{4097}, std::size_t{65535}, std::size_t{65536}, largest}) {
      ASSERT_TRUE(reduce_is_right(e, n)) << "reduce, n = " << n;
      for (scan_kind const kind : both_kinds)
        for (auto const s : {host::simd::stores::cached, host::simd::stores::streamed})
          ASSERT_TRUE(scan_is_right(e, kind, n, around::nothing, s, 3))
              << "n = " << n << ", kind " << static_cast<int>(kind);
    }
  });
}

REGISTER_TYPED_TEST_SUITE_P(kernels, have_the_trees_bits_at_every_size,
                            have_the_trees_bits_with_every_prefix_and_initial_value,
                            have_the_trees_bits_at_every_alignment_and_in_place,
                            have_the_trees_bits_at_large_sizes);

}  // namespace upsweep::test
