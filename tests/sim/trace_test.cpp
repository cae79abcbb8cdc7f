/// Every step of small kernels as text: what each lane read, wrote, received or found.
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

/// "store out s1 l1 0=20c 1=19c": the buffer, sectors, lines, wavefronts and conflicts, and of each
/// lane the index and the value; c: changes it, f: a swap that failed, u: was never written.
/// Of a shuffle "0<3=13", what lane 0 received from lane 3. With a mask if it is not the whole
/// warp.
std::string text_of(sim::step const& s, sim::traced_launch const& of, std::uint32_t whole) {
  std::string text = sim::name_of(s.kind);
  auto const cost = [&](char letter, unsigned n) {
    if (n != 0) text += std::string(" ") + letter + std::to_string(n);
  };
  if (!s.lanes.empty() && s.lanes[0].buffer >= 0)
    text += " " + of.buffers[static_cast<std::size_t>(s.lanes[0].buffer)].name;
  cost('s', s.sectors);
  cost('l', s.lines);
  cost('w', s.wavefronts);
  cost('c', s.conflicts);
  if (s.mask != whole) text += " mask " + std::to_string(s.mask);
  for (auto const& e : s.lanes) {
    std::uint64_t value = 0;
    std::memcpy(&value, e.value.data(), std::min<std::size_t>(e.size, 8));
    text += " " + std::to_string(e.buffer >= 0 ? e.index : e.lane);
    if (e.source >= 0) text += "<" + std::to_string(e.source);
    if (e.unwritten)
      text += "=u";
    else
      text += "=" + std::to_string(value);
    if (e.size != 4) text += "." + std::to_string(e.size);
    if (e.changes) text += "c";
    if (e.failed) text += "f";
    if (e.polls != 0) text += "p" + std::to_string(e.polls);
  }
  return text;
}

struct observed {
  std::vector<std::string> steps;
  std::vector<std::uint64_t> times;  ///< when the accesses were made, ascending
};

observed trace_of(sim::machine const& m, std::uint32_t whole) {
  auto const& launch = m.result().trace.launches.at(0);
  observed all;
  for (auto const& s : launch.steps) {
    all.steps.push_back(text_of(s, launch, whole));
    for (auto const& e : s.lanes)
      if (e.buffer >= 0) all.times.push_back(e.when);
  }
  std::ranges::sort(all.times);
  return all;
}

/// Accesses are numbered from 1 on, none twice.
void expect_numbered(std::vector<std::uint64_t> const& times) {
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], i + 1);
}

using lines = std::vector<std::string>;
constexpr sim::schedule every_schedule[]{sim::schedule::in_order, sim::schedule::round_robin,
                                         sim::schedule::random, sim::schedule::lockstep};

__global__ void tells_all(unsigned* out, unsigned const* in, sim::operation<int> op) {
  __shared__ unsigned tile[4];
  unsigned const t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  unsigned x = tile[3 - t];
  x = __shfl_up_sync(0xfu, x, 1);
  unsigned const v = __ballot_sync(0xfu, x > 11);
  __threadfence();
  int const sum = op(static_cast<int>(x), static_cast<int>(v));
  __syncwarp(0xfu);
  out[8 * t] = static_cast<unsigned>(sum);
}
TEST(trace, has_the_values_of_every_kind_of_step) {
  for (auto const how : every_schedule) {
    sim::machine m({.trace = true, .how = how, .seed = 1});
    auto *const in = m.allocate<unsigned>(4, "in"), *const out = m.allocate<unsigned>(32, "out");
    m.to_device(in, std::vector<unsigned>{10, 11, 12, 13});
    m.launch({.threads = {4}}, tells_all, out, static_cast<unsigned const*>(in),
             sim::operation<int>(plus{}));
    auto const is = trace_of(m, 0xf);
    EXPECT_EQ(is.steps, (lines{"load in s1 l1 0=10 1=11 2=12 3=13",
                               "store shared:tile w1 0=10c 1=11c 2=12c 3=13c", "barrier",
                               "load shared:tile w1 3=13 2=12 1=11 0=10",
                               "shuffle 0<0=13 1<0=13 2<1=12 3<2=11", "vote 0=7 1=7 2=7 3=7",
                               "fence 0=0.0 1=0.0 2=0.0 3=0.0", "apply 0=20 1=20 2=19 3=18",
                               "warp sync", "store out s4 l1 0=20c 8=20c 16=19c 24=18c"}));
    expect_numbered(is.times);
    EXPECT_EQ(is.times.size(), 16u);
  }
}

__global__ void tries_atomics(unsigned* out, unsigned* fresh) {
  atomicAdd(&out[0], 2u);
  atomicCAS(&out[0], 7u, 9u);
  atomicCAS(&out[0], 7u, 1u);
  atomicMax(&out[0], 3u);
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> ref(out[0]);
  ref.store(4, ::cuda::memory_order_relaxed);
  fresh[3] = ref.load(::cuda::memory_order_relaxed);
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> first(fresh[2]);
  first.store(6, ::cuda::memory_order_relaxed);
  fresh[4] = fresh[1];
  atomicAdd(&fresh[0], 1u);
  fresh[5] = fresh[4];
}
TEST(trace, tells_which_atomics_change_or_fail_and_what_was_never_written) {
  for (bool const checks : {true, false}) {
    sim::machine m({.check = checks, .trace = true});
    auto *const out = m.allocate<unsigned>(1, "out"), *const fresh = m.allocate<unsigned>(8, "f");
    m.fill(out, 1, 5u);
    m.launch({.threads = {1}}, tries_atomics, out, fresh);
    auto const is = trace_of(m, 1);
    std::string const poison = checks ? "u" : "4294967295";
    EXPECT_EQ(is.steps,
              (lines{"atomic out 0=7c", "atomic out 0=9c", "atomic out 0=9f", "atomic out 0=9",
                     "atomic out 0=4c", "atomic out 0=4", "store f s1 l1 3=4c", "atomic f 2=6c",
                     "load f s1 l1 1=" + poison, "store f s1 l1 4=4294967295c",
                     "atomic f 0=" + (checks ? "u" : std::string("0")) + "c",
                     "load f s1 l1 4=4294967295", "store f s1 l1 5=4294967295c"}));
    expect_numbered(is.times);
  }
}

struct alignas(16) four_doubles {
  double a, b, c, d;
};
__global__ void moves_wide_elements(four_doubles* out, four_doubles const* in) {
  four_doubles const x = in[threadIdx.x];
  out[1 - threadIdx.x] = x;
}
TEST(trace, elements_of_more_than_16_bytes_have_the_first_16) {
  sim::machine m({.trace = true});
  auto *const in = m.allocate<four_doubles>(2, "in"), *const out =
                                                          m.allocate<four_doubles>(2, "out");
  m.fill(in, 2, four_doubles{0, 1, 2, 3});
  m.launch({.threads = {2}}, moves_wide_elements, out, static_cast<four_doubles const*>(in));
  for (auto const& s : m.result().trace.launches[0].steps)
    for (auto const& e : s.lanes) EXPECT_LE(e.size, 16);
  EXPECT_EQ(m.to_host(out, 2)[1].d, 3.0);
}

__global__ void shuffles_in_halves(unsigned* out) {
  unsigned const t = threadIdx.x;
  unsigned x = 100 + t;
  if (t < 2)
    x = __shfl_xor_sync(0x3u, x, 1);
  else
    x = __reduce_add_sync(0xcu, x);
  out[t] = x;
}
TEST(trace, operations_of_some_lanes_have_their_mask_and_values) {
  for (auto const how : every_schedule) {
    sim::machine m({.trace = true, .how = how, .seed = 1});
    auto* const out = m.allocate<unsigned>(4, "out");
    m.launch({.threads = {4}}, shuffles_in_halves, out);
    auto is = trace_of(m, 0xf);
    std::ranges::sort(is.steps);
    EXPECT_EQ(is.steps, (lines{"shuffle mask 3 0<1=101 1<0=100",
                               "store out s1 l1 0=101c 1=100c "
                               "2=205c 3=205c",
                               "vote mask 12 2=205 3=205"}));
  }
}

__global__ void conflicts_in_the_banks(unsigned* out) {
  __shared__ unsigned tile[128];
  unsigned const t = threadIdx.x;
  tile[32 * t] = t;
  __syncthreads();
  out[t] = tile[32 * (t / 2)];
}
TEST(trace, steps_have_their_wavefronts_and_conflicts) {
  sim::machine m({.trace = true});
  auto* const out = m.allocate<unsigned>(4, "out");
  m.launch({.threads = {4}}, conflicts_in_the_banks, out);
  EXPECT_EQ(trace_of(m, 0xf).steps, (lines{"store shared:tile w4 c3 0=0c 32=1c 64=2c 96=3c",
                                           "barrier", "load shared:tile w2 c1 0=0 0=0 32=1 32=1",
                                           "store out s1 l1 0=0c 1=0c 2=1c "
                                           "3=1c"}));
}

__global__ void waits_for_a_block(unsigned* out) {
  if (blockIdx.x == 0) {
    while (atomicAdd(&out[0], 0u) == 0) {
    }
    out[2] = 1;
  } else {
    for (unsigned i = 0; i < 50; ++i) out[1] = i;
    atomicExch(&out[0], 1u);
  }
}
/// A poll is as late as its last repetition: after it, and before the change, there is no other.
TEST(trace, a_poll_is_made_when_it_was_repeated_last) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin}) {
    sim::machine m({.trace = true, .how = how});
    auto* const out = m.allocate<unsigned>(3, "out");
    m.fill(out, 3, 0u);
    m.launch({.blocks = {2}, .threads = {1}}, waits_for_a_block, out);
    std::uint64_t poll = 0, change = 0, seen = 0, first_store = 0, polls = 0;
    for (auto const& s : m.result().trace.launches[0].steps)
      for (auto const& e : s.lanes) {
        if (s.kind == sim::step_kind::store && s.block == 1 && first_store == 0)
          first_store = e.when;
        if (s.kind != sim::step_kind::atomic) continue;
        if (s.block == 1)
          change = e.when;
        else if (e.polls != 0)
          poll = e.when, polls = e.polls;
        else
          seen = e.when;
      }
    EXPECT_EQ(polls, m.result().total().polls);
    EXPECT_LT(poll, change);
    if (how == sim::schedule::in_order)
      EXPECT_EQ(poll, polls + 1);  // all of them before the other block begins
    else
      EXPECT_GT(poll, first_store);
    EXPECT_LT(change, seen);
  }
}

}  // namespace
}  // namespace upsweep::sim_test
