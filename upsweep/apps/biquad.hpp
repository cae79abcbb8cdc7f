/// Filters of second order on a signal: low-pass, high-pass, band-pass, notch, and cascades.
///
/// The two taps on the output are a linear recurrence. Blocks of 480 samples run as if zeros stood
/// before them; an exclusive scan of the states after them gives the state before each,
/// from which they run again and store. A thread runs eight blocks side by side, because one alone
/// waits for each result. Coefficients: Bristow-Johnson, Cookbook formulae for audio equalizer
/// biquad filter coefficients (W3C note of 2021). docs/apps/biquad.md.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::apps {

/// The filter y[i] = b0 x[i] + b1 x[i-1] + b2 x[i-2] - a1 y[i-1] - a2 y[i-2], with zeros before x
/// and y.
struct biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

}  // namespace upsweep::apps

namespace upsweep::detail {

/// The cosine of the angle of `frequency` and the cookbook's alpha.
struct cookbook {
  double cosine, alpha;

  cookbook(double frequency, double q) {
    detail::expects(frequency > 0 && frequency < 0.5,
                    "biquad: the frequency must be between 0 and 0.5 cycles per sample");
    detail::expects(q > 0 && q < 1e9, "biquad: q must be larger than 0 and below 1e9");
    double const angle = 2 * std::numbers::pi * frequency;
    cosine = std::cos(angle);
    alpha = std::sin(angle) / (2 * q);
  }
  /// Divides by a0.
  [[nodiscard]] apps::biquad section(double b0, double b1, double b2) const {
    double const a0 = 1 + alpha;
    return {b0 / a0, b1 / a0, b2 / a0, -2 * cosine / a0, (1 - alpha) / a0};
  }
};

inline constexpr std::size_t filter_block = 480, filter_lanes = 8;

/// The states after blocks, each as if zeros came before it, combined to those after all
/// blocks so far.
struct filtered_blocks : recurrence<2, double> {
  explicit filtered_blocks(apps::biquad const& s) : recurrence({-s.a1, -s.a2}) {}
  [[nodiscard]] static state lift(state const& block) { return block; }
  [[nodiscard]] static state finish(state const& s) { return s; }
};

/// Runs `count` blocks from `first` on, in turn a sample of each; `y1` and `y2` are the last two
/// results of each. Stores the results where `store` is called with their positions.
template <class It, class Store>
void run_filter(apps::biquad const& s, It const& x, std::size_t n, std::size_t first,
                std::size_t count, double* y1, double* y2, Store const& store) {
  auto const at = [&](std::size_t i) {
    return static_cast<double>(x[static_cast<std::iter_difference_t<It>>(i)]);
  };
  double x1[filter_lanes] = {}, x2[filter_lanes] = {};
  for (std::size_t lane = 0; lane < count; ++lane)
    if (std::size_t const begin = (first + lane) * filter_block; begin > 0)
      x1[lane] = at(begin - 1), x2[lane] = at(begin - 2);
  auto const step = [&](std::size_t lane, std::size_t i) {
    double const now = at(i),
                 taps = product(s.b0, now) + product(s.b1, x1[lane]) + product(s.b2, x2[lane]),
                 result = taps - product(s.a1, y1[lane]) - product(s.a2, y2[lane]);
    x2[lane] = x1[lane], x1[lane] = now;
    y2[lane] = y1[lane], y1[lane] = result;
    store(i, result);
  };
  if (count == filter_lanes && (first + count) * filter_block <= n) {
    for (std::size_t k = 0; k < filter_block; ++k)
      for (std::size_t lane = 0; lane < filter_lanes; ++lane)
        step(lane, (first + lane) * filter_block + k);
  } else {
    for (std::size_t lane = 0; lane < count; ++lane)
      for (std::size_t i = (first + lane) * filter_block;
           i < n && i < (first + lane + 1) * filter_block; ++i)
        step(lane, i);
  }
}

}  // namespace upsweep::detail

namespace upsweep::apps {

/// Sections for a frequency in cycles per sample (Hz / sample rate), between 0 and 0.5. `low_pass`
/// and `high_pass` have gain q at that frequency (1/sqrt(2): no peak). `band_pass` has gain 1 there
/// and `notch` 0, each with a bandwidth of about frequency / q. Throws precondition_error for a
/// frequency outside that range and for a q that is not positive.
[[nodiscard]] inline biquad low_pass(double frequency, double q = std::numbers::sqrt2 / 2) {
  detail::cookbook const c(frequency, q);
  return c.section((1 - c.cosine) / 2, 1 - c.cosine, (1 - c.cosine) / 2);
}
[[nodiscard]] inline biquad high_pass(double frequency, double q = std::numbers::sqrt2 / 2) {
  detail::cookbook const c(frequency, q);
  return c.section((1 + c.cosine) / 2, -(1 + c.cosine), (1 + c.cosine) / 2);
}
[[nodiscard]] inline biquad band_pass(double frequency, double q) {
  detail::cookbook const c(frequency, q);
  return c.section(c.alpha, 0, -c.alpha);
}
[[nodiscard]] inline biquad notch(double frequency, double q) {
  detail::cookbook const c(frequency, q);
  return c.section(1, -2 * c.cosine, 1);
}

/// Filters the signal `x` by one section, in doubles: the difference equation in blocks of 480
/// samples, each after a state that a scan of the blocks gives. The bits are the same on every
/// executor. For up to 480 samples they are those of a loop, after that within rounding of it. `x`
/// and `y` have n elements each and must not overlap; y has floating-point numbers. Throws
/// precondition_error if they differ in size or overlap, and for more than 480 samples if the
/// results of the section exceed all numbers.
template <elements X, elements Y, executor E = cpu>
void filter(biquad const& section, X const& x, Y&& y, E const& on = {}) {
  using namespace detail;
  using R = std::ranges::range_value_t<Y>;
  static_assert(std::is_floating_point_v<R>,
                "upsweep: a filter needs an output of floating-point numbers");
  detail::expect_apart<false>("filter", x, y);
  std::size_t const n = std::ranges::size(x), blocks = (n + filter_block - 1) / filter_block;
  if (std::ranges::size(y) != n) detail::fail_sizes("filter", n, std::ranges::size(y));
  using state = recurrence_state<2, double>;
  std::vector<state> after(blocks);
  auto const input = detail::first_of(x);
  auto const to = std::ranges::begin(y);
  detail::float_environment const ieee;
  auto const for_blocks = [&](auto const& store, auto const& done) {
    std::size_t const jobs = (blocks + filter_lanes - 1) / filter_lanes;
    on.for_each_line(jobs, filter_block * filter_lanes, [&](std::size_t job, auto const&) {
      std::size_t const first = job * filter_lanes, count = std::min(filter_lanes, blocks - first);
      double y1[filter_lanes], y2[filter_lanes];
      for (std::size_t k = 0; k < count; ++k)
        y1[k] = after[first + k].y[0], y2[k] = after[first + k].y[1];
      run_filter(section, input, n, first, count, y1, y2, store);
      for (std::size_t k = 0; k < count; ++k) done(first + k, y1[k], y2[k]);
    });
  };
  if (blocks > 1) {
    for_blocks([](std::size_t, double) {},
               [&](std::size_t block, double y1, double y2) {
                 after[block] = {.y = {y1, y2}, .length = filter_block};
               });
    upsweep::exclusive_scan(on, after, after, filtered_blocks(section));
  }
  for_blocks([&](std::size_t i,
                 double result) { to[static_cast<std::ptrdiff_t>(i)] = static_cast<R>(result); },
             [](std::size_t, double, double) {});
}

/// Filters by sections in series, each applied to the output of the previous one; without a
/// section, y = x. Memory: up to two signals of doubles.
template <elements X, elements Y, executor E = cpu>
void filter(std::span<biquad const> sections, X const& x, Y&& y, E const& on = {}) {
  if (sections.size() <= 1)
    return apps::filter(sections.empty() ? biquad{} : sections[0], x, y, on);
  std::vector<double> signal(std::ranges::size(x)), next(sections.size() > 2 ? signal.size() : 0);
  apps::filter(sections.front(), x, signal, on);
  for (biquad const& section : sections.subspan(1, sections.size() - 2)) {
    apps::filter(section, signal, next, on);
    signal.swap(next);
  }
  apps::filter(sections.back(), signal, y, on);
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
