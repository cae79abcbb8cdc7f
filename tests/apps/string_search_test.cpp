/// First mismatches, orders of sequences, and all positions of a pattern, against std::mismatch,
/// std::string's comparison and std::string::find.
#include <apps/support.hpp>

#include <upsweep/apps/string_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

void expect_comparison(std::string const& a, std::string const& b) {
  auto const expected = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  on_each_executor([&](auto const& on) {
    ASSERT_EQ(apps::first_mismatch(a, b, on), expected) << a.size() << ' ' << b.size();
    ASSERT_TRUE(apps::compare_three_way(a, b, on) == (a <=> b));
  });
}

TEST(string_search, finds_the_first_mismatch_wherever_it_is) {
  for (std::size_t const n : some_lengths) {
    std::string const a = random_text(n, "ab", n);
    expect_comparison(a, a);
    expect_comparison(a, a + "b");
    expect_comparison(a + "\xff", a);
    for (std::size_t const at : {std::size_t{0}, n / 3, n / 2, n > 0 ? n - 1 : 0})
      if (at < n) {
        std::string b = a;
        b[at] = '\x80';  // greater than a letter, though negative as a signed char
        expect_comparison(a, b);
        expect_comparison(b, a);
        b.back() = 'c';
        expect_comparison(a, b);
      }
  }
  std::string a(9'000'000, 'x'), b = a;  // more than is compared at a time
  b[8'999'990] = 'y';
  b[8'999'999] = 'w';
  expect_comparison(a, b);
}

TEST(string_search, compares_numbers) {
  std::vector<std::int32_t> a(70'000, 3), b = a;
  b[65'536] = -1;
  on_each_executor([&](auto const& on) {
    EXPECT_EQ(apps::first_mismatch(a, b, on), 65'536u);
    EXPECT_TRUE(apps::compare_three_way(a, b, on) > 0);
    EXPECT_TRUE(apps::compare_three_way(a, a, on) == 0);
  });
}

void expect_places(std::string const& text, std::string const& pattern) {
  std::vector<std::size_t> expected;
  for (auto at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
    expected.push_back(at);
  on_each_executor([&](auto const& on) {
    ASSERT_EQ(apps::find_all(text, pattern, on), expected)
        << text.size() << " bytes, '" << pattern.substr(0, 50) << "' " << seed_note();
  });
}

TEST(string_search, finds_every_place_of_patterns_of_all_lengths) {
  for (std::size_t const n : some_lengths)
    for (char const* const alphabet : {"ab", "abcdefghijklmnop", "a"}) {
      std::string const text = random_text(n, alphabet, n);
      for (std::size_t const m : {1u, 2u, 3u, 5u, 63u, 64u, 65u, 200u})
        if (std::string(alphabet) != "a" || n < 5'000) {
          expect_places(text, random_text(m, alphabet, m));
          if (m <= n) expect_places(text, text.substr((n - m) / 2, m));  // one that is there
          if (m <= n) expect_places(text, text.substr(n - m, m));        // at the end
        }
    }
}

TEST(string_search, finds_patterns_across_the_borders_of_words_and_blocks) {
  for (std::size_t const border : {64u, 16'384u, 32'768u})
    for (std::size_t before = 0; before < 8; ++before) {
      std::string text(border + 100, 'x');
      text.replace(border - before, 7, "pattern");
      expect_places(text, "pattern");
      expect_places(text, "patterx");
    }
}

TEST(string_search, refuses_an_empty_pattern) {
  EXPECT_EQ(
      message_of([] { (void)apps::find_all("abc", ""); }),
      "find_all: the pattern is empty and would match everywhere; give at least one character");
  EXPECT_TRUE(apps::find_all("", "a").empty());
}

}  // namespace
}  // namespace upsweep::test
