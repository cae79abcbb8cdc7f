/// Contract 4: more than 2^33 elements, without the memory for them. Takes some ten seconds, so it
/// runs in `make test-full` only.
#include <conformance/checking_output.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
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

/// Three ranks, the cuts at odd positions and the last beyond 2^32.
TEST(beyond_32_bits, reductions_over_ranks_of_a_counting_range) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
  constexpr std::uint64_t cuts[] = {0, (std::uint64_t{1} << 31) + 7, n - 1001, n};
  auto const square = [](std::uint64_t i) { return static_cast<double>(i * i % 1001) - 0.1; };
  auto const all = std::views::iota(std::uint64_t{0}, n);
  double const want = transform_reduce(all, square);
  loopback::run(3, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    auto const piece = std::views::iota(cuts[r], cuts[r + 1]);
    EXPECT_EQ(want, transform_reduce(ranks(c, serial{}), piece, square));
    EXPECT_EQ(n - 1, reduce(ranks(c, serial{}), piece, argmax{}).index);
  });
}

}  // namespace
}  // namespace upsweep::test
