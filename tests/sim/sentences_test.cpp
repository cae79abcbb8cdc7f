/// Whole sentences about mistakes of kernels and about shapes that no GPU takes.
#include "sim/destructive.hpp"
#include "sim/found.hpp"

#include <upsweep/core/errors.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

using run = std::function<void(sim::machine&, int*)>;

std::vector<std::string> found_in(run const& launch, sim::options const& how = {}) {
  sim::machine m(how);
  auto* const out = m.allocate<int>(64, "out");
  m.fill(out, 64, 0);
  try {
    launch(m, out);
  } catch (sim::kernel_failure const&) {
  }
  return found_by(m);
}
void expect(run const& launch, std::vector<std::string> const& sentences) {
  EXPECT_EQ(found_in(launch), sentences);
}
template <class... Parameters>
run of(void (*kernel)(Parameters...), simt::launch_shape const& shape = {.threads = {32}}) {
  return [=](sim::machine& m, int* out) {
    if constexpr (sizeof...(Parameters) == 1) {
      m.launch(shape, kernel, out);
    } else {
      auto* const in = m.allocate<int>(32, "in");
      m.fill(in, 32, 1);
      m.launch(shape, kernel, static_cast<int const*>(in), out);
    }
  };
}

TEST(sentences, about_addresses) {
  expect(of(shifted_load), {"out of bounds 0.0: thread 0 of block 0 reads element -1 of buffer "
                            "'in' at @, which has 32 elements"});
  expect(of(writes_past_the_end, {.threads = {64}}),
         {"out of bounds 0.63: thread 63 of block 0 writes element 64 of buffer 'out' at @, which "
          "has 64 elements"});
  expect(of(leaves_shared_memory),
         {"out of bounds 0.31: thread 31 of block 0 reads element 32 of the shared array 'tile' at "
          "@, which has 32 elements"});
  expect(of(follows_a_null_pointer, {.threads = {1}}),
         {"out of bounds 0.0: thread 0 of block 0 reads through a null pointer at @"});
  expect(of(reads_unwritten_shared_memory),
         {"uninitialized read 0.31 x16: thread 31 of block 0 reads element 31 of the shared array "
          "'tile' at @, which has never been written: shared memory is uninitialized when a block "
          "starts"});
  expect(of(misaligned_vector, {.threads = {1}}),
         {"misaligned access 0.0: thread 0 of block 0 reads 8 bytes at byte 4 of buffer 'in' at @: "
          "an access of this type must start at a multiple of 8 bytes"});
}

template <class T>
__global__ void reads_at(T* x, unsigned i) {
  x[0] = x[i];
}
template <class T>
void expect_element_before() {
  expect(
      [](sim::machine& m, int*) {
        auto* const x = m.allocate<T>(4, "x");
        m.fill(x, 4, T{});
        m.launch({.threads = {1}}, reads_at<T>, x, 0u - 1u);
      },
      {"out of bounds 0.0: thread 0 of block 0 reads element -1 of buffer 'x' at @, which has 4 "
       "elements"});
}
TEST(sentences, about_unsigned_indices_below_zero_name_the_element_before) {
  expect_element_before<char>();
  expect_element_before<short>();
  expect_element_before<float>();
  expect_element_before<double>();
  expect_element_before<simt::packed<float, 4>>();
}

TEST(sentences, about_barriers_and_warps) {
  expect(of(two_barriers), {"divergent barrier 0.1 x16: threads of block 0 wait at two "
                            "different barriers, @ and @ (thread 1 of block 0): every thread of a "
                            "block must reach the same __syncthreads()"});
  expect(of(returns_before_the_barrier),
         {"thread gone before a barrier 0.31: 1 of the 32 threads of block 0 returned before the "
          "barrier at @: every thread of the block must reach it, so threads without work must "
          "skip the work, not the barrier"});
  expect(of(shuffles_from_outside_the_mask),
         {"missing lane 0.0: lane 16 does not take part in the shuffle at @, but its value is "
          "read: it is undefined, and with it what thread 15 of block 0 writes at @"});
  expect(of(is_not_in_its_own_mask),
         {"missing lane 0.0: thread 0 of block 0 takes part in the warp operation at @ but its own "
          "bit is not in the mask: undefined on a GPU"});
  expect(of(traps), {"trap 0.3: thread 3 of block 0 executed __trap() at @"});
}

TEST(sentences, about_memory_and_promises) {
  expect(of(declares_much),
         {"out of bounds 0.0: 'kernel' declares 52000 bytes of shared memory with the array "
          "'second', but a block has 49152 for declared arrays: use extern __shared__, or smaller "
          "tiles"});
  expect(of(declares_a_little, {.threads = {32}, .shared_bytes = 232448}),
         {"out of bounds 0.0: 'kernel' needs 232576 bytes of shared memory, declared and dynamic, "
          "with the array 'tile', but a block has 232448: use smaller tiles"});
  expect(of(declares_a_little, {.threads = {32}, .shared_bytes = 232320}), {});
  expect(of(counts_globally, {.blocks = {8}, .threads = {32}, .independent_blocks = true}),
         {"broken promise 0.0: 'kernel' was launched with .independent_blocks = true, but thread 0 "
          "of block 0 updates global memory atomically at @: remove .independent_blocks if the "
          "blocks communicate"});
}

TEST(sentences, name_threads_and_blocks_by_as_many_coordinates_as_there_are) {
  auto const name = [](simt::extent3 blocks, simt::extent3 threads) {
    auto const found = found_in(of(traps, {.blocks = blocks, .threads = threads}));
    std::string const all = found.empty() ? "" : found.back();
    return all.substr(0, all.find(" executed"));
  };
  EXPECT_EQ(name({1}, {4}), "trap 0.3: thread 3 of block 0");
  EXPECT_EQ(name({1, 2}, {4, 2}), "trap 0.3: thread (3,0) of block (0,0)");
  EXPECT_EQ(name({1, 1, 2}, {4, 1, 2}), "trap 0.3: thread (3,0,0) of block (0,0,0)");
}

/// "accepted", or the sentence.
std::string said_of(simt::launch_shape const& shape) {
  sim::machine m;
  auto* const out = m.allocate<int>(32, "out");
  m.fill(out, 32, 0);
  try {
    m.launch(shape, +[](int const*, int*) {}, out, out);
  } catch (precondition_error const& refusal) {
    return refusal.what();
  }
  return "accepted";
}

struct limit {
  simt::launch_shape at, behind;
  std::string sentence;
};
void expect_limits(std::vector<limit> const& all) {
  for (auto const& [at, behind, sentence] : all) {
    EXPECT_EQ(said_of(at), "accepted") << sentence;
    EXPECT_EQ(said_of(behind), "launch of 'k': " + sentence);
  }
}

TEST(sentences, about_blocks_and_grids_begin_behind_the_limit) {
  std::string const empty = "skip the launch when there is nothing to do";
  expect_limits({
      {{.name = "k", .threads = {1024}},
       {.name = "k", .threads = {1025}},
       "threads.x is 1025, and a block has 1 to 1024 threads along x: use more blocks"},
      {{.name = "k", .threads = {1, 1024}},
       {.name = "k", .threads = {1, 1025}},
       "threads.y is 1025, and a block has 1 to 1024 threads along y: use more blocks"},
      {{.name = "k", .threads = {1, 1, 64}},
       {.name = "k", .threads = {1, 1, 65}},
       "threads.z is 65, and a block has 1 to 64 threads along z: make x or y the long side of the "
       "block"},
      {{.name = "k", .threads = {16, 64}},
       {.name = "k", .threads = {41, 25}},
       "the product of threads is 1025, and a block has 1 to 1024 threads: use more blocks"},
      {{.name = "k", .threads = {1}},
       {.name = "k", .threads = {0}},
       "threads.x is 0, and a block has 1 to 1024 threads along x: " + empty},
      {{.name = "k", .blocks = {2}, .threads = {1}},
       {.name = "k", .blocks = {0x80000000u}, .threads = {1}},
       "blocks.x is 2147483648, and a grid has 1 to 2147483647 blocks along x: let each block do "
       "more"},
      {{.name = "k", .blocks = {1, 2}, .threads = {1}},
       {.name = "k", .blocks = {1, 65536}, .threads = {1}},
       "blocks.y is 65536, and a grid has 1 to 65535 blocks along y: make x the long side of the "
       "grid"},
      {{.name = "k", .blocks = {1, 1, 2}, .threads = {1}},
       {.name = "k", .blocks = {1, 1, 65536}, .threads = {1}},
       "blocks.z is 65536, and a grid has 1 to 65535 blocks along z: make x the long side of the "
       "grid"},
  });
  EXPECT_EQ(said_of({.blocks = {16777215}, .threads = {1}}),
            "launch: the emulator takes up to 16777214 blocks");
}

TEST(sentences, about_clusters_and_shared_memory_begin_behind_the_limit) {
  expect_limits({
      {{.name = "k", .blocks = {16}, .threads = {1}, .cluster = 16},
       {.name = "k", .blocks = {17}, .threads = {1}, .cluster = 17},
       "cluster.x is 17, and a cluster has 1 to 16 blocks: 8 run on every GPU with clusters, 16 "
       "where a kernel asks for it"},
      {{.name = "k", .blocks = {1, 16}, .threads = {1}, .cluster = {1, 16}},
       {.name = "k", .blocks = {1, 17}, .threads = {1}, .cluster = {1, 17}},
       "cluster.y is 17, and a cluster has 1 to 16 blocks: 8 run on every GPU with clusters, 16 "
       "where a kernel asks for it"},
      {{.name = "k", .blocks = {1, 1, 16}, .threads = {1}, .cluster = {1, 1, 16}},
       {.name = "k", .blocks = {1, 1, 17}, .threads = {1}, .cluster = {1, 1, 17}},
       "cluster.z is 17, and a cluster has 1 to 16 blocks: 8 run on every GPU with clusters, 16 "
       "where a kernel asks for it"},
      {{.name = "k", .blocks = {4, 4}, .threads = {1}, .cluster = {4, 4}},
       {.name = "k", .blocks = {3, 6}, .threads = {1}, .cluster = {3, 6}},
       "the product of cluster is 18, and a cluster has 1 to 16 blocks: 8 run on every GPU with "
       "clusters, 16 where a kernel asks for it"},
      {{.name = "k", .threads = {1}, .shared_bytes = 232448},
       {.name = "k", .threads = {1}, .shared_bytes = 232449},
       "shared_bytes is 232449, and a block has 0 to 232448 bytes of shared memory: use smaller "
       "tiles"},
      {{.name = "k", .blocks = {4}, .threads = {1}, .cluster = 2},
       {.name = "k", .blocks = {5}, .threads = {1}, .cluster = 2},
       "blocks.x is 5, and must be a multiple of the cluster, which is 2"},
      {{.name = "k", .blocks = {1, 6}, .threads = {1}, .cluster = {1, 3}},
       {.name = "k", .blocks = {1, 7}, .threads = {1}, .cluster = {1, 3}},
       "blocks.y is 7, and must be a multiple of the cluster, which is 3"},
      {{.name = "k", .blocks = {1, 1, 6}, .threads = {1}, .cluster = {1, 1, 3}},
       {.name = "k", .blocks = {1, 1, 7}, .threads = {1}, .cluster = {1, 1, 3}},
       "blocks.z is 7, and must be a multiple of the cluster, which is 3"},
  });
}

/// A finding has the number of its launch.
TEST(sentences, belong_to_the_launch_in_which_they_were_found_first) {
  sim::machine m;
  auto* const out = m.allocate<int>(64, "out");
  m.fill(out, 64, 0);
  simt::launch_shape const shape{.threads = {32}};
  m.launch(shape, copies, static_cast<int const*>(out), out + 32);
  for (int i = 0; i < 2; ++i) m.launch(shape, reads_unwritten_shared_memory, out);
  ASSERT_EQ(m.result().findings.size(), 1u);
  EXPECT_EQ(m.result().findings[0].launch, 1u);
  EXPECT_EQ(m.result().findings[0].occurrences, 32u);
  m.clear_result();
  EXPECT_TRUE(m.result().findings.empty() && m.result().launches.empty());
  m.launch(shape, reads_unwritten_shared_memory, out);
  ASSERT_EQ(m.result().findings.size(), 1u);
  EXPECT_EQ(m.result().findings[0].launch, 0u);
}

}  // namespace
}  // namespace upsweep::sim_test
