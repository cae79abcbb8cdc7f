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

}  // namespace
}  // namespace upsweep::host::simd
