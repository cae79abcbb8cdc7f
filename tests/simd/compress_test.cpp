/// Compression by marks with every SIMD target, against a loop.
#include <support/random.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::host::simd {
namespace {

/// The elements with the mark 2, by the definition.
std::vector<std::byte> expected(std::vector<std::byte> const& x, std::size_t bytes,
                                std::vector<std::uint8_t> const& marks) {
  std::vector<std::byte> kept;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] == 2)
      for (std::size_t b = 0; b < bytes; ++b) kept.push_back(x[i * bytes + b]);
  return kept;
}

/// Marks 0 to 3, of which one in `among` is 2.
std::vector<std::uint8_t> random_marks(test::random_bits& next, std::size_t n,
                                       std::uint64_t among) {
  std::vector<std::uint8_t> marks(n);
  for (auto& m : marks) {
    std::uint64_t const bits = next();
    m = static_cast<std::uint8_t>(bits % among == 0       ? 2
                                  : (bits >> 32) % 4 == 2 ? 3
                                                          : (bits >> 32) % 4);
  }
  return marks;
}

TEST(compress, keeps_the_elements_with_the_mark) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    test::random_bits next(test::test_seed());
    for (std::size_t const bytes : {1u, 2u, 4u, 8u, 16u})
      for (std::uint64_t const among : {1u, 2u, 50u})
        for (std::size_t n = 0; n < 1100; n += n < 70 ? 1 : 103) {
          auto const marks = random_marks(next, n, among);
          std::vector<std::byte> x(n * bytes), to(n * bytes + compress_slack + 64, std::byte{0xa5});
          for (auto& b : x) b = static_cast<std::byte>(next());
          auto const kept = expected(x, bytes, marks);
          ASSERT_EQ(compress(x.data(), bytes, marks.data(), 2, n, to.data()), kept.size() / bytes)
              << target << ", " << n << " of " << bytes << " bytes";
          ASSERT_EQ(count_marks(marks.data(), 2, n), kept.size() / bytes) << target << ", " << n;
          ASSERT_TRUE(std::equal(kept.begin(), kept.end(), to.begin())) << target << ", " << n;
          for (std::size_t i = n * bytes + compress_slack; i < to.size(); ++i)
            ASSERT_EQ(to[i], std::byte{0xa5}) << target << " wrote beyond the slack";
        }
  }
}

}  // namespace
}  // namespace upsweep::host::simd
