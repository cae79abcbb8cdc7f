/// Recurrences in the tree of anchored blocks.
#include <simd/every_target.hpp>
#include <support/lane_types.hpp>
#include <support/random.hpp>
#include <upsweep/host/anchored_sequences.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace upsweep::test {
namespace {

// Recurrences of lanes that are contiguous in memory each have the bits of lanes side by side.

using host::simd::lane_matrix;
using host::simd::lane_state;
using host::simd::lane_type;
using bytes = std::vector<std::byte>;

lane_type const all_types[] = {lane_type::bf16, lane_type::f32, lane_type::f64, lane_type::c64,
                               lane_type::c128};

/// Tokens in rows of lanes, and the same lanes as rows of tokens, whose distance is given.
class two_layouts {
 public:
  two_layouts(lane_type type, std::size_t tokens, std::size_t lanes, std::size_t distance,
              random_bits& next)
      : size_(bytes_of(type)),
        tokens_(tokens),
        lanes_(lanes),
        distance_(distance),
        side_by_side_(lane_elements(type, tokens * lanes, next)),
        apart_(lanes * distance) {
    each([&](std::byte* one, std::byte* other) { std::memcpy(other, one, size_); });
  }

  lane_matrix side_by_side(bool backward) {
    return matrix(side_by_side_, lanes_ * size_, size_, backward);
  }
  lane_matrix apart(bool backward) { return matrix(apart_, size_, distance_, backward); }
  /// Whether all elements have the same bits in both.
  [[nodiscard]] bool are_equal() {
    bool equal = true;
    each([&](std::byte* one, std::byte* other) {
      equal = equal && std::memcmp(one, other, size_) == 0;
    });
    return equal;
  }

 private:
  lane_matrix matrix(bytes& x, std::size_t token, std::size_t lane, bool backward) const {
    auto const step = static_cast<std::ptrdiff_t>(token);
    return {x.data() + (backward ? (tokens_ - 1) * token : 0), backward ? -step : step,
            static_cast<std::ptrdiff_t>(lane)};
  }
  template <class F>
  void each(F const& f) {
    for (std::size_t t = 0; t < tokens_; ++t)
      for (std::size_t l = 0; l < lanes_; ++l)
        f(&side_by_side_[(t * lanes_ + l) * size_], &apart_[l * distance_ + t * size_]);
  }

  std::size_t size_, tokens_, lanes_, distance_;
  bytes side_by_side_, apart_;
};

/// A state at a position, of the numbers of any type.
struct some_state {
  bytes value = bytes(64 * 16), totals = bytes(16 * 64 * 16);
  std::size_t position = 0;
  [[nodiscard]] lane_state get() { return {value.data(), totals.data(), 64 * 16, position}; }
  friend bool operator==(some_state const&, some_state const&) = default;
};

void expect_equal_layouts(lane_type type, std::size_t tokens, std::size_t lanes,
                          std::size_t distance, bool backward) {
  random_bits next(test_seed() + tokens);
  auto const made = [&] { return two_layouts(type, tokens, lanes, distance, next); };
  auto a = made(), b = made(), h = made(), of = made(), of_a = made();
  some_state states[2];
  for (int const layout : {0, 1}) {
    auto const x = [&](two_layouts& m) {
      return layout ? m.apart(backward) : m.side_by_side(backward);
    };
    lane_state state = states[layout].get();
    host::simd::anchored_recurrence(type, tokens, lanes, x(a), x(b), x(b), state);  // in place
    bytes const factor(64 * 16);
    some_state start;
    host::simd::anchored_gradients(type, tokens, lanes, x(a), x(b), x(h),
                                   {factor.data(), x(of), x(of_a), start.get()}, state);
    states[layout].position = state.position;
  }
  EXPECT_TRUE(b.are_equal() && h.are_equal() && of_a.are_equal());
  EXPECT_EQ(states[0], states[1]);
}

TEST(lane_tiles, have_the_bits_of_lanes_side_by_side) {
  for_each_target([] {
    for (lane_type const type : all_types)
      for (std::size_t const lanes : {7u, 8u, 9u, 64u})
        for (std::size_t const tokens : {1u, 4u, 5u, 15u, 16u, 17u, 33u, 64u, 100u, 300u})
          for (bool const backward : {false, true}) {
            SCOPED_TRACE(testing::Message()
                         << tokens << " tokens of " << lanes << " lanes, type "
                         << static_cast<int>(type) << (backward ? ", backward" : ""));
            std::size_t const least = tokens * bytes_of(type), far = (least + 255) / 256 * 256;
            expect_equal_layouts(type, tokens, lanes, far, backward);
            expect_equal_layouts(type, tokens, lanes, far + bytes_of(type), backward);
          }
  });
}

// Recurrences whose sequences, lanes and blocks are distributed over registers and threads have
// the bits of each lane computed alone, one token after another.

using host::anchored_sequences, host::sequence_elements, host::sequence_gradients,
    host::sequence_states;
using host::simd::lane_gradients, host::simd::lane_state, host::simd::lane_type;
using bytes = std::vector<std::byte>;
using numbers = std::vector<std::int64_t>;

struct sequence_shape {
  std::size_t count, tokens, lanes;
};
enum class layout { tokens_apart, lanes_apart, one_coefficient };

/// Elements in memory of their own.
struct some_elements {
  some_elements(lane_type type, sequence_shape const& s, layout how, random_bits& next)
      : memory(lane_elements(type, s.count * s.tokens * s.lanes, next)) {
    auto const size = static_cast<std::ptrdiff_t>(bytes_of(type)),
               lanes = static_cast<std::ptrdiff_t>(s.lanes),
               tokens = static_cast<std::ptrdiff_t>(s.tokens);
    bool const apart = how == layout::lanes_apart;
    view = {nullptr,
            s.count,
            s.tokens,
            s.lanes,
            tokens * lanes * size,
            apart ? size : lanes * size,
            apart ? tokens * size : size};
    if (how == layout::one_coefficient) view.sequence = view.token = 0;
  }
  sequence_elements get() {
    sequence_elements x = view;
    x.first = memory.data();
    return x;
  }
  bytes memory;
  sequence_elements view;
};

/// States at given positions.
struct states {
  states(lane_type type, std::size_t count, std::size_t lanes, numbers const& given,
         random_bits& next)
      : values(lane_numbers(type, count * lanes, next)),
        totals(lane_numbers(type, count * lanes * 16, next)),
        at(given) {
    at.resize(count, 0);
  }
  static bytes lane_numbers(lane_type type, std::size_t n, random_bits& next) {
    bool const narrow = bytes_of(type) == 2;
    return lane_elements(narrow ? lane_type::f32 : type, n, next);
  }
  sequence_states get() { return {at.size(), values.data(), totals.data(), at.data()}; }

  bytes values, totals;
  numbers at;
};

/// The call on one lane of a sequence, in calls of few tokens; gradients in one.
void run_lane(anchored_sequences const& c, std::size_t s, std::size_t l) {
  std::size_t const lanes = c.h.lanes, number = number_bytes_of(c.type),
                    begin = c.cut ? static_cast<std::size_t>(c.cut[s]) : 0,
                    end = c.cut ? static_cast<std::size_t>(c.cut[s + 1]) : c.h.tokens;
  if (begin == end) return;
  auto const state_of = [&](sequence_states const& x) {
    return lane_state{x.values + (s * lanes + l) * number, x.totals + (s * 16 * lanes + l) * number,
                      static_cast<std::ptrdiff_t>(lanes * number),
                      static_cast<std::size_t>(x.positions[s])};
  };
  auto const from = [&](sequence_elements const& x, std::size_t skipped) {
    std::size_t const first = c.backward ? end - 1 - skipped : begin + skipped;
    return x.from(c.cut ? 0 : s, first, l, c.backward);
  };
  lane_state state = state_of(c.states);
  if (c.gradients) {
    lane_gradients const gradients{c.gradients->factor + (s * lanes + l) * bytes_of(c.type),
                                   from(c.gradients->of, 0), from(c.gradients->of_a, 0),
                                   state_of(c.gradients->start)};
    host::simd::anchored_gradients(c.type, end - begin, 1, from(c.a, 0), from(c.b, 0), from(c.h, 0),
                                   gradients, state);
  } else {
    for (std::size_t t = 0; t < end - begin; t += 100)
      host::simd::anchored_recurrence(c.type, std::min<std::size_t>(100, end - begin - t), 1,
                                      from(c.a, t), from(c.b, t), from(c.h, t), state);
  }
  if (l + 1 == lanes) c.states.positions[s] = static_cast<std::int64_t>(state.position);
}

struct how {
  layout memory = layout::tokens_apart;
  bool backward = false;
  numbers at = {}, cut = {};
  int threads = 1;
};

/// The totals that a position has are equal, and the values; others may be anything.
void expect_same_states(states const& x, states const& y, std::size_t lanes, std::size_t number) {
  EXPECT_EQ(x.values, y.values);
  ASSERT_EQ(x.at, y.at);
  for (std::size_t s = 0; s < x.at.size(); ++s)
    for (std::size_t row = 0; row < 16; ++row)
      if ((x.at[s] >> row / 2 & 1) != 0) {
        std::size_t const at = (s * 16 + row) * lanes * number;
        EXPECT_EQ(std::memcmp(&x.totals[at], &y.totals[at], lanes * number), 0) << s << ", " << row;
      }
}

void expect_lanes_alone(lane_type type, sequence_shape const& s, how const& h,
                        bool with_gradients) {
  SCOPED_TRACE(testing::Message() << s.count << " sequences of " << s.tokens << " tokens and "
                                  << s.lanes << " lanes, type " << static_cast<int>(type)
                                  << ", layout " << static_cast<int>(h.memory) << ", " << h.threads
                                  << " threads" << (h.backward ? ", backward" : "")
                                  << (with_gradients ? ", gradients, " : ", ") << seed_note());
  random_bits next(test_seed() + s.tokens);
  std::size_t const count = h.cut.empty() ? s.count : h.cut.size() - 1;
  layout const plain = h.memory == layout::one_coefficient ? layout::tokens_apart : h.memory;
  some_elements a(type, s, h.memory, next), b(type, s, plain, next), of(type, s, plain, next);
  some_elements outputs[2][2] = {{b, of}, {b, of}};  // in place without gradients
  states const before(type, count, s.lanes, h.at, next);
  states start(type, count, s.lanes, h.at, next), after[2] = {before, before};
  bytes const factor = lane_elements(type, count * s.lanes, next);
  for (int const whole : {0, 1}) {
    auto& [g, of_a] = outputs[whole];
    sequence_gradients const gradients{factor.data(), of.get(), of_a.get(), start.get()};
    anchored_sequences const call{type,
                                  a.get(),
                                  with_gradients ? b.get() : g.get(),
                                  g.get(),
                                  after[whole].get(),
                                  h.backward,
                                  h.cut.empty() ? nullptr : h.cut.data(),
                                  with_gradients ? &gradients : nullptr};
    if (whole) {
      run(cpu{h.threads}, call);
      continue;
    }
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t l = 0; l < s.lanes; ++l) run_lane(call, k, l);
  }
  EXPECT_EQ(outputs[0][0].memory, outputs[1][0].memory);
  EXPECT_EQ(outputs[0][1].memory, outputs[1][1].memory);
  expect_same_states(after[0], after[1], s.lanes, number_bytes_of(type));
}
void expect_lanes_alone(lane_type type, sequence_shape const& s, how const& h = {}) {
  for (bool const gradients : {false, true}) expect_lanes_alone(type, s, h, gradients);
}

lane_type const every_type[] = {lane_type::f16, lane_type::bf16, lane_type::f32,
                                lane_type::f64, lane_type::c64,  lane_type::c128};

TEST(anchored_sequences, have_the_bits_of_lanes_alone_in_every_type) {
  for_each_target([] {
    for (lane_type const type : every_type) {
#ifndef UPSWEEP_HAS_FLOAT16
      if (type == lane_type::f16) continue;
#endif
      expect_lanes_alone(type, {1, 256 * 17 + 3, 1}, {.at = {100}});
      expect_lanes_alone(type, {1, 256 * 10 + 3, 5}, {.backward = true, .at = {7}, .threads = 2});
    }
  });
}
TEST(anchored_sequences, have_the_bits_of_lanes_alone_at_every_size) {
  for (std::size_t const tokens : {1u, 255u, 256u, 257u, 2303u, 2304u, 2305u, 2560u, 5000u, 40000u})
    for (std::int64_t const at : {0, 1, 31, 255})
      for (int const threads : {1, 3})
        for (std::size_t const lanes : {1u, 2u})
          expect_lanes_alone(lane_type::f32, {1, tokens, lanes}, {.at = {at}, .threads = threads});
}
TEST(anchored_sequences, have_the_bits_of_lanes_alone_in_every_layout) {
  for (layout const memory : {layout::tokens_apart, layout::lanes_apart, layout::one_coefficient})
    for (sequence_shape const& s :
         {sequence_shape{1, 3000, 1}, sequence_shape{7, 2500, 1}, sequence_shape{8, 2500, 1},
          sequence_shape{20, 600, 1}, sequence_shape{1, 3000, 3}, sequence_shape{3, 2600, 70}})
      for (bool const backward : {false, true})
        for (int const threads : {1, 2, 7})
          expect_lanes_alone(lane_type::f64, s,
                             {.memory = memory, .backward = backward, .threads = threads});
}
TEST(anchored_sequences, have_the_bits_of_lanes_alone_at_any_positions) {
  for (int const threads : {1, 4})
    for (bool const backward : {false, true}) {
      expect_lanes_alone(
          lane_type::f32, {9, 3000, 1},
          {.backward = backward, .at = {0, 1, 2, 3, 254, 255, 128, 16, 0}, .threads = threads});
      expect_lanes_alone(lane_type::bf16, {9, 3000, 1},
                         {.backward = backward, .at = numbers(9, 77), .threads = threads});
      for (std::size_t const lanes : {1u, 2u})
        for (std::int64_t const first : {5, 0})
          expect_lanes_alone(lane_type::f32, {1, 9000, lanes},
                             {.backward = backward,
                              .at = {first, 0, 0},
                              .cut = {0, 3000, 3000, 9000},
                              .threads = threads});
    }
}
TEST(anchored_sequences, without_elements_keep_their_states) {
  for (sequence_shape const& s : {sequence_shape{3, 0, 2}, sequence_shape{0, 9, 2},
                                  sequence_shape{2, 5, 0}, sequence_shape{2, 0, 1}})
    expect_lanes_alone(lane_type::f32, s, {.at = numbers(s.count, 9)});
}

/// Small integers, of which products and sums are exact in any order.
std::vector<std::complex<float>> gaussian_integers(std::size_t n, random_bits& next) {
  auto const integer = [&] { return static_cast<float>(next.below(5)) - 2; };
  std::vector<std::complex<float>> x(n);
  for (auto& z : x) {
    float const re = integer();
    z = {re, integer()};
  }
  return x;
}

TEST(anchored_gradients, conjugate_coefficients_and_results) {
  constexpr std::size_t tokens = 6, lanes = 3, size = sizeof(std::complex<float>);
  random_bits next(test_seed());
  auto a = gaussian_integers(tokens * lanes, next), b = a, h = a, of_a = a,
       of = gaussian_integers((tokens + 1) * lanes, next), factor = gaussian_integers(lanes, next),
       before = gaussian_integers(lanes, next);
  b = gaussian_integers(tokens * lanes, next);
  bytes totals(16 * lanes * size);
  auto const at = [](auto& x) { return reinterpret_cast<std::byte*>(x.data()); };
  auto const rows = [&](auto& x) { return host::simd::lane_matrix{at(x), lanes * size, size}; };
  auto value = before;
  lane_state state{at(value), totals.data(), lanes * size, 0};
  host::simd::anchored_gradients(lane_type::c64, tokens, lanes, rows(a), rows(b), rows(h),
                                 {at(factor), rows(of), rows(of_a), {}}, state);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::complex<float> now = before[l];
    for (std::size_t t = 0; t < tokens; ++t) {
      std::size_t const i = t * lanes + l;
      now = b[i] + std::conj(t == 0 ? factor[l] : a[i - lanes]) * now;
      EXPECT_EQ(h[i], now) << "token " << t << ", lane " << l << ", " << seed_note();
      EXPECT_EQ(of_a[i], now * std::conj(of[i + lanes])) << "token " << t << ", lane " << l;
    }
  }
}

}  // namespace
}  // namespace upsweep::test
