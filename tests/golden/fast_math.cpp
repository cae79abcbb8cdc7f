/// A user's translation unit that is built and linked with -ffast-math: sums of vectors of float
/// and double keep the golden bits, because the precompiled library computes them.
#include "set_whole.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#ifndef __FAST_MATH__
#error "this file must be compiled with -ffast-math"
#endif

namespace upsweep::golden_set {
namespace {

/// Instantiates here, under -ffast-math, header templates that the library may use too. If the
/// linker used these copies in the library, its bits would change.
template <class T>
T instantiates_the_headers() {
  std::deque<T> const x(100, T(1));
  std::deque<T> out(100);
  inclusive_scan(x, out);
  exclusive_scan(cpu{.threads = 2}, x, out, plus{}, {.initial = T(1), .reverse = true});
  scan_stream<T> stream;
  std::vector<T> const chunk(10, T(1));
  std::vector<T> through(10);
  stream.inclusive(std::span(chunk), std::span(through));
  return reduce(x) + reduce(cpu{.threads = 2}, x) + out.front() + stream.result();
}

/// The sums of large.txt. They contain no subnormal number, and no NaN, which this file cannot see.
template <class E>
void expect_golden_sums(E const& on) {
  using sums = table<over<types<plus>, types<float, double>>>;
  std::ifstream recipe(UPSWEEP_LARGE_RECIPE), set(UPSWEEP_LARGE_SET);
  std::string line;
  std::size_t compared = 0;
  for (call_case const& c : expand(recipe)) {
    ASSERT_TRUE(std::getline(set, line));
    auto const text = run_whole<sums>(on, c);
    if (!text) continue;
    EXPECT_EQ(c.text() + " => " + *text, line);
    ++compared;
  }
  EXPECT_GE(compared, 90u);
}

TEST(fast_math, sums_keep_the_golden_bits) {
  EXPECT_GT(instantiates_the_headers<float>(), 0.0f);
  EXPECT_GT(instantiates_the_headers<double>(), 0.0);
  expect_golden_sums(serial{});
  expect_golden_sums(cpu{});
  expect_golden_sums(cpu{.threads = 3});
}

TEST(fast_math, subnormal_sums_are_not_flushed_to_zero) {
  for (std::size_t const n : {std::size_t{2}, std::size_t{1000}, std::size_t{200000}}) {
    std::vector<float> const x(n, std::bit_cast<float>(1u));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(reduce(x)), n) << "n = " << n;
    std::vector<float> out(n);
    inclusive_scan(x, out);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out.back()), n) << "n = " << n;
    reduce_stream<float> totals;
    totals.push(x);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(totals.result()), n) << "n = " << n;
    scan_stream<float> running;
    running.inclusive(std::span(x), std::span(out));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out.back()), n) << "n = " << n;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(reduce(x, plus{}, {.initial = x[0]})), n + 1)
        << "n = " << n;
  }
}

}  // namespace
}  // namespace upsweep::golden_set
