/// Finite automata: the state after each byte of a text, on all threads.
///
/// A block of text is a map from the state before it to the state after it. Maps compose
/// associatively, so their scan gives every state. The map of a block is found by running the
/// automaton from all states at once; these soon meet. The exclusive scan of the maps gives each
/// block its first state, and a second run stores the states.
/// Cost: one table lookup per byte for each state that is still distinct, and one to store it.
/// Source: Hillis & Steele 1986 for maps of states; Mytkowicz et al. 2014 for states that meet.
#pragma once

#include <upsweep/upsweep.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <vector>

namespace upsweep {

namespace apps {

/// The effect of a block of text on an automaton of at most 16 states: to[s] follows state s.
struct state_map {
  std::uint8_t to[16];
  friend bool operator==(state_map const&, state_map const&) = default;
};

/// Composition of maps, the left operand earlier: a monoid, exact, not commutative.
struct compose_states {
  static constexpr bool exact = true;
  [[nodiscard]] static UPSWEEP_BOTH constexpr state_map identity() {
    return {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr state_map operator()(state_map const& earlier,
                                                            state_map const& later) const {
    state_map both{};
    for (std::size_t s = 0; s < 16; ++s) both.to[s] = later.to[earlier.to[s] & 15u];
    return both;
  }
};

/// A deterministic finite automaton over bytes.
class automaton {
 public:
  /// `next(state, byte)` is the next state, for states 0 to `states` - 1 and any unsigned char; it
  /// is called once for each pair. Throws precondition_error unless `states` is 1 to 16 and every
  /// next state is one of them.
  template <class Next>
  automaton(std::size_t states, Next const& next) : states_(states) {
    detail::expects(states >= 1 && states <= 16,
                    "automaton: the number of states must be from 1 to 16");
    for (std::size_t byte = 0; byte < 256; ++byte) {
      maps_[byte] = compose_states::identity();
      for (std::size_t s = 0; s < states; ++s) {
        auto const to = static_cast<std::size_t>(next(s, static_cast<unsigned char>(byte)));
        if (to >= states)
          detail::fail("automaton: next(%zu, byte) is not one of the %zu states", s, states);
        maps_[byte].to[s] = static_cast<std::uint8_t>(to);
      }
    }
  }
  [[nodiscard]] std::size_t states() const { return states_; }
  /// The effect of one byte.
  [[nodiscard]] state_map const& map_of(char byte) const {
    return maps_[static_cast<unsigned char>(byte)];
  }
  /// The effect of a text: all states run side by side, and those that have met run as one.
  [[nodiscard]] state_map map_of(std::string_view text) const {
    std::uint8_t now[16] = {}, lane[16] = {};  // state s is now in now[lane[s]]
    std::size_t lanes = states_;
    for (std::size_t s = 0; s < 16; ++s) now[s] = lane[s] = static_cast<std::uint8_t>(s);
    for (std::size_t i = 0; i < text.size();) {
      std::size_t const end = detail::at_most(i + (lanes > 4 ? 16 : 256), text.size());
      run(text, i, end, now, lanes);
      i = end;
      lanes = merge(now, lane, lanes);
    }
    state_map map = compose_states::identity();
    for (std::size_t s = 0; s < states_; ++s) map.to[s] = now[lane[s]];
    return map;
  }

 private:
  /// Moves each of the lanes on.
  void run(std::string_view text, std::size_t begin, std::size_t end, std::uint8_t* now,
           std::size_t lanes) const {
    if (lanes <= 2) {  // two chains of look-ups that do not wait for each other
      std::uint8_t a = now[0], b = now[lanes - 1];
      for (std::size_t i = begin; i < end; ++i) {
        auto const& to = map_of(text[i]).to;
        a = to[a];
        b = to[b];
      }
      now[0] = a;
      now[lanes - 1] = b;
      return;
    }
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < lanes; ++k) now[k] = map_of(text[i]).to[now[k]];
  }
  /// Merges lanes in the same state; returns how many are left.
  static std::size_t merge(std::uint8_t* now, std::uint8_t* lane, std::size_t lanes) {
    std::uint8_t to[16] = {};
    std::size_t left = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      std::size_t j = 0;
      while (j < left && now[j] != now[k]) ++j;
      if (j == left) now[left++] = now[k];
      to[k] = static_cast<std::uint8_t>(j);
    }
    for (std::size_t s = 0; s < 16; ++s) lane[s] = to[lane[s]];
    return left;
  }

  std::size_t states_;
  std::array<state_map, 256> maps_{};
};

}  // namespace apps

namespace detail {

inline constexpr std::size_t automaton_block = std::size_t{1} << 10;

/// The state before each block of `text`, beginning in `start`.
template <executor E>
std::vector<std::uint8_t> states_of_blocks(apps::automaton const& machine, std::string_view text,
                                           std::size_t start, E const& on) {
  constexpr std::size_t size = automaton_block;
  std::size_t const blocks = (text.size() + size - 1) / size;
  std::vector<apps::state_map> maps(blocks);
  on.for_each_line(blocks, size, [&](std::size_t b, auto const&) {
    maps[b] = machine.map_of(text.substr(b * size, size));
  });
  upsweep::exclusive_scan(on, maps, maps, apps::compose_states{});
  std::vector<std::uint8_t> states(blocks);
  for (std::size_t b = 0; b < blocks; ++b) states[b] = maps[b].to[start];
  return states;
}

}  // namespace detail

namespace apps {

/// The state after the whole `text`, beginning in state `start`; `start` for an empty text.
template <executor E = cpu>
[[nodiscard]] std::size_t final_state(automaton const& machine, std::string_view text,
                                      std::size_t start = 0, E const& on = {}) {
  detail::expects(start < machine.states(),
                  "final_state: the start state is not one of the automaton's states");
  if (text.empty()) return start;
  auto const fronts = detail::states_of_blocks(machine, text, start, on);
  auto const last = text.substr((fronts.size() - 1) * detail::automaton_block);
  return machine.map_of(last).to[fronts.back()];
}

/// states[i] = the state after text[i], beginning in state `start`. `states` is a range of as many
/// integers as the text has bytes. The result is the inclusive scan of the maps of the bytes by
/// compose_states, on any executor. Throws precondition_error if the sizes differ, and for a start
/// state that the automaton does not have.
template <elements States, executor E = cpu>
void running_states(automaton const& machine, std::string_view text, States&& states,
                    std::size_t start = 0, E const& on = {}) {
  detail::expects(start < machine.states(),
                  "running_states: the start state is not one of the automaton's states");
  std::size_t const room = std::ranges::size(states);
  if (room != text.size())
    detail::fail("running_states: the text has %zu bytes, but the output has %zu elements",
                 text.size(), room);
  constexpr std::size_t size = detail::automaton_block;
  auto const fronts = detail::states_of_blocks(machine, text, start, on);
  auto const out = std::ranges::begin(states);
  using place = std::ranges::range_difference_t<States>;
  using integer = std::ranges::range_value_t<States>;
  // Four blocks at a time: their chains of look-ups do not wait for each other.
  std::size_t const fours = fronts.size() / 4;
  auto const store = [&](auto& now, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      for (std::size_t k = 0; k < std::size(now); ++k) {
        now[k] = machine.map_of(text[i + k * size]).to[now[k]];
        out[static_cast<place>(i + k * size)] = static_cast<integer>(now[k]);
      }
  };
  on.for_each_line(fours + 1, 4 * size, [&](std::size_t line, auto const&) {
    std::uint8_t const* const front = fronts.data() + 4 * line;
    if (line < fours && 4 * (line + 1) * size <= text.size()) {
      std::uint8_t now[] = {front[0], front[1], front[2], front[3]};
      store(now, 4 * line * size, size);
    } else if (4 * line < fronts.size()) {
      std::uint8_t now[] = {front[0]};
      store(now, 4 * line * size, detail::at_most(4 * size, text.size() - 4 * line * size));
    }
  });
}

}  // namespace apps

}  // namespace upsweep
