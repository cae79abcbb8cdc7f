/// Sums of short segments with every SIMD target, against the definition.
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/segment_sums.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/reference.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::host::simd {
namespace {

/// Segments of up to `longest` elements; -0 and numbers of very different sizes.
template <class T>
void expect_sums(std::string const& target, std::uint64_t longest) {
  test::random_bits next(test::test_seed() + longest);
  std::vector<std::uint32_t> at{0};
  while (at.size() < 200)
    at.push_back(at.back() + static_cast<std::uint32_t>(next() % (longest + 1)));
  std::vector<T> x;
  while (x.size() < at.back() + 128) {
    std::uint64_t const bits = next();
    double const size = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
    x.push_back(static_cast<T>(bits % 7 == 0 ? -0.0 : bits % 3 == 0 ? -size : size));
  }
  std::size_t const count = at.size() - 1;
  std::vector<T> to(count, T(-77));
  std::size_t const done = sum_segments(x.data(), at.data(), count, x.size(), to.data());
  bool const has_kernel = target != "SSE4" && target != "SSE2" && target != "EMU128" &&
                          target != "SCALAR" && target != "NEON" && target != "SSSE3";
  EXPECT_EQ(done, has_kernel ? count / (32 / sizeof(T)) * (32 / sizeof(T)) : 0) << target;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<T> const alone(x.begin() + at[k], x.begin() + at[k + 1]);
    T const expected = k < done ? reference::reduce(alone, plus{}) : T(-77);
    ASSERT_TRUE(test::same_bits(to[k], expected))
        << target << ", segment " << k << " of " << alone.size();
  }
}

TEST(segment_sums, have_the_bits_of_each_segment_alone) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    for (std::uint64_t longest = 0; longest <= 128; longest += longest < 40 ? 1 : 11) {
      expect_sums<float>(target, longest);
      expect_sums<double>(target, longest);
    }
  }
}

TEST(segment_sums, stop_in_front_of_what_they_must_not_read) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    std::vector<float> const x(1000, 1.0f);
    std::vector<std::uint32_t> at;
    for (std::uint32_t i = 0; i <= 100; ++i) at.push_back(10 * i);
    std::vector<float> to(100, -77.0f);
    std::size_t const done = sum_segments(x.data(), at.data(), 100, x.size(), to.data());
    EXPECT_LE(done, 88u) << target << " reads whole items behind the last element";
    for (std::size_t k = 0; k < 100; ++k) ASSERT_EQ(to[k], k < done ? 10.0f : -77.0f) << k;
    at[9] = 300;  // a segment of more than 128 elements
    for (std::size_t k = 10; k <= 100; ++k) at[k] = 300;
    EXPECT_LE(sum_segments(x.data(), at.data(), 100, x.size(), to.data()), 8u) << target;
  }
}

}  // namespace
}  // namespace upsweep::host::simd
