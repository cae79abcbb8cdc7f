/// Running states of an automaton, against a loop over the text.
#include <apps/support.hpp>

#include <upsweep/apps/automaton.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// An automaton with a random table; few of its maps lose states when `permutes`.
apps::automaton random_automaton(std::size_t states, bool permutes, std::uint64_t seed) {
  random_bits next(test_seed() + seed);
  std::vector<std::size_t> shift(256);
  for (auto& s : shift) s = next.below(states);
  return {states, [&, permutes](std::size_t state, unsigned char byte) {
            return permutes ? (state + shift[byte]) % states : next.below(states);
          }};
}

std::vector<std::uint8_t> serial_states(apps::automaton const& machine, std::string const& text,
                                        std::size_t start) {
  std::vector<std::uint8_t> states;
  for (char const c : text)
    states.push_back(static_cast<std::uint8_t>(start = machine.map_of(c).to[start]));
  return states;
}

void expect_states(apps::automaton const& machine, std::string const& text, std::size_t start) {
  auto const expected = serial_states(machine, text, start);
  on_each_executor([&](auto const& on) {
    std::vector<std::uint8_t> states(text.size());
    apps::running_states(machine, text, states, start, on);
    ASSERT_EQ(states, expected) << text.size() << " bytes, " << seed_note();
    ASSERT_EQ(apps::final_state(machine, text, start, on), text.empty() ? start : expected.back());
  });
}

TEST(automaton, runs_as_a_loop_does_whatever_states_meet) {
  for (std::size_t const states : {1u, 2u, 3u, 5u, 16u})
    for (bool const permutes : {false, true}) {
      auto const machine = random_automaton(states, permutes, states);
      for (std::size_t const n : some_lengths)
        expect_states(machine, random_text(n, "abcdefgh\xff\n", n), (n + 1) % states);
    }
}

TEST(automaton, is_the_scan_of_the_maps_of_bytes) {
  auto const machine = random_automaton(7, true, 3);
  std::string const text = random_text(20'000, "abcdefgh", 4);
  auto const expected = serial_states(machine, text, 2);
  on_each_executor([&](auto const& on) {
    std::vector<apps::state_map> maps(text.size());
    upsweep::transform_inclusive_scan(
        on, text, maps, [&](char c) { return machine.map_of(c); }, apps::compose_states{});
    for (std::size_t i = 0; i < text.size(); ++i) ASSERT_EQ(maps[i].to[2], expected[i]) << i;
  });
}

TEST(automaton, composes_maps_with_the_earlier_one_on_the_left) {
  auto const machine = random_automaton(16, false, 5);
  apps::compose_states const compose;
  for (char const a : {'a', 'b', 'c'})
    for (char const b : {'a', 'b', 'c'}) {
      auto const both = compose(machine.map_of(a), machine.map_of(b));
      EXPECT_EQ(both, machine.map_of(std::string{a, b}));
      EXPECT_EQ(compose(both, compose.identity()), both);
      EXPECT_EQ(compose(compose.identity(), both), both);
    }
}

TEST(automaton, refuses_states_that_it_does_not_have) {
  auto const to = [](std::size_t next) {
    return [next](std::size_t, unsigned char) { return next; };
  };
  EXPECT_NE(message_of([&] { apps::automaton(17, to(0)); }), "");
  EXPECT_NE(message_of([&] { apps::automaton(0, to(0)); }), "");
  EXPECT_EQ(message_of([&] { apps::automaton(3, to(3)); }),
            "automaton: next(0, byte) is not one of the 3 states");
  apps::automaton const machine(3, to(2));
  std::vector<int> states(4);
  EXPECT_NE(message_of([&] { apps::running_states(machine, "abcd", states, 3); }), "");
  EXPECT_EQ(message_of([&] { apps::running_states(machine, "abc", states); }),
            "running_states: the text has 3 bytes, but the output has 4 elements");
  apps::running_states(machine, "abcd", states);
  EXPECT_EQ(states, (std::vector<int>{2, 2, 2, 2}));
}

}  // namespace
}  // namespace upsweep::test
