/// Every counter of small kernels, with what the kernel's source says about it; all others are 0.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

using sim::counters;

/// The counters of one launch on every schedule, with checks and without.
template <class... Parameters, class... Arguments>
void expect_counts(counters const& expected, simt::launch_shape const& shape,
                   void (*kernel)(unsigned*, Parameters...), Arguments... arguments) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin, sim::schedule::random,
                         sim::schedule::lockstep})
    for (bool const checks : {true, false}) {
      sim::machine m({.check = checks, .how = how, .seed = 2});
      auto* const out = m.allocate<unsigned>(1024, "out");
      m.fill(out, 1024, 0u);
      m.launch(shape, kernel, out, arguments...);
      counters const& c = m.result().launches.at(0).total;
      for_each_count(c, expected,
                     [](std::uint64_t is, std::uint64_t wanted) { EXPECT_EQ(is, wanted); });
      EXPECT_EQ(c.span, expected.span);
      EXPECT_EQ(c, expected) << "schedule " << static_cast<int>(how) << ", checks " << checks;
      counters lines;
      for (auto const& line : m.result().launches[0].lines) add_beside(lines, line.counts);
      lines.span = expected.span;
      lines.polls = expected.polls;
      EXPECT_EQ(lines, expected);
    }
}

__global__ void one_differs(unsigned* out) {
  if (threadIdx.x == 0)
    out[0] = 1;
  else
    out[threadIdx.x] = 2;
}
TEST(counts, lanes_on_paths_of_one_length_step_apart) {
  expect_counts({.steps = 2,
                 .active_lanes = 32,
                 .divergent_steps = 2,
                 .global_requests = 2,
                 .sectors_stored = 5,
                 .lines_stored = 2,
                 .global_stores = 32},
                {.threads = {32}}, one_differs);
}

__global__ void stores_and_returns(unsigned* out) {
  if (threadIdx.x % 64 >= 40) return;
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = 2;
}
/// A warp with 32 lanes and one with 8 of 32: its steps are divergent, and so is its barrier.
TEST(counts, lanes_that_have_returned_make_steps_divergent) {
  for (bool const is_last_whole : {true, false}) {
    counters const expected{.steps = 6,
                            .active_lanes = 120,
                            .divergent_steps = is_last_whole ? 3u : 0u,
                            .global_requests = 4,
                            .sectors_stored = 10,
                            .lines_stored = 4,
                            .global_stores = 80,
                            .barriers = 1};
    sim::machine m({.check = false});
    auto* const out = m.allocate<unsigned>(64, "out");
    m.launch({.threads = {is_last_whole ? 64 : 40}}, stores_and_returns, out);
    EXPECT_EQ(m.result().total(), expected);
  }
}

__global__ void words_of_half_a_warp(unsigned* out) {
  unsigned const t = threadIdx.x;
  if (t < 16) {
    unsigned x = __shfl_xor_sync(0xffffu, t, 1);
    x += __ballot_sync(0xffffu, x > 3);
    x += __reduce_add_sync(0xffffu, x);
    __syncwarp(0xffffu);
    __threadfence();
    __threadfence_block();
    out[t] = x;
  }
}
TEST(counts, warp_operations_of_some_lanes_are_divergent_steps) {
  expect_counts({.steps = 7,
                 .active_lanes = 7 * 16,
                 .divergent_steps = 7,
                 .global_requests = 1,
                 .sectors_stored = 2,
                 .lines_stored = 1,
                 .global_stores = 16,
                 .shuffles = 1,
                 .votes = 2,
                 .warp_syncs = 1,
                 .fences = 2},
                {.threads = {32}}, words_of_half_a_warp);
}

__global__ void words_of_a_warp(unsigned* out) {
  unsigned x = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
  x += __ballot_sync(0xffffffffu, x > 3) + __match_any_sync(0xffffffffu, x);
  __syncwarp();
  out[threadIdx.x] = x;
  __syncwarp();
}
TEST(counts, warp_operations_of_all_lanes_are_whole_steps) {
  expect_counts({.steps = 12,
                 .active_lanes = 12 * 32,
                 .global_requests = 2,
                 .sectors_stored = 8,
                 .lines_stored = 2,
                 .global_stores = 64,
                 .shuffles = 2,
                 .votes = 4,
                 .warp_syncs = 4},
                {.threads = {64}}, words_of_a_warp);
}

__global__ void atomics_of_two_kinds(unsigned* out) {
  __shared__ unsigned bins[4];
  unsigned const t = threadIdx.x;
  if (t < 4) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t % 4], 1u);                 // 8 lanes an address
  atomicAdd(&out[t / 2], 1u);                  // 2 lanes an address
  if (t % 3 == 0) atomicMax(&out[64], t + 1);  // 11 lanes
}
TEST(counts, atomics_take_a_round_for_each_lane_of_one_address) {
  expect_counts({.steps = 5,
                 .active_lanes = 4 + 32 + 32 + 32 + 11,
                 .divergent_steps = 2,
                 .shared_requests = 1,
                 .shared_wavefronts = 1,
                 .shared_stores = 4,
                 .atomics = 75,
                 .atomic_requests = 3,
                 .atomic_rounds = 8 + 2 + 11,
                 .barriers = 1},
                {.threads = {32}}, atomics_of_two_kinds);
}

template <class T>
__global__ void strides(unsigned* out, unsigned stride) {
  __shared__ T tile[256];
  unsigned const t = threadIdx.x;
  tile[t * stride] = T{};
  T const x = tile[t * stride];
  auto* const to = reinterpret_cast<T*>(out);
  to[t * stride] = x;
  T const y = to[(31 - t) * stride];
  if (t == 32) to[0] = y;
}
struct words {
  unsigned x, y, z;
};
/// Four accesses of 32 lanes; by hand: words in a bank, sectors of 32 and lines of 128 bytes.
TEST(counts, strides_cost_wavefronts_sectors_and_lines) {
  struct {
    unsigned bytes, stride;
    std::uint64_t requests, wavefronts, sectors, lines;
  } const all[]{
      {1, 1, 1, 1, 1, 1},   {1, 8, 1, 2, 8, 2},   {2, 1, 1, 1, 2, 1},    {2, 4, 1, 2, 8, 2},
      {4, 1, 1, 1, 4, 1},   {4, 2, 1, 2, 8, 2},   {4, 3, 1, 1, 12, 3},   {4, 8, 1, 8, 32, 8},
      {8, 1, 1, 2, 8, 2},   {8, 2, 1, 4, 16, 4},  {8, 8, 1, 16, 32, 16}, {16, 1, 1, 4, 16, 4},
      {16, 2, 1, 8, 32, 8}, {12, 1, 3, 3, 36, 9}, {12, 2, 3, 6, 72, 18},
  };
  for (auto const& [bytes, stride, requests, wavefronts, sectors, lines] : all) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes, stride " + std::to_string(stride));
    std::uint64_t const groups = requests * (bytes == 8 ? 2 : bytes == 16 ? 4 : 1);
    counters const expected{.steps = 4,
                            .active_lanes = 128,
                            .shared_requests = 2 * requests,
                            .shared_wavefronts = 2 * wavefronts,
                            .shared_conflicts = 2 * (wavefronts - groups),
                            .shared_loads = 32,
                            .shared_stores = 32,
                            .global_requests = 2 * requests,
                            .sectors_loaded = sectors,
                            .sectors_stored = sectors,
                            .lines_loaded = lines,
                            .lines_stored = lines,
                            .global_loads = 32,
                            .global_stores = 32,
                            .elements_loaded = 32};
    sim::machine m({.check = false});
    auto* const out = m.allocate<unsigned>(1024, "out");
    simt::launch_shape const shape{.threads = {32}};
    if (bytes == 1) m.launch(shape, strides<unsigned char>, out, stride);
    if (bytes == 2) m.launch(shape, strides<unsigned short>, out, stride);
    if (bytes == 4) m.launch(shape, strides<unsigned>, out, stride);
    if (bytes == 8) m.launch(shape, strides<double>, out, stride);
    if (bytes == 16) m.launch(shape, strides<simt::packed<float, 4>>, out, stride);
    if (bytes == 12) m.launch(shape, strides<words>, out, stride);
    EXPECT_EQ(m.result().total(), expected);
  }
}

/// Every lane of a half loads one of two elements, from two buffers and a shared array.
__global__ void several_memories(unsigned* out, unsigned const* other) {
  __shared__ unsigned tile[2];
  unsigned const t = threadIdx.x;
  if (t < 2) tile[t] = t;
  __syncthreads();
  unsigned const* const from = t < 8 ? out + 40 : t < 24 ? other : tile;
  unsigned const x = from[t % 2];
  out[t] = x;
}
TEST(counts, a_step_of_several_memories_makes_a_request_to_each) {
  sim::machine m({.check = false});
  auto *const out = m.allocate<unsigned>(64, "out"), *const other =
                                                         m.allocate<unsigned>(2, "other");
  m.launch({.threads = {32}}, several_memories, out, static_cast<unsigned const*>(other));
  EXPECT_EQ(m.result().total(), (counters{.steps = 4,
                                          .active_lanes = 2 + 96,
                                          .divergent_steps = 1,
                                          .shared_requests = 2,
                                          .shared_wavefronts = 2,
                                          .shared_loads = 8,
                                          .shared_stores = 2,
                                          .global_requests = 3,
                                          .sectors_loaded = 2,
                                          .sectors_stored = 4,
                                          .lines_loaded = 2,
                                          .lines_stored = 1,
                                          .global_loads = 24,
                                          .global_stores = 32,
                                          .elements_loaded = 4,
                                          .barriers = 1}));
  auto const& buffers = m.result().launches[0].buffers;
  EXPECT_EQ(buffers.size(), 3u);
  EXPECT_EQ(buffers.at("out").loads, 8u);
  EXPECT_EQ(buffers.at("out").stores, 32u);
  EXPECT_EQ(buffers.at("other").loads, 16u);
  EXPECT_EQ(buffers.at("other").stores, 0u);
  for (auto const& [name, counts] : buffers)
    if (name.starts_with("shared:")) {
      EXPECT_EQ(counts.loads, 8u);
      EXPECT_EQ(counts.stores, 2u);
    }
}

using sum_of_ints = sim::operation<int>;
__global__ void applies_thrice(unsigned* out, sum_of_ints op) {
  unsigned const t = threadIdx.x;
  int x = op(static_cast<int>(t), 1);
  if (t % 2 == 0) x = op(x, op(2, 3));
  __syncthreads();
  if (t == 1) x = op(x, 4);
  out[blockIdx.x * 32 + t] = static_cast<unsigned>(x);
}
/// The chain: an operator, then op(x, op(2, 3)) after it, then one after the barrier.
TEST(counts, applications_are_counted_by_lane_and_by_the_longest_chain) {
  expect_counts({.steps = 12,
                 .active_lanes = 2 * (32 + 16 + 16 + 32 + 1 + 32),
                 .divergent_steps = 6,
                 .global_requests = 2,
                 .sectors_stored = 8,
                 .lines_stored = 2,
                 .global_stores = 64,
                 .barriers = 2,
                 .operator_steps = 8,
                 .applications = 2 * (32 + 32 + 1),
                 .span = 4},
                {.blocks = {2}, .threads = {32}}, applies_thrice, sum_of_ints(plus{}));
}

__global__ void meets_in_clusters(unsigned* out) {
  auto const cluster = cooperative_groups::this_cluster();
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
  cluster.sync();
}
TEST(counts, barriers_of_a_cluster_count_once) {
  expect_counts({.steps = 20,
                 .active_lanes = 16 * 32 + 4,
                 .divergent_steps = 4,
                 .global_requests = 4,
                 .sectors_stored = 4,
                 .lines_stored = 4,
                 .global_stores = 4,
                 .cluster_barriers = 4},
                {.blocks = {4}, .threads = {64}, .cluster = 2}, meets_in_clusters);
}

__global__ void copies_in_the_background(unsigned* out, unsigned char const* in, unsigned n) {
  __shared__ __align__(16) unsigned char tile[16];
  upsweep_emulated_start_copy(tile, in, 16, n);
  upsweep_emulated_commit_copies();
  upsweep_emulated_wait_for_copies(0);
  for (unsigned i = 0; i < 16; ++i) out[i] = tile[i];
}
/// A part of the bytes of an instruction is read as words or bytes; the rest is zero.
TEST(counts, copies_in_the_background_read_what_they_copy) {
  for (auto const& [n, loads] : {std::pair{16u, 1u},
                                 {12u, 3u},
                                 {8u, 2u},
                                 {6u, 6u},
                                 {4u, 1u},
                                 {1u, 1u},
                                 {0u, 0u},
                                 {20u, 1u}}) {
    sim::machine m;
    auto* const out = m.allocate<unsigned>(16, "out");
    auto* const in = m.allocate<unsigned char>(16, "in");
    std::vector<unsigned char> bytes(16);
    std::vector<unsigned> expected(16);
    for (unsigned i = 0; i < 16; ++i) {
      bytes[i] = static_cast<unsigned char>(i + 1);
      expected[i] = i < n ? i + 1 : 0;
    }
    m.to_device(in, bytes);
    m.launch({.threads = {1}}, copies_in_the_background, out, static_cast<unsigned char const*>(in),
             n);
    EXPECT_EQ(m.to_host(out, 16), expected) << n;
    EXPECT_EQ(m.result().total().global_loads, loads) << n;
    EXPECT_EQ(m.result().total().shared_stores, 1u) << n;
    EXPECT_TRUE(m.result().findings.empty()) << n;
  }
}

__global__ void copies_pieces(unsigned* out, unsigned char const* in, unsigned first, unsigned n) {
  __shared__ __align__(16) unsigned char tile[64];
  upsweep_emulated_start_copies(tile + first, in + first, n);
  upsweep_emulated_commit_copies();
  upsweep_emulated_wait_for_oldest_copies();
  if (n != 0) out[0] = tile[first + n - 1];
}
TEST(counts, longer_copies_have_the_largest_pieces_that_addresses_allow) {
  for (auto const& [first, n, pieces] : {std::tuple{0u, 48u, 3u},
                                         {0u, 40u, 5u},
                                         {0u, 12u, 3u},
                                         {0u, 6u, 3u},
                                         {0u, 7u, 7u},
                                         {8u, 32u, 4u},
                                         {4u, 16u, 4u},
                                         {2u, 8u, 4u},
                                         {1u, 16u, 16u},
                                         {0u, 0u, 0u}}) {
    sim::machine m;
    auto* const out = m.allocate<unsigned>(1, "out");
    auto* const in = m.allocate<unsigned char>(64, "in");
    std::vector<unsigned char> bytes(64);
    for (unsigned i = 0; i < 64; ++i) bytes[i] = static_cast<unsigned char>(i + 1);
    m.to_device(in, bytes);
    m.launch({.threads = {1}}, copies_pieces, out, static_cast<unsigned char const*>(in), first, n);
    EXPECT_EQ(m.result().total().global_loads, pieces) << first << " " << n;
    EXPECT_EQ(m.result().total().shared_stores, pieces) << first << " " << n;
    EXPECT_TRUE(m.result().findings.empty());
    EXPECT_TRUE(n == 0 || m.to_host(out, 1)[0] == first + n);
  }
}

__extension__ typedef __int128 sixteen_bytes;
__global__ void moves_sixteen_bytes(unsigned* out, unsigned* in) {
  auto const* const from = reinterpret_cast<sixteen_bytes const volatile*>(in);
  auto* const to = reinterpret_cast<sixteen_bytes volatile*>(out);
  *to = *from;
}
/// A volatile access of up to 8 bytes is an atomic one, a larger one is plain.
TEST(counts, volatile_accesses_of_sixteen_bytes_are_plain) {
  sim::machine m;
  auto *const out = m.allocate<unsigned>(4, "out"), *const in = m.allocate<unsigned>(4, "in");
  m.to_device(in, std::vector<unsigned>{1, 2, 3, 4});
  m.launch({.threads = {1}}, moves_sixteen_bytes, out, in);
  EXPECT_EQ(m.to_host(out, 4), (std::vector<unsigned>{1, 2, 3, 4}));
  EXPECT_EQ(m.result().total().atomics, 0u);
  EXPECT_EQ(m.result().total().global_loads, 1u);
  EXPECT_EQ(m.result().total().global_stores, 1u);
}

TEST(counts, a_ratio_of_active_lanes_is_the_efficiency) {
  EXPECT_EQ((counters{.steps = 4, .active_lanes = 32}).efficiency(), 0.25);
  EXPECT_EQ(counters{}.efficiency(), 1.0);
  counters a{.steps = 1, .span = 5}, b{.steps = 2, .span = 7};
  add_beside(a, b);
  EXPECT_EQ(a, (counters{.steps = 3, .span = 7}));
  add_beside(a, {.steps = 1, .span = 1});
  EXPECT_EQ(a, (counters{.steps = 4, .span = 7}));
  add_after(a, b);
  EXPECT_EQ(a, (counters{.steps = 6, .span = 14}));
}

}  // namespace
}  // namespace upsweep::sim_test
