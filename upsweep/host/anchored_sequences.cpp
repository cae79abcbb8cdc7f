/// Distributes sequences, their lanes and their blocks of tokens over registers and threads.
#include <upsweep/host/anchored_sequences.hpp>

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/host/registers.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep::host {
namespace {

using simd::lane_gradients, simd::lane_matrix, simd::lane_state, simd::most_lanes;

constexpr std::size_t rows = 2 * detail::anchored_digits;  ///< of totals
constexpr std::size_t block = detail::anchored_size;
/// So many blocks at least are worth a pass for their maps.
constexpr std::size_t enough_blocks = 8;
/// That fill registers.
constexpr std::size_t fewest_lanes = 16;

/// The tokens of some lanes of a sequence.
struct lanes_call {
  simd::lane_type type;
  std::size_t tokens, lanes;
  lane_matrix a, b, h;
  lane_state state;
  std::optional<lane_gradients> gradients;

  void run() {
    if (gradients)
      simd::anchored_gradients(type, tokens, lanes, a, b, h, *gradients, state);
    else
      simd::anchored_recurrence(type, tokens, lanes, a, b, h, state);
  }
  /// The tokens [begin, begin + count). Gradients between the first and the last token find what is
  /// before and after them in memory.
  [[nodiscard]] lanes_call part(std::size_t begin, std::size_t count) const {
    auto const from = [&](lane_matrix const& x) {
      return lane_matrix{x.at(begin, 0), x.token, x.lane};
    };
    lanes_call x{type, count, lanes, from(a), from(b), from(h), state, {}};
    if (!gradients) return x;
    x.gradients = lane_gradients{begin == 0 ? gradients->factor : nullptr, from(gradients->of),
                                 from(gradients->of_a), gradients->start};
    if (begin + count < tokens) x.gradients->start.value = nullptr;
    return x;
  }
  /// Of one lane: `count` blocks of tokens as lanes.
  void make_lanes_of_blocks(std::size_t count) {
    tokens = block;
    lanes = count;
    auto const step = [](lane_matrix& x) { x.lane = x.token * static_cast<std::ptrdiff_t>(block); };
    for (lane_matrix* x : {&a, &b, &h}) step(*x);
    if (!gradients) return;
    step(gradients->of);
    step(gradients->of_a);
  }
};

/// A call whose blocks of tokens are computed at the same time: first the maps of all blocks, from
/// them the values before each, and then the results. The first and the last tokens are computed
/// apart, at most a block of each.
class blocks_at_once {
 public:
  explicit blocks_at_once(lanes_call& call)
      : call_(call),
        head_(block - call.state.position),
        count_(blocks_of(call)),
        row_(call.lanes * simd::number_bytes_of(call.type)),
        maps_(2 * count_ * row_) {}

  /// The blocks between the first tokens and the last.
  [[nodiscard]] static std::size_t blocks_of(lanes_call const& call) {
    std::size_t const head = block - call.state.position;
    return call.tokens > head ? (call.tokens - head - 1) / block : 0;
  }

  void run(cpu const& on) {
    run_apart(0, head_);
    auto const most = static_cast<std::size_t>(on.width(count_ * block * call_.lanes));
    std::size_t some = divided(count_, most);
    if (call_.lanes == 1) some = std::clamp(some, fewest_lanes, most_lanes);
    auto const each = [&](auto const& run_some) {
      on.for_each_part(divided(count_, some), some * block * call_.lanes, [&](std::size_t k) {
        run_some(k * some, std::min(some, count_ - k * some));
      });
    };
    each([&](std::size_t first, std::size_t count) { make_maps(first, count); });
    simd::anchored_values(call_.type, count_, call_.lanes, map(0), of_b(0), call_.state.value);
    each([&](std::size_t first, std::size_t count) { run_blocks(first, count); });
    std::size_t const done = head_ + count_ * block;
    run_apart(done, call_.tokens - done);
  }

 private:
  static std::size_t divided(std::size_t n, std::size_t by) { return (n + by - 1) / by; }
  std::byte* map(std::size_t k) { return maps_.data() + k * row_; }
  std::byte* of_b(std::size_t k) { return map(count_ + k); }

  void run_apart(std::size_t begin, std::size_t count) {
    lanes_call part = call_.part(begin, count);
    part.run();
    call_.state = part.state;
  }
  void make_maps(std::size_t first, std::size_t count) {
    lanes_call part = call_.part(head_ + first * block, count * block);
    if (part.lanes == 1) {
      part.make_lanes_of_blocks(count);
      return make_maps_of(part, first);
    }
    for (std::size_t k = 0; k < count; ++k)
      make_maps_of(call_.part(head_ + (first + k) * block, block), first + k);
  }
  void make_maps_of(lanes_call const& part, std::size_t k) {
    simd::anchored_totals(part.type, part.lanes, part.a, part.b, part.gradients.has_value(), map(k),
                          of_b(k));
  }
  void run_blocks(std::size_t first, std::size_t count) {
    lanes_call part = call_.part(head_ + first * block, count * block);
    part.state = {map(first), nullptr, 0, 0};
    if (part.lanes == 1) part.make_lanes_of_blocks(count);
    part.run();
  }

  lanes_call& call_;
  std::size_t head_, count_, row_;
  std::vector<std::byte> maps_;  ///< of blocks: a row of coefficients, then values before; of b
};

/// The states of sequences of one lane as those of the lanes of one sequence.
class states_of_lanes {
 public:
  states_of_lanes(sequence_states const& x, simd::lane_type type)
      : of_(x),
        bytes_(simd::number_bytes_of(type)),
        totals_(x.count * rows * bytes_),
        position_(x.positions[0]) {
    copy_totals([](std::byte*& from, std::byte*& to) { std::swap(from, to); });
  }
  [[nodiscard]] sequence_states get() { return {1, of_.values, totals_.data(), &position_}; }
  /// Stores the states where they came from.
  void put_back() {
    copy_totals([](std::byte*&, std::byte*&) {});
    std::fill_n(of_.positions, of_.count, position_);
  }

 private:
  /// Copies each total from its lane to its sequence, or elsewhere after direct(from, to).
  template <class Direct>
  void copy_totals(Direct const& direct) {
    for (std::size_t s = 0; s < of_.count; ++s)
      for (std::size_t row = 0; row < rows; ++row) {
        std::byte* to = of_.totals + (s * rows + row) * bytes_;
        std::byte* from = totals_.data() + (row * of_.count + s) * bytes_;
        direct(from, to);
        std::memcpy(to, from, bytes_);
      }
  }

  sequence_states of_;
  std::size_t bytes_;
  std::vector<std::byte> totals_;
  std::int64_t position_;
};

/// Sequences of one lane as one sequence.
sequence_elements side_by_side(sequence_elements const& x) {
  return {x.first, 1, x.tokens, x.count, 0, x.token, x.sequence};
}
/// Whether states of one lane can be those of lanes of one sequence: all are at one position.
bool are_lanes(sequence_states const& states) {
  auto const* const first = states.positions;
  return std::count(first, first + states.count, *first) ==
         static_cast<std::ptrdiff_t>(states.count);
}
/// Whether the blocks of a sequence of one lane can be its lanes: tokens are adjacent, or the same
/// in memory.
bool have_lanes_of_blocks(anchored_sequences const& c) {
  auto const are_near = [&](sequence_elements const& x) {
    auto const size = static_cast<std::ptrdiff_t>(simd::bytes_of(c.type));
    return x.token == size || x.token == -size || x.token == 0;
  };
  return c.h.lanes == 1 && are_near(c.a) && are_near(c.b) && are_near(c.h);
}
/// Whether sequences of one lane are to be computed side by side.
bool are_side_by_side(anchored_sequences const& c) {
  bool const can_be = c.cut == nullptr && c.h.lanes == 1 && c.states.count > 1 &&
                      are_lanes(c.states) &&
                      (c.gradients == nullptr || are_lanes(c.gradients->start));
  return can_be && (c.states.count >= fewest_lanes / 2 || c.h.tokens < enough_blocks * block ||
                    !have_lanes_of_blocks(c));
}
void run_side_by_side(cpu const& on, anchored_sequences c) {
  states_of_lanes after(c.states, c.type);
  std::optional<states_of_lanes> start;
  std::optional<sequence_gradients> made;
  if (c.gradients) {
    start.emplace(c.gradients->start, c.type);
    made = {c.gradients->factor, side_by_side(c.gradients->of), side_by_side(c.gradients->of_a),
            start->get()};
    c.gradients = &*made;
  }
  for (sequence_elements* x : {&c.a, &c.b, &c.h}) *x = side_by_side(*x);
  c.states = after.get();
  run(on, c);
  after.put_back();
}

lanes_call lanes_of(anchored_sequences const& c, std::size_t s, std::size_t l) {
  std::size_t const begin = c.cut ? static_cast<std::size_t>(c.cut[s]) : 0,
                    end = c.cut ? static_cast<std::size_t>(c.cut[s + 1]) : c.h.tokens,
                    start = c.backward && end > begin ? end - 1 : begin, lanes = c.h.lanes,
                    bytes = simd::number_bytes_of(c.type);
  auto const state_of = [&](sequence_states const& x) {
    return lane_state{x.values + (s * lanes + l) * bytes, x.totals + (s * rows * lanes + l) * bytes,
                      static_cast<std::ptrdiff_t>(lanes * bytes),
                      static_cast<std::size_t>(x.positions[s])};
  };
  auto const from = [&](sequence_elements const& x) {
    return x.from(c.cut ? 0 : s, start, l, c.backward);
  };
  lanes_call x{c.type,
               end - begin,
               std::min(most_lanes, lanes - l),
               from(c.a),
               from(c.b),
               from(c.h),
               state_of(c.states),
               {}};
  if (c.gradients)
    x.gradients = lane_gradients{c.gradients->factor + (s * lanes + l) * simd::bytes_of(c.type),
                                 from(c.gradients->of), from(c.gradients->of_a),
                                 state_of(c.gradients->start)};
  return x;
}

}  // namespace

void run(cpu const& on, anchored_sequences const& c) {
  detail::float_environment const ieee;
  std::size_t const lanes = c.h.lanes, parts = (lanes + most_lanes - 1) / most_lanes,
                    jobs = c.states.count * parts;
  if (jobs == 0) return;
  if (are_side_by_side(c)) return run_side_by_side(on, c);
  std::size_t const size = c.h.count * c.h.tokens * lanes;
  // The pass for the maps takes about as long as the one for results.
  bool const at_once =
      have_lanes_of_blocks(c) || 2 * jobs <= static_cast<std::size_t>(on.width(size));
  on.for_each_line(jobs, size / jobs + 1, [&](std::size_t job, cpu const& on_some) {
    lanes_call x = lanes_of(c, job / parts, job % parts * most_lanes);
    if (x.tokens == 0) return;
    if (at_once && blocks_at_once::blocks_of(x) >= enough_blocks)
      blocks_at_once(x).run(on_some);
    else
      x.run();
  });
  for (std::size_t s = 0; s < c.states.count; ++s) {
    auto const tokens = c.cut ? c.cut[s + 1] - c.cut[s] : static_cast<std::int64_t>(c.h.tokens);
    c.states.positions[s] = (c.states.positions[s] + tokens) % static_cast<std::int64_t>(block);
  }
}

}  // namespace upsweep::host
