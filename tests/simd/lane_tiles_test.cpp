/// Recurrences of lanes that are contiguous in memory each have the bits of lanes side by side.
#include <simd/every_target.hpp>

#include <support/lane_types.hpp>

#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace upsweep::test {
namespace {

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

}  // namespace
}  // namespace upsweep::test
