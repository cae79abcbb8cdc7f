/// Pairs, depths, parents and subtree sums of brackets, against a stack.
#include <apps/support.hpp>

#include <upsweep/apps/brackets.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

int kind_of(char c) {
  return c == '(' ? 1 : c == ')' ? -1 : c == '[' ? 2 : c == ']' ? -2 : 0;
}

struct expected_brackets {
  apps::bracket_tree tree;
  apps::bracket_fault fault;
};

/// By a stack. Brackets after a fault are not in the tree.
expected_brackets by_stack(std::string const& text) {
  expected_brackets found;
  auto& [positions, partners, parents, depths] = found.tree;
  std::vector<std::size_t> open;  // numbers of brackets
  for (std::size_t i = 0; i < text.size(); ++i) {
    int const kind = kind_of(text[i]);
    if (kind == 0) continue;
    std::size_t const k = positions.size();
    if (kind < 0) {
      if (open.empty()) return found.fault = {apps::bracket_fault::never_opened, i}, found;
      std::size_t const other = open.back();
      if (kind_of(text[positions[other]]) != -kind)
        return found.fault = {apps::bracket_fault::other_kind, i}, found;
      depths.push_back(static_cast<std::uint32_t>(open.size()));
      open.pop_back();
      partners.push_back(other);
      partners[other] = k;
      parents.push_back(parents[other]);
    } else {
      parents.push_back(open.empty() ? apps::nowhere : open.back());
      partners.push_back(apps::nowhere);
      open.push_back(k);
      depths.push_back(static_cast<std::uint32_t>(open.size()));
    }
    positions.push_back(i);
  }
  if (!open.empty()) found.fault = {apps::bracket_fault::never_closed, positions[open.front()]};
  return found;
}

void expect_brackets(std::string const& text) {
  auto const [expected, fault] = by_stack(text);
  on_each_executor([&](auto const& on) {
    apps::bracket_tree tree;
    auto const found = apps::match_brackets(text, kind_of, tree, on);
    ASSERT_EQ(found.what, fault.what) << text.substr(0, 200) << seed_note();
    ASSERT_EQ(found.position, fault.position) << text.substr(0, 200) << seed_note();
    if (fault.what == apps::bracket_fault::other_kind) return;
    ASSERT_EQ(tree.positions, expected.positions);
    ASSERT_EQ(tree.depths, expected.depths);
    ASSERT_EQ(tree.partners, expected.partners) << text.substr(0, 200);
    ASSERT_EQ(tree.parents, expected.parents) << text.substr(0, 200);
  });
}

/// Brackets that match, with other characters between, `deep` of ten of them opening.
std::string balanced(std::size_t size, std::uint64_t deep, std::uint64_t seed) {
  random_bits next(test_seed() + seed);
  std::string text, open;
  while (text.size() + open.size() < size) {
    if (next.below(5) == 0) {
      text += 'x';
    } else if (open.empty() || next.below(10) < deep) {
      bool const round = next.below(2) == 0;
      text += round ? '(' : '[';
      open += round ? ')' : ']';
    } else {
      text += open.back();
      open.pop_back();
    }
  }
  return text + std::string(open.rbegin(), open.rend());
}

TEST(brackets, match_small_cases) {
  for (char const* const text :
       {"", "x", "()", "()()", "(())", "([]())x[()]", "(", ")", "(]", "([)]", "())", "(()", "[(])",
        "((x)(y)", "()]", ")(", "(()()(()()))"})
    expect_brackets(text);
}

TEST(brackets, match_as_a_stack_does_for_all_lengths_and_depths) {
  for (std::size_t const n : some_lengths)
    for (std::uint64_t const deep : {2u, 5u, 9u}) expect_brackets(balanced(n, deep, n + deep));
  expect_brackets(std::string(50'000, '(') + std::string(50'000, ')'));
  std::string pairs;
  for (int i = 0; i < 50'000; ++i) pairs += "()";
  expect_brackets(pairs);
}

TEST(brackets, find_the_first_fault) {
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    expect_brackets(random_text(seed % 12, "()[]x", seed));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::string text = balanced(30'000, 5, seed);
    text[random_bits(seed).below(text.size())] = "()[]"[seed % 4];
    expect_brackets(text);
  }
}

TEST(brackets, sum_subtrees_as_a_walk_does) {
  for (std::size_t const n : {0u, 2u, 100u, 5'000u, 60'000u}) {
    std::string const text = balanced(n, 6, n);
    apps::bracket_tree tree;
    (void)apps::match_brackets(text, kind_of, tree);
    std::vector<std::int32_t> const values = random_elements<std::int32_t>(tree.size());
    std::vector<std::int64_t> expected(tree.size());
    for (std::size_t k = tree.size(); k-- > 0;)  // children before their parents
      if (tree.opens(k)) {
        expected[k] += values[k];
        if (tree.parents[k] != apps::nowhere) expected[tree.parents[k]] += expected[k];
      }
    on_each_executor(
        [&](auto const& on) { ASSERT_EQ(apps::subtree_sums(tree, values, on), expected); });
  }
  EXPECT_EQ(message_of([] { (void)apps::subtree_sums({}, std::vector<int>(3)); }),
            "subtree_sums: there are 0 brackets, but 3 values; give one value for each bracket");
}

}  // namespace
}  // namespace upsweep::test
