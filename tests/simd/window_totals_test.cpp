/// The kernels of windows with every SIMD target, against the definition.
#include <simd/segment_checks.hpp>
#include <support/bits.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/window_totals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace upsweep::host::simd {
namespace {

enum class how { sum, smaller, larger };

template <class T>
T combined(how by, T a, T b) {
  if (by == how::smaller) return std::min(a, b);
  if (by == how::larger) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <class T>
void run(how by, T const* a, T const* b, T const* c, T const* d, T* to, std::size_t n) {
  if (by == how::sum) return window_kernels::add(a, b, c, d, to, n);
  if constexpr (std::is_integral_v<T>) {
    if (by == how::smaller)
      window_kernels::smaller(a, b, c, d, to, n);
    else
      window_kernels::larger(a, b, c, d, to, n);
  }
}

/// Totals of two or four neighbours at a distance, up to the end of their memory.
template <class T>
void expect_combined(how by, std::size_t n, std::size_t half, bool four) {
  test::random_bits next(test::test_seed() + n + half);
  std::size_t const elements = n + (four ? 3 : 1) * half;
  test::numbers_before_fence<T> x(elements), to(n);
  for (std::size_t i = 0; i < elements; ++i)
    x[i] = std::is_integral_v<T> ? static_cast<T>(next())
                                 : static_cast<T>(static_cast<double>(next() >> 11) * 0x1p-50 - 4);
  T const* const a = x.data();
  run(by, a, a + half, four ? a + 2 * half : nullptr, four ? a + 3 * half : nullptr, to.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    T expected = combined(by, x[i], x[i + half]);
    if (four) expected = combined(by, expected, combined(by, x[i + 2 * half], x[i + 3 * half]));
    ASSERT_TRUE(test::same_bits(to[i], expected)) << i << " of " << n << ", " << half << " apart";
  }
}

template <class T>
void expect_type() {
  for (how const by : {how::sum, how::smaller, how::larger}) {
    if (by != how::sum && !std::is_integral_v<T>) continue;
    for (std::size_t n = 0; n < 300; n += n < 70 ? 1 : 37)
      for (std::size_t const half : {1u, 2u, 5u, 16u, 64u})
        for (bool const four : {false, true}) expect_combined<T>(by, n, half, four);
  }
}

TEST(window_totals, are_those_of_two_and_four_neighbours) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    expect_type<float>();
    expect_type<double>();
    expect_type<std::int32_t>();
    expect_type<std::int64_t>();
  }
}

template <class T>
void expect_order(std::size_t n, T nan) {
  using key = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using limits = std::numeric_limits<T>;
  T const special[] = {T(-0.0f),
                       T(0.0f),
                       limits::quiet_NaN(),
                       -limits::infinity(),
                       limits::infinity(),
                       limits::denorm_min(),
                       limits::lowest(),
                       limits::max(),
                       -limits::quiet_NaN()};
  test::random_bits next(test::test_seed() + n);
  test::numbers_before_fence<T> x(n), back(n);
  test::numbers_before_fence<key> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = i % 2 == 0 ? special[next.below(9)] : std::bit_cast<T>(static_cast<key>(next()));
  window_kernels::order(x.data(), n, keys.data(), nan);
  window_kernels::numbers(keys.data(), n, back.data());
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(test::same_bits(back[i], std::isnan(x[i]) ? nan : x[i])) << i << " of " << n;
    if (i == 0 || std::isnan(x[i]) || std::isnan(x[i - 1])) continue;
    bool const less =
        x[i - 1] < x[i] || (x[i - 1] == x[i] && std::signbit(x[i - 1]) && !std::signbit(x[i]));
    ASSERT_EQ(keys[i - 1] < keys[i], less) << x[i - 1] << " and " << x[i];
  }
}

TEST(window_totals, order_numbers_as_integers) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    for (std::size_t n = 0; n < 300; n += n < 70 ? 1 : 37) {
      expect_order<float>(n, std::numeric_limits<float>::quiet_NaN());
      expect_order<double>(n, -std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace
}  // namespace upsweep::host::simd
