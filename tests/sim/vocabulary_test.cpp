/// Every function of the kernel vocabulary behaves as in CUDA, and the machine obeys its options.
#include "sim/vocabulary.hpp"

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

std::vector<unsigned> values_of_lanes() {
  std::vector<unsigned> x(32);
  for (unsigned t = 0; t < 32; ++t) x[t] = scrambled(t) % 97;
  return x;
}

TEST(vocabulary, indices_have_three_dimensions) {
  sim::machine machine;
  auto const out = machine.allocate<unsigned>(24 * 12, "out");
  machine.launch({.blocks = {2, 3, 2}, .threads = {4, 3, 2}}, coordinates, out);
  auto const y = machine.to_host(out, 24 * 12);
  std::size_t i = 0;
  for (unsigned b = 0; b < 12; ++b)
    for (unsigned t = 0; t < 24; ++t, ++i)
      EXPECT_EQ(y[i], t % 4 + 10 * (t / 4 % 3) + 100 * (t / 12) + 1000 * (b % 2) +
                          10000 * (b / 2 % 3) + 100000 * (b / 6));
}

/// The value that lane t receives by CUDA's rules: from within its subsection of `width` lanes, or
/// its own.
unsigned shuffled(std::vector<unsigned> const& x, unsigned t, unsigned kind, unsigned argument,
                  unsigned width) {
  unsigned const first = t / width * width, last = first + width - 1;
  switch (kind) {
    case 0:
      return x[first + argument % width];
    case 1:
      return t - first >= argument ? x[t - argument] : x[t];
    case 2:
      return t + argument <= last ? x[t + argument] : x[t];
    default:
      return (t ^ argument) <= last ? x[t ^ argument] : x[t];
  }
}

TEST(vocabulary, shuffles_votes_matches_and_reductions_return_what_a_gpu_returns) {
  auto const x = values_of_lanes();
  for (unsigned const width : {32u, 16u, 8u, 1u})
    for (unsigned const argument : {0u, 1u, 3u, 5u, 17u}) {
      sim::machine machine;
      auto const out = machine.allocate<unsigned>(544, "out");
      machine.launch({.threads = {32}}, warp_words, out, argument, static_cast<int>(width));
      auto const y = machine.to_host(out, 544);
      unsigned ballot = 0, sum = 0, conjunction = ~0u, disjunction = 0, difference = 0;
      for (unsigned t = 0; t < 32; ++t) {
        ballot |= static_cast<unsigned>(x[t] % 3 == 0) << t;
        sum += x[t];
        conjunction &= x[t] | 1;
        disjunction |= x[t] & 6;
        difference ^= x[t];
      }
      auto const [least, greatest] = std::ranges::minmax(x);
      for (unsigned t = 0; t < 32; ++t) {
        SCOPED_TRACE("lane " + std::to_string(t) + ", width " + std::to_string(width) +
                     ", argument " + std::to_string(argument));
        for (unsigned kind = 0; kind < 4; ++kind)
          EXPECT_EQ(y[32 * kind + t], shuffled(x, t, kind, argument, width));
        unsigned match = 0;
        for (unsigned u = 0; u < 32; ++u) match |= static_cast<unsigned>(x[u] % 5 == x[t] % 5) << u;
        std::vector<unsigned> const expected{ballot,
                                             greatest < argument * 4,
                                             greatest > 90 + argument,
                                             match,
                                             full_mask + 1,
                                             sum,
                                             least,
                                             greatest,
                                             conjunction,
                                             disjunction,
                                             difference,
                                             least - 48,
                                             greatest - 48};
        for (std::size_t k = 0; k < expected.size(); ++k)
          EXPECT_EQ(y[32 * (k + 4) + t], expected[k]) << "operation " << k;
      }
      EXPECT_EQ(machine.result().total().shuffles, 4u);
      EXPECT_EQ(machine.result().total().votes, 13u);
      EXPECT_TRUE(machine.result().findings.empty());
    }
}

TEST(vocabulary, match_all_tells_whether_all_lanes_agree) {
  for (unsigned const half : {5u, 16u, 30u}) {
    sim::machine machine;
    auto const out = machine.allocate<unsigned>(64, "out");
    machine.launch({.threads = {32}}, matches_all, out, half);
    auto const y = machine.to_host(out, 64);
    for (unsigned t = 0; t < 32; ++t) {
      EXPECT_EQ(y[t], t < half ? (1u << half) - 1 : 0u) << t;
      EXPECT_EQ(y[32 + t], t < half ? 1u : 0u) << t;
    }
  }
}

/// Lanes that are in a later iteration wait for the others.
TEST(vocabulary, lanes_that_skip_the_rest_of_an_iteration_meet_the_others_in_the_next) {
  for (unsigned const n : {1u, 10u, 1000u}) {
    sim::machine machine;
    auto const limit = machine.allocate<unsigned>(1, "limit"),
               out = machine.allocate<unsigned>(32, "out");
    machine.fill(limit, 1, n);
    machine.fill(out, 32, 0u);
    machine.launch({.threads = {32}}, skips_halves, static_cast<unsigned const*>(limit), out);
    auto const counts = machine.result().total();
    EXPECT_EQ(counts.steps, 2 * std::uint64_t{n} + 1);
    EXPECT_EQ(counts.divergent_steps, n);
    auto const y = machine.to_host(out, 32);
    for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(y[t], (t + n) % 2 == 0 ? n - 1 : n);
  }
}

TEST(vocabulary, half_warps_shuffle_structs_with_partial_masks) {
  sim::machine machine;
  auto const out = machine.allocate<unsigned>(32, "out");
  machine.launch({.threads = {32}}, half_warp_shuffles, out);
  auto const y = machine.to_host(out, 32);
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(y[t], 3 * (t < 16 ? t ^ 15 : t == 16 ? t : t - 1) + 300);
  auto const counts = machine.result().total();
  EXPECT_EQ(counts.shuffles, 5u);
  EXPECT_EQ(counts.divergent_steps, 5u);
  EXPECT_EQ(counts.steps, 6u);  // the store is one step of the whole warp again
}

TEST(vocabulary, a_crossbar_carries_valid_bits) {
  sim::machine machine;
  auto const out = machine.allocate<unsigned>(32, "out");
  machine.launch({.threads = {32}}, crossed_lanes, out);
  auto const y = machine.to_host(out, 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(y[t], t + 5 < 32 && (t + 5) % 3 != 0 ? t + 5 : 1000);
}

TEST(vocabulary, barriers_count_and_vote) {
  sim::machine machine;
  auto const out = machine.allocate<int>(70, "out");
  machine.launch({.threads = {70}}, barrier_words, out);
  EXPECT_EQ(machine.to_host(out, 70), std::vector<int>(70, 24 + 1000));
  EXPECT_EQ(machine.result().total().barriers, 4u);
}

TEST(vocabulary, dynamic_shared_memory_holds_several_arrays) {
  sim::machine machine;
  auto const out = machine.allocate<double>(32, "out");
  machine.launch({.threads = {32}, .shared_bytes = 32 * 12}, dynamic_words, out);
  auto const y = machine.to_host(out, 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(y[t], 1.5 * (31 - t));
  EXPECT_TRUE(machine.result().findings.empty());
  EXPECT_THROW(machine.launch({.threads = {32}, .shared_bytes = 32 * 8}, dynamic_words, out),
               sim::kernel_failure);
}

TEST(vocabulary, atomics_update_under_every_schedule) {
  for (auto const& how : {sim::options{}, sim::options{.how = sim::schedule::random, .seed = 3},
                          sim::options{.how = sim::schedule::round_robin}}) {
    sim::machine machine{how};
    auto const out = machine.allocate<unsigned>(11, "out");
    auto const numbers = machine.allocate<int>(1, "numbers");
    auto const sum = machine.allocate<float>(1, "sum");
    std::vector<unsigned> const start{0, 100, 99, 0, ~0u, 0, 0, 0, 0, 0, 55};
    machine.to_device(out, start);
    machine.fill(numbers, 1, 0);
    machine.fill(sum, 1, 0.f);
    machine.launch({.threads = {32}}, atomic_words, out, numbers, sum);
    EXPECT_EQ(machine.to_host(out, 11),
              (std::vector<unsigned>{496, 68, 5, 31, 0, full_mask, 0, 496, 64, 55, 77}));
    EXPECT_EQ(machine.to_host(numbers, 1)[0], -31);
    EXPECT_EQ(machine.to_host(sum, 1)[0], 16.f);
    EXPECT_TRUE(machine.result().findings.empty());
  }
}

TEST(vocabulary, a_lane_waits_for_another_of_its_block_under_every_schedule) {
  using enum sim::schedule;
  for (auto const& how : {sim::options{}, sim::options{.how = random, .seed = 4},
                          sim::options{.how = adversarial, .seed = 3}}) {
    sim::machine machine{how};
    auto const in = machine.allocate<unsigned>(4, "in"), out = machine.allocate<unsigned>(2, "out");
    machine.to_device(in, std::vector<unsigned>{1, 2, 3, 4});
    machine.fill(out, 2, 1000u);
    machine.launch({.threads = {32}}, waiting_words, in, out);
    EXPECT_EQ(machine.to_host(out, 2), (std::vector<unsigned>{4, 1000 + 240 - 15}));
    for (auto const& finding : machine.result().findings) ADD_FAILURE() << finding.sentence;
  }
}

TEST(vocabulary, bit_intrinsics_return_what_a_gpu_returns) {
  sim::machine machine;
  auto const out = machine.allocate<int>(7, "out");
  machine.launch({.threads = {1}}, bit_words, out);
  EXPECT_EQ(machine.to_host(out, 7), (std::vector<int>{8, 4, 3231, 6463, 0, 128, 41}));
}

TEST(machine, a_seed_reproduces_a_run) {
  auto const run = [](std::uint64_t seed) {
    sim::machine machine{{.trace = true, .how = sim::schedule::random, .seed = seed}};
    auto const out = machine.allocate<unsigned>(11, "out");
    machine.fill(out, 11, 0u);
    auto const numbers = machine.allocate<int>(1, "numbers");
    auto const sum = machine.allocate<float>(1, "sum");
    machine.fill(numbers, 1, 0);
    machine.fill(sum, 1, 0.f);
    machine.launch({.blocks = {3}, .threads = {32}}, atomic_words, out, numbers, sum);
    std::vector<std::byte> values;
    for (auto const& s : machine.result().trace.launches[0].steps)
      for (auto const& lane : s.lanes)
        values.insert(values.end(), lane.value.begin(), lane.value.end());
    return values;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(machine, independent_blocks_run_on_several_threads_with_the_same_counts) {
  using sums = sim::operation<int>;
  sums const op{plus{}};
  std::vector<int> x(100 * 64);
  std::iota(x.begin(), x.end(), 0);
  sim::counters one;
  for (unsigned const threads : {1u, 4u}) {
    sim::machine machine{{.threads = threads}};
    auto const in = machine.allocate<int>(x.size(), "in"),
               out = machine.allocate<int>(x.size(), "out");
    machine.to_device(in, x);
    machine.launch({.blocks = {100}, .threads = {64}, .independent_blocks = true}, applies<sums>,
                   in, out, op);
    auto const y = machine.to_host(out, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 1);
    auto const& launch = machine.result().launches[0];
    EXPECT_EQ(launch.blocks.size(), 100u);
    EXPECT_EQ(launch.blocks[57].applications, 64u);
    EXPECT_EQ(launch.buffers.at("in").loads, x.size());
    if (threads == 1)
      one = launch.total;
    else
      EXPECT_EQ(launch.total, one);
    EXPECT_TRUE(machine.result().findings.empty());
  }
}

/// Only atomics on memory that blocks share break the promise.
TEST(machine, independent_blocks_may_use_atomics_in_their_own_memory) {
  sim::machine machine;
  auto const out = machine.allocate<unsigned>(4 * 64, "out");
  machine.launch({.blocks = {4}, .threads = {64}, .independent_blocks = true},
                 counts_in_shared_memory, out);
  EXPECT_TRUE(machine.result().findings.empty());
  EXPECT_EQ(machine.to_host(out, 4 * 64), std::vector<unsigned>(4 * 64, 64));
}

TEST(machine, exceptions_of_an_operator_reach_the_caller) {
  auto const picky = monoid(
      [](int a, int b) {
        if (a == 40) throw std::domain_error("40 is not for me");
        return a + b;
      },
      0);
  sim::operation<int> const op{picky};
  for (auto const how : {sim::schedule::in_order, sim::schedule::random}) {
    sim::machine machine{{.how = how}};
    auto const in = machine.allocate<int>(64, "in"), out = machine.allocate<int>(64, "out");
    std::vector<int> x(64);
    std::iota(x.begin(), x.end(), 0);
    machine.to_device(in, x);
    EXPECT_THROW(
        machine.launch({.blocks = {2}, .threads = {32}}, applies<sim::operation<int>>, in, out, op),
        std::domain_error);
    std::ranges::fill(x, 1);
    machine.to_device(in, x);
    machine.launch({.blocks = {2}, .threads = {32}}, applies<sim::operation<int>>, in, out, op);
    EXPECT_EQ(machine.to_host(out, 64), std::vector<int>(64, 2));
  }
}

TEST(machine, a_trace_records_which_lane_read_and_wrote_what) {
  sim::machine machine{{.trace = true}};
  sim::operation<int> const op{plus{}};
  auto const in = machine.allocate<int>(8, "in"), out = machine.allocate<int>(8, "out");
  machine.to_device(in, std::vector<int>{5, 6, 7, 8, 9, 10, 11, 12});
  machine.launch({.name = "applies", .threads = {8}}, applies<sim::operation<int>>, in, out, op);
  auto const& t = machine.result().trace.launches[0];
  ASSERT_EQ(t.steps.size(), 3u);
  EXPECT_EQ(t.name, "applies");
  sim::step_kind const kinds[] = {sim::step_kind::load, sim::step_kind::apply,
                                  sim::step_kind::store};
  int const added[] = {0, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(t.steps[i].kind, kinds[i]);
    EXPECT_EQ(t.steps[i].mask, 0xffu);
    ASSERT_EQ(t.steps[i].lanes.size(), 8u);
    for (unsigned l = 0; l < 8; ++l) {
      auto const& lane = t.steps[i].lanes[l];
      int value = 0;
      std::memcpy(&value, lane.value.data(), lane.size);
      EXPECT_EQ(value, static_cast<int>(5 + l) + added[i]);
      EXPECT_EQ(lane.index, i == 1 ? 0 : l);
    }
  }
  EXPECT_EQ(t.buffers[static_cast<std::size_t>(t.steps[0].lanes[0].buffer)].name, "in");
  EXPECT_EQ(t.buffers[static_cast<std::size_t>(t.steps[2].lanes[0].buffer)].name, "out");
  EXPECT_EQ(t.steps[0].sectors, 1u);
}

}  // namespace
}  // namespace upsweep::sim_test
