/// The kernels of windows with every SIMD target, against the definition.
#include <simd/segment_checks.hpp>
#include <support/bits.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

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
void run(how by, T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory, T* to) {
  if (by == how::sum) return window_kernels::add(x, n, at, width, memory, to);
  if constexpr (std::is_integral_v<T>) {
    if (by == how::smaller)
      window_kernels::smaller(x, n, at, width, memory, to);
    else
      window_kernels::larger(x, n, at, width, memory, to);
  }
}

/// The total of a block of 2^k elements, and of `width` elements by the blocks of its bits.
template <class T>
T block_total(how by, T const* x, std::size_t n) {
  return n == 1 ? *x : combined(by, block_total(by, x, n / 2), block_total(by, x + n / 2, n / 2));
}
template <class T>
T window_total(how by, T const* x, std::size_t width) {
  std::size_t const first = std::bit_floor(width);
  T total = block_total(by, x, first);
  for (std::size_t done = first; done < width;) {
    std::size_t const next = std::bit_floor(width - done);
    total = combined(by, total, block_total(by, x + done, next));
    done += next;
  }
  return total;
}

/// Windows up to the end of their memory, whose elements come `step` at a time.
template <class T>
void expect_totals(how by, std::size_t n, std::size_t width, std::size_t step) {
  test::random_bits next(test::test_seed() + n + width);
  std::size_t const windows = n < width ? 0 : n - width + 1;
  test::numbers_before_fence<T> x(n), to(windows);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = std::is_integral_v<T> ? static_cast<T>(next())
                                 : static_cast<T>(static_cast<double>(next() >> 11) * 0x1p-50 - 4);
  std::vector<T> memory(window_kernels::window_room(width));
  for (std::size_t i = 0; i < n; i += step)
    run(by, x.data() + i, std::min(step, n - i), i, width, memory.data(),
        to.data() + (i < width ? 0 : i - width + 1));
  for (std::size_t i = 0; i < windows; ++i)
    ASSERT_TRUE(test::same_bits(to[i], window_total(by, x.data() + i, width)))
        << i << " of " << windows << ", " << width << " wide, " << step << " at a time";
}

template <class T>
void expect_type() {
  for (how const by : {how::sum, how::smaller, how::larger}) {
    if (by != how::sum && !std::is_integral_v<T>) continue;
    for (std::size_t const width : {1u, 2u, 3u, 7u, 8u, 21u, 31u, 32u, 64u, 127u, 171u, 300u})
      for (std::size_t const more : {0u, 1u, 50u, 201u})
        for (std::size_t const step : {std::size_t{1} << 20, window_kernels::window_step})
          expect_totals<T>(by, width - 1 + more, width, step);
  }
}

TEST(window_totals, are_those_of_each_window_alone) {
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
