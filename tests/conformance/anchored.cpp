/// anchored_scan: which expression its results are, what a copy keeps, and what it refuses. The
/// bits of many operators are in tests/golden/blocks.cpp.
#include <conformance/refusals.hpp>
#include <support/bracketed.hpp>
#include <upsweep/anchored_scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// block(k, j) of the combine tree.
std::string block(std::vector<char> const& x, std::size_t begin, std::size_t size) {
  if (size == 1) return std::string(1, x[begin]);
  return "(" + block(x, begin, size / 2) + block(x, begin + size / 2, size / 2) + ")";
}

/// The definition: a loop over blocks of 256, the fold of each begins with the state before it.
std::string by_definition(std::vector<char> const& x, std::size_t m, std::string fold = "") {
  for (std::size_t at = 0; at < m;) {
    std::size_t const rest = m - at < 256 ? m - at : 256;
    std::size_t size = 256;
    while (size > rest) size /= 2;
    fold = fold.empty() ? block(x, at, size) : "(" + fold + block(x, at, size) + ")";
    at += size;
  }
  return fold;
}

TEST(anchored_scan, has_the_expression_of_its_definition_at_every_size) {
  auto const x = letters(600);
  std::vector<std::string> y(x.size()), after(x.size());
  anchored_scan<char, bracketed> plain, continued(bracketed{}, "i");
  plain.inclusive(std::span(x), std::span(y));
  continued.inclusive(std::span(x), std::span(after));
  EXPECT_EQ(y[6], "((((01)(23))(45))6)");
  EXPECT_EQ(after[6], "(((i((01)(23)))(45))6)");
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(y[i], by_definition(x, i + 1)) << i;
    ASSERT_EQ(after[i], by_definition(x, i + 1, "i")) << i;
  }
  EXPECT_EQ(plain.result(), y.back());
  EXPECT_EQ(plain.size(), x.size());
}

TEST(anchored_scan, continues_from_a_copy) {
  std::vector<int> const x(300, 1);
  std::vector<int> y(300);
  anchored_scan<int> sums;
  sums.inclusive(std::span(x).first(255), std::span(y).first(255));
  anchored_scan<int> const saved = sums;
  sums.inclusive(std::span(x).subspan(255), std::span(y).subspan(255));
  EXPECT_EQ(sums.result(), 300);
  EXPECT_EQ(saved.result(), 255);
}

TEST(anchored_scan, may_be_in_place) {
  std::vector<int> x(300, 1);
  anchored_scan<int> sums;
  sums.inclusive(std::span(x), std::span(x));
  for (int i = 0; i < 300; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], i + 1);
}

struct throws_at_9 {
  int operator()(int a, int b) const {
    if (a == 9 || b == 9) throw std::runtime_error("9");
    return a + b;
  }
};

TEST(anchored_scan, continues_after_the_last_element_that_an_operator_took) {
  std::vector<int> const x{1, 2, 3, 9, 4}, rest{4, 5};
  std::vector<int> y(5), z(2);
  anchored_scan<int, throws_at_9> sums;
  EXPECT_THROW(sums.inclusive(std::span(x), std::span(y)), std::runtime_error);
  EXPECT_EQ(sums.size(), 3u);
  sums.inclusive(std::span(rest), std::span(z));
  EXPECT_EQ(z, (std::vector<int>{10, 15}));
}

TEST(anchored_scan, refuses_results_of_nothing_and_overlaps) {
  EXPECT_TRUE(refuses({"anchored_scan", "initial"}, [] { (void)anchored_scan<int>().result(); }));
  EXPECT_EQ(anchored_scan<int>(plus{}, 3).result(), 3);
  std::vector<int> x(10, 1);
  EXPECT_TRUE(refuses({"anchored_scan", "overlap"}, [&] {
    anchored_scan<int>().inclusive(std::span(x).first(9), std::span(x).last(9));
  }));
}

}  // namespace
}  // namespace upsweep::test
