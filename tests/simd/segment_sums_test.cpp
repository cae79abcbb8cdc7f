/// Sums of short segments with every SIMD target, against the definition.
#include <simd/segment_checks.hpp>
#include <support/bits.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::host::simd {
namespace {

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

TEST(segment_sums, stop_in_front_of_a_long_segment) {
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

}  // namespace
}  // namespace upsweep::host::simd
