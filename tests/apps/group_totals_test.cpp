/// Totals of groups, against a map of vectors; each total with the bits of its own reduction.
#include <apps/support.hpp>

#include <support/bits.hpp>

#include <upsweep/apps/group_totals.hpp>
#include <upsweep/generic/reference.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::test {
namespace {

/// The groups of a loop, in the order in which they appear.
template <class Key, class T>
struct serial_groups {
  std::vector<std::size_t> first;
  std::vector<std::vector<T>> values;
};
template <class Key, class T>
serial_groups<Key, T> grouped_serially(std::vector<Key> const& keys, std::vector<T> const& x) {
  serial_groups<Key, T> groups;
  std::map<Key, std::size_t> number;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto const [at, is_new] = number.try_emplace(keys[i], groups.first.size());
    if (is_new) {
      groups.first.push_back(i);
      groups.values.emplace_back();
    }
    groups.values[at->second].push_back(x[i]);
  }
  return groups;
}

template <class Key, class T, class Op, class Hash = std::hash<Key>>
void expect_groups(std::vector<Key> const& keys, std::vector<T> const& x, Op const& op,
                   Hash const& hash = {}) {
  auto const expected = grouped_serially(keys, x);
  on_each_executor([&](auto const& on) {
    auto const found = apps::group_totals(keys, x, op, on, hash);
    ASSERT_EQ(found.first, expected.first) << keys.size() << ' ' << seed_note();
    for (std::size_t g = 0; g < found.size(); ++g) {
      ASSERT_EQ(found.counts[g], expected.values[g].size());
      auto const total = expected.values[g].size() < 300
                             ? reference::reduce(expected.values[g], op, {})
                             : upsweep::reduce(serial{}, expected.values[g], op);
      ASSERT_TRUE(same_bits(found.totals[g], total)) << g << ' ' << seed_note();
    }
  });
}

std::vector<std::string> random_keys(std::size_t n, std::size_t different) {
  random_bits next(test_seed() + n + different);
  std::vector<std::string> keys;
  while (keys.size() < n) keys.push_back("key " + std::to_string(next.below(different)));
  return keys;
}

TEST(group_totals, have_the_bits_of_each_groups_own_reduction) {
  for (std::size_t const n : some_lengths) {
    if (n > 20'000) continue;
    for (std::size_t const different : {1u, 12u, 5'000u}) {
      auto const keys = random_keys(n, different);
      expect_groups(keys, random_elements<float>(n), plus{});
    }
  }
}

TEST(group_totals, combine_values_in_the_order_of_the_rows) {
  auto const keys = random_keys(3'000, 40);
  expect_groups(keys, random_elements<std::string>(3'000), concat{});
}

TEST(group_totals, of_integer_keys) {
  std::vector<int> keys;
  for (int i = 0; i < 20'000; ++i) keys.push_back((i * 7919) % 61 - 30);
  expect_groups(keys, random_elements<float>(20'000), plus{});
}

TEST(group_totals, do_not_mix_keys_with_the_same_hash) {
  auto const bad = [](std::string const& key) { return key.size() % 3; };
  expect_groups(random_keys(5'000, 1'000), random_elements<float>(5'000), plus{}, bad);
}

TEST(group_totals, refuse_sizes_that_differ) {
  EXPECT_NE(
      message_of([] { (void)apps::group_totals(std::vector<int>(3), std::vector<float>(4)); }), "");
}

}  // namespace
}  // namespace upsweep::test
