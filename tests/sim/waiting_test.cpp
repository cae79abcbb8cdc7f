/// Threads that wait for what cannot happen are reported soon, on every schedule.
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace upsweep;

/// Ways to wait for the flag of the next block, which is not resident.
enum class wait { load, two_loads, eight_loads, load_and_sleep, atomic, atomic_and_load };

__global__ void waits(int* flags, wait how) {
  unsigned const b = blockIdx.x;
  if (threadIdx.x == 0 && b + 1 < gridDim.x) {
    int next = 0, other = 0;
    for (unsigned round = 0; next == 0 && other == 0; ++round) {
      if (how == wait::atomic || how == wait::atomic_and_load)
        next = atomicAdd(&flags[b + 1], 0);
      else
        next = flags[b + 1];
      if (how == wait::two_loads || how == wait::atomic_and_load) other = flags[64];
      if (how == wait::eight_loads) other = flags[64 + round % 8];
      if (how == wait::load_and_sleep) __nanosleep(100);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[b], 1);
}

TEST(waiting, deadlocks_are_reported_within_five_seconds_on_every_schedule) {
  for (auto const kind : {wait::load, wait::two_loads, wait::eight_loads, wait::load_and_sleep,
                          wait::atomic, wait::atomic_and_load})
    for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin,
                           sim::schedule::random, sim::schedule::adversarial}) {
      sim::machine m({.how = how, .seed = 2, .resident_blocks = 4, .step_limit = 1u << 20});
      auto const flags = m.allocate<int>(72, "flags");
      m.fill(flags, 72, 0);
      std::clock_t const begin = std::clock();
      EXPECT_THROW(m.launch({.blocks = {40}, .threads = {32}}, waits, flags, kind),
                   sim::kernel_failure)
          << static_cast<int>(kind) << ", schedule " << static_cast<int>(how);
      EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);
    }
}

TEST(waiting, a_trace_has_repeated_polls_as_one_event) {
  for (auto const how :
       {sim::schedule::in_order, sim::schedule::round_robin, sim::schedule::random}) {
    sim::machine m({.trace = true, .how = how, .seed = 3});
    auto const flags = m.allocate<int>(2, "flags");
    m.fill(flags, 2, 0);
    m.launch({.blocks = {2}, .threads = {1}}, waits, flags, wait::atomic);
    std::vector<unsigned> polls;
    for (auto const& s : m.result().trace.launches[0].steps)
      if (s.block == 0 && s.kind == sim::step_kind::atomic) polls.push_back(s.lanes[0].polls);
    auto const repeated = static_cast<unsigned>(m.result().launches[0].total.polls);
    EXPECT_GE(repeated, 1u);
    EXPECT_EQ(polls, (std::vector<unsigned>{repeated, 0, 0}));  // 0 again, 1, and its own flag
  }
}

/// `halves` is forgotten in the slide's loop: stride >> 1 has no effect.
__global__ void halves_a_tile(int* out, bool halves) {
  __shared__ int tile[128];
  unsigned const t = threadIdx.x;
  tile[t] = 1;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride = halves ? stride >> 1 : stride) {
    if (t < stride) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) out[0] = tile[0];
}

TEST(waiting, a_loop_around_a_barrier_that_never_ends_is_reported_with_its_line) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin,
                         sim::schedule::adversarial, sim::schedule::lockstep})
    for (bool const count : {true, false}) {
      sim::machine m({.count = count, .how = how});
      auto const out = m.allocate<int>(1, "out");
      std::clock_t const begin = std::clock();
      EXPECT_THROW(m.launch({.threads = {128}}, halves_a_tile, out, false), sim::kernel_failure);
      EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);
      auto const& findings = m.result().findings;
      ASSERT_FALSE(findings.empty());
      EXPECT_EQ(findings.back().kind, sim::finding_kind::no_progress);
      EXPECT_EQ(findings.back().first.file.ends_with("waiting_test.cpp"), true);
      EXPECT_NE(findings.back().sentence.find("the barrier at waiting_test.cpp:"),
                std::string::npos);
      m.launch({.threads = {128}}, halves_a_tile, out, true);
      EXPECT_EQ(m.to_host(out, 1)[0], 128);
    }
}

/// Loops of many barriers that end: by a counter, by what is read, and by a vote.
__global__ void meets_often(int* out, int rounds) {
  __shared__ int last;
  if (threadIdx.x == 0) last = 0;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) __syncthreads();
  while (last < rounds) {
    __syncthreads();
    if (threadIdx.x == 0) ++last;
    __syncthreads();
  }
  for (int i = 0; __syncthreads_or(threadIdx.x == 0 && i < rounds) != 0; ++i) {
  }
  for (int left = rounds; __shfl_sync(~0u, left, 0) > 0; left -= threadIdx.x == 0) __syncthreads();
  out[threadIdx.x] = last;
}

TEST(waiting, long_loops_around_barriers_end_by_themselves) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin}) {
    sim::machine m({.how = how});
    auto const out = m.allocate<int>(64, "out");
    m.launch({.threads = {32}}, meets_often, out, 5000);
    EXPECT_EQ(m.to_host(out, 1)[0], 5000);
    for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
  }
}

enum class work { stores, atomics, cluster, shuffles, one_flag_late };

/// Works for `rounds` rounds, of which each changes something or meets others.
__global__ void works_long(int* x, work how, int rounds) {
  int const t = static_cast<int>(threadIdx.x);
  int sum = 0;
  if (how == work::one_flag_late && blockIdx.x == 0) rounds = 0;
  for (int i = 0; i < rounds; ++i) {
    if (how == work::stores) x[t] = i;
    if (how == work::atomics) atomicAdd(&x[0], 1);
    if (how == work::cluster) cooperative_groups::this_cluster().sync();
    if (how == work::shuffles) sum += __shfl_sync(0xffffffffu, i, i % 32);
    if (how == work::one_flag_late) x[40 + t] = i;
  }
  if (how == work::one_flag_late && t == 0) {
    if (blockIdx.x == 1) atomicExch(&x[39], 1);
    while (blockIdx.x == 0 && atomicAdd(&x[39], 0) == 0) {
    }
  }
  if (t == 0 && sum == -1) x[1] = sum;
}

/// None of these is abandoned, though each runs for much longer than the limit.
TEST(waiting, work_that_changes_something_may_take_any_time) {
  for (auto const kind : {work::stores, work::atomics, work::cluster, work::one_flag_late})
    for (auto const how : {sim::schedule::in_order, sim::schedule::lockstep})
      for (bool const counts : {true, false}) {
        sim::machine m({.count = counts, .check = false, .how = how, .seed = 3, .step_limit = 400});
        auto* const x = m.allocate<int>(8192, "x");
        m.fill(x, 8192, 0);
        EXPECT_NO_THROW(
            m.launch({.blocks = {2}, .threads = {32}, .cluster = 2}, works_long, x, kind, 4000))
            << static_cast<int>(kind) << ", schedule " << static_cast<int>(how);
        for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
      }
}

/// 64 times the limit of 400, in steps of 8 for each of 32 lanes that shuffle.
TEST(waiting, a_loop_that_writes_nothing_is_abandoned_later) {
  for (bool const counts : {true, false}) {
    sim::machine m({.count = counts, .step_limit = 400});
    auto* const x = m.allocate<int>(64, "x");
    EXPECT_THROW(m.launch({.threads = {32}}, works_long, x, work::shuffles, 4000),
                 sim::kernel_failure);
    EXPECT_NE(m.result().findings.at(0).sentence.find("has run 25856 basic blocks of 'kernel'"),
              std::string::npos)
        << m.result().findings[0].sentence;
    m.launch({.threads = {32}}, works_long, x, work::shuffles, 50);
    EXPECT_EQ(m.result().findings.size(), 1u);
  }
}

/// Thread 0 counts its rounds and ends them by a trap; nothing that the others do ever changes.
__global__ void one_works_while_others_repeat(int* x, int rounds) {
  while (true) {
    if (threadIdx.x == 0 && ++x[0] == rounds) __trap();
    __syncthreads();
  }
}
TEST(waiting, a_loop_never_ends_for_threads_beside_one_that_works) {
  sim::machine m;
  auto* const x = m.allocate<int>(1, "x");
  m.fill(x, 1, 0);
  EXPECT_THROW(m.launch({.threads = {32}}, one_works_while_others_repeat, x, 5000),
               sim::kernel_failure);
  ASSERT_EQ(m.result().findings.size(), 1u);
  EXPECT_EQ(m.result().findings[0].kind, sim::finding_kind::no_progress);
}

__global__ void counts_down_forever(int* x) {
  for (int d = 16;; --d) x[threadIdx.x] = d;
}
TEST(waiting, threads_of_a_loop_that_writes_forever_are_not_said_to_poll) {
  sim::machine m({.step_limit = 10000});
  auto* const x = m.allocate<int>(2, "x");
  EXPECT_THROW(m.launch({.threads = {2}}, counts_down_forever, x), sim::kernel_failure);
  std::string const sentence = m.result().findings.at(0).sentence;
  EXPECT_NE(sentence.find("writes element 1 of buffer 'x'"), sentence.npos) << sentence;
  EXPECT_NE(sentence.find("does its loop end?"), sentence.npos) << sentence;
  EXPECT_EQ(sentence.find("polls"), sentence.npos) << sentence;
}

__global__ void looks_twice(int* x, int change) {
  atomicAdd(&x[0], 0);
  atomicAdd(&x[1], change);
  atomicAdd(&x[0], 0);
}
TEST(waiting, looks_at_an_element_are_polls_unless_something_happens_between_them) {
  for (int const change : {0, 1}) {
    sim::machine m;
    auto* const x = m.allocate<int>(2, "x");
    m.fill(x, 2, 0);
    m.launch({.threads = {1}}, looks_twice, x, change);
    EXPECT_EQ(m.result().total().atomics, 3u);
    EXPECT_EQ(m.result().total().polls, 0u);
  }
}

__global__ void tells_its_place(unsigned long long* out) {
  __shared__ int tile[1];
  tile[0] = 1;
  out[blockIdx.x] = reinterpret_cast<std::uintptr_t>(&tile[0]);
}
/// Blocks that are resident together have shared memory at different addresses.
TEST(waiting, a_block_becomes_resident_when_no_other_goes_on_unless_turns_are_short) {
  struct {
    sim::schedule how;
    std::uint64_t seed;
    std::size_t together;
  } const all[]{{sim::schedule::in_order, 0, 1},    {sim::schedule::lockstep, 0, 1},
                {sim::schedule::round_robin, 0, 4}, {sim::schedule::random, 5, 4},
                {sim::schedule::adversarial, 0, 4}, {sim::schedule::adversarial, 1, 1}};
  for (auto const& [how, seed, together] : all) {
    sim::machine m({.how = how, .seed = seed, .resident_blocks = 4});
    auto* const out = m.allocate<unsigned long long>(12, "out");
    m.launch({.blocks = {12}, .threads = {1}}, tells_its_place, out);
    auto const places = m.to_host(out, 12);
    EXPECT_EQ(std::set(places.begin(), places.end()).size(), together) << static_cast<int>(how);
  }
}

}  // namespace
