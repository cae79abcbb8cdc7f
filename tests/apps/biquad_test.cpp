/// Filters of second order beside their difference equation as a loop.
#include <upsweep/apps/biquad.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

using apps::biquad;

/// The difference equation, one output after another.
template <class Real>
std::vector<Real> looped(biquad const& s, std::vector<Real> const& x) {
  std::vector<Real> y(x.size());
  Real const b0 = s.b0, b1 = s.b1, b2 = s.b2, a1 = s.a1, a2 = s.a2;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Real const x1 = i > 0 ? x[i - 1] : 0, x2 = i > 1 ? x[i - 2] : 0, y1 = i > 0 ? y[i - 1] : 0,
               y2 = i > 1 ? y[i - 2] : 0;
    y[i] = b0 * x[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
  }
  return y;
}

TEST(biquad, whole_coefficients_give_the_loop_exactly) {
  // Poles on the unit circle, with periods of 6, 4 and 3 elements, and at 1 and -1 twice: results
  // of whole numbers stay below 2^53 in absolute value.
  for (biquad const& section : {biquad{1, 2, 1, -1, 1},
                                {3, 0, -1, 0, 1},
                                {1, -5, 2, 1, 1},
                                {1, 0, 0, -2, 1},
                                {2, 1, 1, 2, 1},
                                {1, -1, 4, 0, 0}})
    for (std::size_t const n : edge_sizes(8 * detail::filter_block, 30'000)) {
      random_bits next(test_seed());
      std::vector<double> x;
      while (x.size() < n) x.push_back(static_cast<double>(next.below(201)) - 100);
      auto const expected = looped(section, x);
      on_each_executor([&](auto const& on) {
        std::vector<double> y(n);
        apps::filter(section, x, y, on);
        ASSERT_EQ(y, expected) << n << " elements, " << seed_note();
      });
    }
}

/// How far results can lie from exact ones, to first order in the rounding errors, which add up
/// linearly: an error made k elements ago reaches a result through the k-th power of the companion
/// matrix, whose norm decays. There is one for each element of a block, and one for each 2^j blocks
/// that the scan combines, for each j: their state is multiplied by a power from a table with
/// errors of its own, and the state of the next blocks is added.
long double bound_of(biquad const& s, std::size_t n, long double input) {
  constexpr std::size_t most = 1 << 15;  // powers from here on are 0 in effect
  long double const u = 0x1p-53L;
  std::vector<long double> impulse(most), norm(most);
  impulse[0] = 1;
  auto const h = looped(biquad{1, 0, 0, s.a1, s.a2}, impulse);
  long double response = 0, all = 0;
  for (std::size_t k = 0; k < most; ++k) {  // rows of the power k: (h[k], -a2 h[k - 1]), the next
    auto const row = [&](std::size_t i) {
      return std::abs(h[i]) + (i > 0 ? std::abs(s.a2 * h[i - 1]) : 0);
    };
    norm[k] = std::max(row(k), k > 0 ? row(k - 1) : 1);
    response += std::abs(h[k]);
    all += norm[k];
  }
  EXPECT_LT(norm[most - 1], 1e-30L);
  long double const size = response * input;  // of any state
  // Five products and four additions, in the run of a block that gives its state and in the other.
  long double bound = 2 * all * 9 * u * (input + (std::abs(s.a1) + std::abs(s.a2)) * size);
  auto const at = [&](std::size_t k) { return k < most ? norm[k] : 0.0L; };
  std::vector<long double> squaring;  // the error of each squaring on its own
  for (std::size_t j = 0; std::size_t{1} << j < n; ++j) {
    std::size_t const length = std::size_t{1} << j;
    long double table = 0, together = 0;
    for (std::size_t i = 0; i < squaring.size(); ++i) {
      std::size_t const part = std::size_t{2} << i, times = length / part;
      for (std::size_t k = 0; k < times && k * part < most; ++k)
        table += at(k * part) * squaring[i] * at((times - 1 - k) * part);
    }
    for (std::size_t k = 0; k < n; k += detail::filter_block) together += at(k);
    // Once in the tree of blocks, and once where a prefix is put together from them; a block of 480
    // is multiplied by the powers of its four binary digits.
    bound += 2 * together * (table + 3 * u * at(length) + u) * size;
    squaring.push_back(3 * u * at(length) * at(length));
  }
  return 2 * bound;  // the second order is less than the first
}

TEST(biquad, cookbook_filters_are_the_loop_within_their_rounding) {
  for (biquad const& section :
       {apps::low_pass(0.1), apps::low_pass(0.01, 2), apps::high_pass(0.2, 0.6),
        apps::band_pass(0.05, 3), apps::notch(0.12, 5)})
    for (std::size_t const n :
         std::vector<std::size_t>{0u, 1u, 2u, 3u, 100u, 480u, 481u, 960u, 3841u, 50'000u}) {
      random_bits next(test_seed());
      std::vector<double> x;
      while (x.size() < n) x.push_back(small(next));
      auto const exact = looped(section, std::vector<long double>(x.begin(), x.end()));
      long double const input = std::abs(section.b0) + std::abs(section.b1) + std::abs(section.b2),
                        bound = bound_of(section, n, input);
      ASSERT_LT(bound, 1e-7L) << "the bound says nothing";
      std::vector<double> before;
      auto const plain = looped(section, x);
      on_each_executor([&](auto const& on) {
        std::vector<double> y(n);
        apps::filter(section, x, y, on);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_LE(std::abs(static_cast<long double>(y[i]) - exact[i]), bound)
              << i << " of " << n << ", " << seed_note();
        ASSERT_TRUE(n > detail::filter_block || y == plain);
        if (before.empty()) before = y;
        ASSERT_EQ(y, before);
      });
    }
}

/// The gain of a section at a frequency, from its transfer function.
double gain(biquad const& s, double frequency) {
  std::complex<double> const z = std::polar(1.0, -2 * std::numbers::pi * frequency);
  return std::abs((s.b0 + s.b1 * z + s.b2 * z * z) / (1.0 + s.a1 * z + s.a2 * z * z));
}

TEST(biquad, cookbook_filters_have_their_gains) {
  for (double const f : {0.001, 0.1, 0.25, 0.4})
    for (double const q : {0.5, std::numbers::sqrt2 / 2, 4.0}) {
      // Gains are quotients of sums that cancel to about f^2: an error of 1e-16 / f^2 each.
      double const close = 1e-14 / (f * f);
      EXPECT_NEAR(gain(apps::low_pass(f, q), 0), 1, close);
      EXPECT_NEAR(gain(apps::low_pass(f, q), f), q, q * close);
      EXPECT_NEAR(gain(apps::low_pass(f, q), 0.5), 0, close);
      EXPECT_NEAR(gain(apps::high_pass(f, q), 0), 0, close);
      EXPECT_NEAR(gain(apps::high_pass(f, q), f), q, q * close);
      EXPECT_NEAR(gain(apps::high_pass(f, q), 0.5), 1, close);
      EXPECT_NEAR(gain(apps::band_pass(f, q), f), 1, close);
      EXPECT_NEAR(gain(apps::band_pass(f, q), 0), 0, close);
      EXPECT_NEAR(gain(apps::notch(f, q), f), 0, q * close);
      EXPECT_NEAR(gain(apps::notch(f, q), 0), 1, close);
      EXPECT_NEAR(gain(apps::notch(f, q), 0.5), 1, close);
    }
}

TEST(biquad, a_cascade_is_one_section_after_another) {
  auto const x = [] {
    random_bits next(test_seed());
    std::vector<float> signal;
    while (signal.size() < 5000) signal.push_back(static_cast<float>(small(next)));
    return signal;
  }();
  std::vector<biquad> const sections{apps::low_pass(0.2), apps::high_pass(0.01),
                                     apps::notch(0.1, 3), apps::low_pass(0.1)};
  for (std::size_t count = 0; count <= sections.size(); ++count) {
    std::vector<double> expected(x.begin(), x.end());
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> const in = expected;
      apps::filter(sections[k], in, expected);
    }
    std::vector<float> y(x.size());
    std::vector<float> const rounded(expected.begin(), expected.end());
    apps::filter(std::span(sections).first(count), x, y);
    EXPECT_EQ(y, rounded) << count << " sections";
  }
}

TEST(biquad, refuses_frequencies_outside_the_band_and_overlap) {
  EXPECT_THROW((void)apps::low_pass(0), precondition_error);
  EXPECT_THROW((void)apps::low_pass(0.5), precondition_error);
  EXPECT_THROW((void)apps::notch(0.1, 0), precondition_error);
  EXPECT_THROW((void)apps::notch(std::nan(""), 1), precondition_error);
  std::vector<double> x(9), fewer(8);
  EXPECT_THROW(apps::filter(biquad{}, x, x), precondition_error);
  EXPECT_THROW(apps::filter(biquad{}, x, fewer), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
