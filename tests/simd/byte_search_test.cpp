/// The search for three bytes with every SIMD target, against a loop.
#include <support/random.hpp>
#include <upsweep/host/simd/byte_search.hpp>
#include <upsweep/host/simd/dispatch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::host::simd {
namespace {

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

}  // namespace
}  // namespace upsweep::host::simd
