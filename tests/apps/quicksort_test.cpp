/// Quicksort by segmented scans, against std::sort.
#include <apps/support.hpp>

#include <upsweep/apps/quicksort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
void expect_sorted(std::vector<T> const& x) {
  std::vector<T> expected = x;
  std::sort(expected.begin(), expected.end());
  on_each_executor([&](auto const& on) {
    std::vector<T> y = x;
    std::size_t const rounds = apps::quicksort(y, on);
    ASSERT_EQ(y, expected) << x.size() << " elements, " << seed_note();
    EXPECT_LT(rounds, 80u) << x.size();
  });
}

TEST(quicksort, sorts_numbers_of_all_lengths) {
  for (std::size_t const n : some_lengths) {
    if (n > 20'000) continue;
    expect_sorted(random_elements<std::int32_t>(n));
    auto few = random_elements<std::int32_t>(n);
    for (auto& v : few) v &= 7;
    expect_sorted(few);
  }
}

TEST(quicksort, sorts_what_is_sorted_already_and_what_is_equal) {
  std::vector<double> x(10'000, 1.5);
  expect_sorted(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  expect_sorted(x);
  std::reverse(x.begin(), x.end());
  expect_sorted(x);
}

TEST(quicksort, sorts_strings) {
  expect_sorted(random_elements<std::string>(3'000));
}

TEST(quicksort, shows_its_rounds) {
  std::vector<int> x{5, 1, 4, 1, 3};
  std::vector<std::vector<int>> rounds;
  std::size_t const count = apps::quicksort(x, serial{}, [&](auto const& now, auto const& borders) {
    rounds.push_back(now);
    EXPECT_EQ(borders.front(), 0u);
    EXPECT_EQ(borders.back(), 5u);
    EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end()));
  });
  EXPECT_EQ(count, rounds.size());
  EXPECT_EQ(rounds.back(), (std::vector<int>{1, 1, 3, 4, 5}));
}

}  // namespace
}  // namespace upsweep::test
