/// Kernels that belong to no operator: bytes, bins and exact products; and the choice of an
/// instruction set.
#include "segment_checks.hpp"

#include <support/message.hpp>
#include <support/random.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/kernels.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::host::simd {

// The selection of a SIMD target, also when a test forces one.

TEST(dispatch, uses_the_fastest_of_its_targets) {
  ASSERT_FALSE(targets().empty());
  EXPECT_EQ(target(), targets().front());
}

TEST(dispatch, uses_the_target_that_a_test_forces_and_afterwards_the_fastest_again) {
  auto const all = targets();
  std::vector<float> const x(1000, 1.0f);
  for (std::string const& name : all) {
    {
      forced_target const forced(name);
      EXPECT_EQ(target(), name);
      EXPECT_EQ(reduce<plus>(x.data(), x.size(), mode::reproducible), 1000.0f);
    }
    EXPECT_EQ(target(), all.front());
    EXPECT_EQ(targets(), all);
  }
}

TEST(dispatch, says_which_targets_there_are_when_asked_for_another) {
  std::string const said =
      test::message_of<precondition_error>([] { forced_target const forced("AVX1024"); });
  EXPECT_NE(said.find("no SIMD target \"AVX1024\""), std::string::npos) << said;
  EXPECT_NE(said.find(targets().front()), std::string::npos) << said;
  EXPECT_EQ(target(), targets().front());
}

namespace {

// The search for three bytes with every SIMD target, against a loop.

/// The positions by the definition.
std::vector<std::uint32_t> expected(std::string_view text, char a, char b, char c) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == a || text[i] == b || text[i] == c)
      found.push_back(static_cast<std::uint32_t>(i));
  return found;
}

TEST(byte_search, finds_all_three_bytes_and_no_others) {
  constexpr std::uint32_t untouched = 0xa5a5a5a5;
  for (auto const& target : targets()) {
    forced_target const forced(target);
    test::random_bits next(test::test_seed());
    for (std::uint64_t const among : {3u, 8u, 300u})  // different bytes of the text
      for (std::size_t n = 0; n < 9000; n += n < 140 ? 1 : 1777) {
        // Memory of the text's size, so that reading beyond it is found by a sanitizer.
        std::vector<char> text(n);
        for (char& x : text) x = static_cast<char>(next() % among * 0x55);
        std::string_view const all(text.data(), n);
        char const a = '\0', b = static_cast<char>(0xaa), c = 0x55;
        std::vector<std::uint32_t> to(n + positions_slack + 8, untouched);
        auto const found = expected(all, a, b, c);
        ASSERT_EQ(find_bytes(text.data(), n, a, b, c, to.data()), found.size())
            << target << ", " << n << " bytes";
        ASSERT_TRUE(std::equal(found.begin(), found.end(), to.begin())) << target << ", " << n;
        for (std::size_t i = n + positions_slack; i < to.size(); ++i)
          ASSERT_EQ(to[i], untouched) << target << " wrote beyond the slack";
      }
  }
}

TEST(byte_search, masks_each_of_three_bytes) {
  constexpr std::size_t words = 37;
  test::random_bits next(test::test_seed());
  std::vector<char> text(64 * words);
  for (char& x : text) x = static_cast<char>(next() % 5 * 0x33);
  char const sought[] = {'\0', 0x33, static_cast<char>(0xcc)};
  for (auto const& target : targets()) {
    forced_target const forced(target);
    std::vector<std::uint64_t> to(3 * words + 1, 7);
    mask_bytes(text.data(), words, sought[0], sought[1], sought[2], to.data());
    for (std::size_t i = 0; i < text.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_EQ(to[3 * (i / 64) + k] >> i % 64 & 1, text[i] == sought[k] ? 1u : 0u)
            << target << ", byte " << i;
    ASSERT_EQ(to.back(), 7u) << target;
  }
}

// The bins of even bins with every SIMD target, against comparisons with the borders.

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

// Exact products and masked elements with every SIMD target, against std::fma and a plain loop.

constexpr double infinity = std::numeric_limits<double>::infinity();

/// multiply_exactly of 19 elements, of which number 17 is x * y and the others are 1 * 1.
bool accepts(double x, double y) {
  std::vector<double> a(19, 1), b(19, 1), p(19), e(19);
  a[17] = x;
  b[17] = y;
  bool has_errors = false;
  bool const is_exact = multiply_exactly(a.data(), b.data(), 19, p.data(), e.data(), has_errors);
  if (is_exact) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x * y), std::bit_cast<std::uint64_t>(p[17]));
    EXPECT_EQ(x * y == 0 ? 0 : std::fma(x, y, -(x * y)), e[17]) << x << " * " << y;
    EXPECT_EQ(e[17] != 0, has_errors) << x << " * " << y;
  }
  return is_exact;
}

/// Calls f(random numbers, n) for small n with every target.
template <class F>
void for_every_length(F const& f) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    test::random_bits next(test::test_seed());
    for (std::size_t n = 0; n < 70; ++n) f(next, n);
  }
}

TEST(products, are_a_number_and_its_error) {
  for_every_length([](auto& next, std::size_t n) {
    std::vector<double> x(n), y(n), p(n), e(n);
    for (auto* v : {&x, &y})
      for (auto& element : *v)
        element = std::ldexp(static_cast<double>(next()), static_cast<int>(next() % 800) - 430) *
                  (next() % 2 == 0 ? -1 : 1);
    bool has_errors = false;
    ASSERT_TRUE(multiply_exactly(x.data(), y.data(), n, p.data(), e.data(), has_errors));
    ASSERT_EQ(n > 0, has_errors);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(x[i] * y[i], p[i]);
      ASSERT_EQ(std::fma(x[i], y[i], -p[i]), e[i]) << i << " of " << n;
    }
  });
}

TEST(products, outside_of_the_range_in_which_errors_are_numbers_are_not_accepted) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    EXPECT_TRUE(accepts(0x1p-480, 0x1p-480));
    EXPECT_FALSE(accepts(0x1.fp-480, 0x1p-481));
    EXPECT_TRUE(accepts(0x1p500, -0x1p500));
    EXPECT_FALSE(accepts(0x1.1p500, 0x1p500));
    EXPECT_TRUE(accepts(0x1.3p-400, 0x1.7p-559));
    for (double const zero : {0.0, -0.0}) {
      EXPECT_TRUE(accepts(zero, 0x1p1000));
      EXPECT_TRUE(accepts(-5, zero));
      EXPECT_TRUE(accepts(zero, 0x1p-1074));
      EXPECT_FALSE(accepts(zero, infinity));
    }
    EXPECT_FALSE(accepts(0x1p-600, 0x1p-600));  // 0 without a factor 0
    for (double const x : {infinity, -infinity, std::nan("")}) EXPECT_FALSE(accepts(x, 2));
  }
}

TEST(products, masked_elements_are_replaced_and_the_others_counted) {
  for_every_length([](auto& next, std::size_t n) {
    std::vector<double> x(n + 1, std::nan("")), wanted(n + 1);
    std::vector<std::uint8_t> mask(n);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mask[i] = next() % 3 == 0 ? 0 : 1;
      count += mask[i];
      if (mask[i] != 0) x[i] = static_cast<double>(i);
      wanted[i] = mask[i] != 0 ? x[i] : -7;
    }
    ASSERT_EQ(count, keep(x.data(), mask.data(), n, -7));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(wanted[i], x[i]) << i << " of " << n;
    ASSERT_TRUE(std::isnan(x[n]));
  });
}

}  // namespace

}  // namespace upsweep::host::simd
