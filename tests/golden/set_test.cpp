/// The parts of the golden set's runner: its hash, and how it reads the recipe.
#include "other_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace upsweep::golden_set {
namespace {

std::string hash_of(std::string_view text) {
  sha256 hash;
  hash.add(text);
  return hash.hex();
}

// The examples of FIPS 180-4 that NIST publishes.
TEST(golden_set_parts, hash_texts_as_nist_does) {
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(golden_set_parts, expand_lists_with_the_rightmost_fastest) {
  std::istringstream recipe("list n 1,2  # sizes\n\nreduce,sort op=sum,max n=@n,7\n");
  std::string all;
  for (call_case const& c : expand(recipe)) all += c.text() + "\n";
  EXPECT_EQ(all.substr(0, 66),
            "reduce op=sum n=1\nreduce op=sum n=2\nreduce op=sum n=7\nreduce op=ma");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 12);
}

// The first outputs of splitmix64 for the seed 1234567, which Rosetta Code and others give.
TEST(golden_set_parts, make_the_words_of_splitmix64) {
  EXPECT_EQ(word(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(word(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(word(1234567, 2), 9817491932198370423u);
}

TEST(golden_set_parts, the_page_has_the_hash_of_the_set) {
  EXPECT_NE(content(UPSWEEP_GOLDEN_PAGE).find(hash_of(content(UPSWEEP_GOLDEN_SET))),
            std::string::npos);
}

TEST(golden_set_parts, the_set_has_the_cases_of_the_recipe) {
  std::ifstream recipe(UPSWEEP_GOLDEN_RECIPE), set(UPSWEEP_GOLDEN_SET);
  std::size_t cases = 0;
  for (call_case const& c : expand(recipe)) {
    std::string line;
    ASSERT_TRUE(std::getline(set, line)) << "line " << cases + 1;
    ASSERT_EQ(line.substr(0, line.find(" => ")), c.text());
    ++cases;
  }
  EXPECT_GE(cases, 10'000u);
}

}  // namespace
}  // namespace upsweep::golden_set
