/// The kernels of segments and of windows.
#include <simd/segment_checks.hpp>
#include <support/bits.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::host::simd {
namespace {

// Sums and scans of short segments with every SIMD target, against the definition.

template <class T>
void expect_sums(std::string const& target, std::size_t count, std::uint32_t longest) {
  test::random_bits next(test::test_seed() + longest + count);
  auto const at = test::short_segments(next, count, longest);
  test::numbers_before_fence<T> x(at.back()), to(count);
  x.fill(next);
  for (std::size_t k = 0; k < count; ++k) to[k] = T(-77);
  std::size_t const done = sum_segments(x.data(), at.data(), count, to.data());
  EXPECT_EQ(done, test::has_segment_kernels(target) ? count : 0) << target;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<T> const alone(x.data() + at[k], x.data() + at[k + 1]);
    T const expected = k < done ? reference::reduce(alone, plus{}) : T(-77);
    ASSERT_TRUE(test::same_bits(to[k], expected))
        << target << ", segment " << k << " of " << alone.size();
  }
}

TEST(segment_sums, have_the_bits_of_each_segment_alone) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    for (std::uint32_t longest = 0; longest <= 256; longest += longest < 40 ? 1 : 24) {
      expect_sums<float>(target, 200, longest);
      expect_sums<double>(target, 200, longest);
    }
    for (std::size_t count = 0; count <= 70; ++count) {
      expect_sums<float>(target, count, 9);
      expect_sums<double>(target, count, 9);
    }
  }
}

TEST(segment_sums, stop_before_a_long_segment) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    std::vector<float> const x(2000, 1.0f);
    auto const at = test::short_segments_before_a_long_one();
    std::vector<float> to(100, -77.0f);
    std::size_t const done = sum_segments(x.data(), at.data(), 100, to.data());
    EXPECT_EQ(done, test::has_segment_kernels(target) ? 70u : 0u) << target;
    for (std::size_t k = 0; k < 100; ++k) ASSERT_EQ(to[k], k < done ? 10.0f : -77.0f) << k;
  }
}

/// Which scan is made.
struct form {
  bool exclusive, with_initial, in_place;
};

template <class T>
void expect_scans(std::string const& target, std::size_t count, std::uint32_t longest,
                  form const& how) {
  test::random_bits next(test::test_seed() + longest + count);
  auto const at = test::short_segments(next, count, longest);
  test::numbers_before_fence<T> in(at.back()), apart(at.back());
  in.fill(next);
  std::vector<T> const x(in.data(), in.data() + at.back());
  T const start = T(0x1p60), first = how.with_initial ? start : T(0);
  T const *const initial = how.with_initial ? &start : nullptr, *const at_first = how.exclusive
                                                                                      ? &first
                                                                                      : nullptr;
  T* const out = how.in_place ? in.data() : apart.data();
  std::size_t const done = scan_segments({in.data(), at.data(), count, initial, at_first}, out);
  ASSERT_EQ(done, test::has_segment_kernels(target) ? count : 0) << target;
  for (std::size_t k = 0; k < done; ++k) {
    std::vector<T> const alone(x.begin() + at[k], x.begin() + at[k + 1]);
    auto const o = initial ? std::optional<T>(start) : std::nullopt;
    auto const expected = how.exclusive ? reference::exclusive_scan(alone, plus{}, o)
                                        : reference::inclusive_scan(alone, plus{}, o);
    for (std::size_t i = 0; i < alone.size(); ++i)
      ASSERT_TRUE(test::same_bits(out[at[k] + i], expected[i]))
          << target << ", " << i << " of " << alone.size() << " in segment " << k;
  }
}

TEST(segment_scans, have_the_bits_of_each_segment_alone) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    for (unsigned bits = 0; bits < 8; ++bits) {
      form const how{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      for (std::uint32_t longest = 0; longest <= 256; longest += longest < 40 ? 1 : 24) {
        expect_scans<float>(target, 200, longest, how);
        expect_scans<double>(target, 200, longest, how);
      }
      for (std::size_t count = 0; count <= 70; ++count) {
        expect_scans<float>(target, count, 9, how);
        expect_scans<double>(target, count, 9, how);
      }
    }
  }
}

TEST(segment_scans, stop_before_a_long_segment) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    std::vector<float> const x(2000, 1.0f);
    auto const at = test::short_segments_before_a_long_one();
    std::vector<float> out(2000, -77.0f);
    std::size_t const done =
        scan_segments({x.data(), at.data(), 100, nullptr, nullptr}, out.data());
    EXPECT_EQ(done, test::has_segment_kernels(target) ? 70u : 0u) << target;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      float const expected = i < 10 * done ? static_cast<float>(i % 10 + 1) : -77.0f;
      ASSERT_EQ(out[i], expected) << target << ", " << i;
    }
  }
}

// The kernels of windows with every SIMD target, against the definition.

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
