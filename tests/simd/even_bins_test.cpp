/// The bins of even bins with every SIMD target, against comparisons with the borders.
#include "segment_checks.hpp"

#include <support/random.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::host::simd {
namespace {

/// The borders of `levels` in double, of which the last belongs to its bin if `closed_right`.
template <class T>
std::uint32_t place_by_definition(T value, detail::even_levels const& levels, bool closed_right) {
  auto const x = static_cast<double>(value);
  auto const bins = static_cast<std::uint32_t>(levels.bins);
  if (x != x) return bins + 2;
  if (closed_right && x == levels[bins]) return bins;
  std::uint32_t reached = 0;
  while (reached <= bins && x >= levels[reached]) ++reached;
  return reached;
}

/// A number on a border, next to one, between two of them, outside, or anything.
template <class T>
T element(std::uint64_t bits, detail::even_levels const& levels) {
  double const border = levels[bits % (levels.bins + 1)];
  double const inside =
      levels.low + static_cast<double>(bits % 1'000'003) / 1e6 * (levels.high - levels.low);
  if constexpr (std::is_integral_v<T>) {
    std::uint64_t const kind = bits >> 60;
    if (kind == 0) return static_cast<T>(bits >> 8);
    double const at = kind < 8 ? inside : std::ceil(border) - static_cast<double>(bits >> 32 & 1);
    if (at < static_cast<double>(std::numeric_limits<T>::lowest()) ||
        at > static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(at);
  } else {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    T const near = static_cast<T>(border);
    T const values[] = {near,
                        std::nextafter(near, -infinity),
                        std::nextafter(near, infinity),
                        std::numeric_limits<T>::quiet_NaN(),
                        infinity,
                        -infinity,
                        T{-0.0f},
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::lowest(),
                        std::numeric_limits<T>::denorm_min()};
    std::uint64_t const kind = bits >> 58;
    return kind < 10 ? values[kind] : kind < 14 ? near : static_cast<T>(inside);
  }
}

template <class T>
void expect_places(detail::even_levels const& levels, bool closed_right, std::size_t n) {
  test::random_bits next(test::test_seed() + n);
  test::numbers_before_fence<T> x(n);
  test::numbers_before_fence<std::uint32_t> found(n);
  bool const is_quiet = n % 2 == 0;  // no element is near a border
  for (std::size_t i = 0; i < n; ++i)
    x[i] = element<T>(is_quiet ? next() | std::uint64_t{63} << 58 : next(), levels);
  auto const line = detail::line_of<T>(levels, closed_right);
  ASSERT_TRUE(line.has_value());
  find_even_bins(x.data(), n, *line, found.data());
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(found[i], place_by_definition(x[i], levels, closed_right))
        << x[i] << " at " << i << " of " << n << ", " << levels.bins << " bins from " << levels.low
        << " to " << levels.high;
}

template <class T>
void expect_type(double low, double high) {
  for (std::size_t const bins : {1u, 3u, 256u, 1'000u, 70'001u}) {
    detail::even_levels const levels{low, (high - low) / static_cast<double>(bins), high, bins};
    if (!detail::line_of<T>(levels, false)) continue;
    bool const few = bins < 300;
    for (std::size_t n = 0; n < (few ? 400u : 140u); n += n < 70 && few ? 1 : 67)
      for (bool const closed_right : {false, true}) expect_places<T>(levels, closed_right, n);
  }
}

TEST(even_bins, are_those_between_whose_borders_an_element_lies) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    expect_type<float>(0, 1);
    expect_type<float>(-0.1, 29.8);
    expect_type<float>(1e5, 1e5 + 1);  // fewer floats than bins
    expect_type<float>(-3e38, 3e38);
    expect_type<float>(1e-42, 3e-42);
    expect_type<double>(-1, 2);
    expect_type<double>(1e9, 1e9 + 1);
    expect_type<double>(-8e307, 8e307);
    expect_type<std::int32_t>(-2e9, 1.9e9);
    expect_type<std::int32_t>(-7.5, 1e4);
    expect_type<std::uint32_t>(0, 0x1p32);
    expect_type<std::uint32_t>(4'000'000'000.0, 4'000'000'700.0);
  }
}

TEST(even_bins, have_no_line_where_borders_may_meet_or_are_too_small) {
  auto const line = [](double low, double high, std::size_t bins) {
    return detail::line_of<double>({low, (high - low) / static_cast<double>(bins), high, bins},
                                   false);
  };
  EXPECT_TRUE(line(1, 2, 1'000).has_value());
  EXPECT_FALSE(line(1, 1 + 0x1p-50, 8).has_value());
  EXPECT_FALSE(line(0, 1e-300, 4).has_value());
}

}  // namespace
}  // namespace upsweep::host::simd
