/// Contract 4: more than 2^33 elements, without the memory for them. Takes some ten seconds, so it
/// runs in `make test-full` only.
#include <conformance/checking_output.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <ranges>

namespace upsweep::test {
namespace {

constexpr std::uint64_t count = (std::uint64_t{1} << 33) + 12345;

TEST(beyond_32_bits, reduction_of_a_counting_range) {
  EXPECT_EQ(reduce(std::views::iota(std::uint64_t{0}, count)), triangle(count));
}

TEST(beyond_32_bits, reduction_of_a_counting_range_in_the_trees_order) {
  // Every partial sum is a whole number below 2^53, so it is exact unless an element is lost.
  auto const ones = std::views::iota(std::uint64_t{0}, count) |
                    std::views::transform([](std::uint64_t) { return 1.0; });
  EXPECT_EQ(reduce(ones), static_cast<double>(count));
}

TEST(beyond_32_bits, scan_of_a_counting_range) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
  checking_output out(n, [](std::uint64_t i) { return triangle(i + 1); });
  inclusive_scan(std::views::iota(std::uint64_t{0}, n), out);
  EXPECT_EQ(out.wrong(), 0u);
}

}  // namespace
}  // namespace upsweep::test
