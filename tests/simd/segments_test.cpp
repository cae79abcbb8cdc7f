/// Sums and scans of short segments with every SIMD target, against the definition.
#include <simd/segment_checks.hpp>
#include <support/bits.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace
}  // namespace upsweep::host::simd
