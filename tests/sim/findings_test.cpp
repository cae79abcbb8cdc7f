/// All that is found in small kernels with one mistake each: kind, threads, and whole sentences.
#include "sim/found.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

template <class... Parameters, class... Arguments>
std::vector<std::string> found_in(sim::options const& how, simt::launch_shape const& shape,
                                  void (*kernel)(int*, Parameters...), Arguments... arguments) {
  sim::machine m(how);
  auto* const x = m.allocate<int>(512, "x");
  m.fill(x, 512, 0);
  try {
    m.launch(shape, kernel, x, arguments...);
  } catch (sim::kernel_failure const&) {
  }
  return found_by(m);
}

/// What a thread of `accesses` does with element 0.
enum class what { nothing, reads, writes, writes_own, adds, swaps, adds_plainly };

__device__ void access(int* x, what how, int own) {
  switch (how) {
    case what::reads: {
      int const y = x[0];
      x[128 + own] = y;
      return;
    }
    case what::writes:
      x[0] = 7;
      return;
    case what::writes_own:
      x[0] = own;
      return;
    case what::adds:
      atomicAdd(&x[0], 1);
      return;
    case what::swaps: {
      int const before = x[0];
      atomicCAS(&x[0], before, before + 1);
      return;
    }
    case what::adds_plainly:
      x[0] += 1;
      return;
    case what::nothing:
      return;
  }
}
__global__ void accesses(int* x, int one, what first, int other, what second) {
  int const t = static_cast<int>(threadIdx.x), all = static_cast<int>(blockDim.x * gridDim.x),
            i = static_cast<int>(blockIdx.x * blockDim.x) + t;
  if (i == one || i == other) access(x, i == one ? first : second, i);
  if (i >= all) x[i] = 0;
}

std::string const add_barrier =
    "; nothing orders the two accesses, so either may come first: add a __syncthreads() between "
    "them";
std::string const or_of_warp = ", or a __syncwarp() if only lanes of one warp are involved";
std::string const split_launch =
    "; nothing orders the two blocks, so either may come first: split the kernel into two "
    "launches, or publish the data with a flag and fences";
std::string const same_value =
    "; both write the same value, so the order does not matter here, but CUDA does not promise "
    "the result of such a race: let one thread write it, or use atomicExch()";
std::string const both_update =
    "; both update the element, and one of two concurrent updates is lost: use the atomic "
    "function of the update, such as atomicAdd() or atomicMax(), or a loop with atomicCAS()";

/// Threads `one` and `other` of blocks of 64 threads do that, in this order.
struct two_accesses {
  int one;
  what first;
  int other;
  what second;
  std::string said, advice;  ///< "writes" and "reads" are what the later and the earlier one did
};
void expect_race(two_accesses const& r) {
  bool const in_block = r.one / 64 == r.other / 64;
  std::string const place = std::to_string(r.one / 64) + "." + std::to_string(r.one % 64),
                    later = std::to_string(r.other / 64) + "." + std::to_string(r.other % 64);
  auto const thread = [](int i) {
    return "thread " + std::to_string(i % 64) + " of block " + std::to_string(i / 64) + " ";
  };
  std::size_t const middle = r.said.find(", ");
  std::string const times = r.first == what::adds_plainly ? " x2" : "";
  EXPECT_EQ(
      found_in({}, {.blocks = {3}, .threads = {64}}, accesses, r.one, r.first, r.other, r.second),
      std::vector<std::string>{(in_block ? "race in a block " : "race between blocks ") + place +
                               " " + later + times + ": " + thread(r.other) +
                               r.said.substr(0, middle) + " element 0 of buffer 'x' at @; " +
                               thread(r.one) + r.said.substr(middle + 2) + " it at @" + r.advice});
}

TEST(findings, races_in_a_block_say_who_did_what_and_what_to_do) {
  using enum what;
  for (two_accesses const& r : {
           two_accesses{0, reads, 33, writes, "writes, reads", add_barrier},
           {0, writes, 33, reads, "reads, writes", add_barrier},
           {31, writes_own, 32, writes_own, "writes, writes", add_barrier},
           {32, writes_own, 63, writes_own, "writes, writes", add_barrier + or_of_warp},
           {1, writes, 40, writes, "writes, writes", same_value},
           {3, adds_plainly, 4, adds_plainly, "reads, writes", both_update},
           {0, writes, 33, adds, "writes (atomically), writes", add_barrier},
           {0, reads, 33, adds, "writes (atomically), reads", add_barrier},
           {0, adds, 33, reads, "reads, writes", add_barrier},
           {0, adds, 33, writes, "writes, writes", add_barrier},
       })
    expect_race(r);
}

TEST(findings, races_between_blocks_say_who_did_what_and_what_to_do) {
  using enum what;
  for (two_accesses const& r : {
           two_accesses{1, reads, 65, writes, "writes, reads", split_launch},
           {1, writes_own, 65, writes_own, "writes, writes", split_launch},
           {1, writes, 129, writes, "writes, writes", same_value},
           {0, adds, 64, writes, "writes, writes", split_launch},
           {0, writes, 64, adds, "writes (atomically), writes", split_launch},
           {0, reads, 191, adds, "writes (atomically), reads", split_launch},
       })
    expect_race(r);
}

TEST(findings, reads_and_atomics_of_two_threads_are_no_race) {
  using enum what;
  for (auto const& [first, second] : {std::pair{reads, reads},
                                      {adds, adds},
                                      {swaps, adds},
                                      {adds, swaps},
                                      {swaps, swaps},
                                      {reads, nothing}})
    for (int const other : {1, 33, 64, 130})
      EXPECT_EQ(found_in({}, {.blocks = {3}, .threads = {64}}, accesses, 0, first, other, second),
                std::vector<std::string>{});
}

/// Three accesses of block 0: barriers between them order neighbors only.
__global__ void accesses_in_phases(int* x, what first, what second, what third, bool first_meet,
                                   bool then_meet) {
  int const t = static_cast<int>(threadIdx.x);
  if (t == 0) access(x, first, t);
  if (first_meet) __syncthreads();
  if (t == 40) access(x, second, t);
  if (then_meet) __syncthreads();
  if (t == 80) access(x, third, t);
}
TEST(findings, each_pair_of_three_accesses_is_compared) {
  auto const pairs = [](what first, what second, what third, bool a, bool b) {
    std::string all;
    sim::machine m;
    auto* const x = m.allocate<int>(512, "x");
    m.fill(x, 512, 0);
    m.launch({.threads = {96}}, accesses_in_phases, x, first, second, third, a, b);
    for (auto const& f : m.result().findings) {
      auto const threads = std::minmax(f.first_thread->thread, f.second_thread->thread);
      all += std::to_string(threads.first) + " " + std::to_string(threads.second) + "; ";
    }
    return all;
  };
  using enum what;
  EXPECT_EQ(pairs(writes_own, adds, reads, true, true), "");
  EXPECT_EQ(pairs(writes_own, adds, reads, false, true), "0 40; ");
  EXPECT_EQ(pairs(writes_own, adds, reads, true, false), "40 80; ");
  EXPECT_EQ(pairs(writes_own, reads, adds, true, false), "40 80; ");
  EXPECT_EQ(pairs(reads, reads, writes, false, true), "");
  EXPECT_EQ(pairs(reads, reads, writes, true, false), "40 80; ");
  EXPECT_EQ(pairs(reads, adds, writes, true, false), "40 80; ");
  EXPECT_EQ(pairs(adds, adds, reads, false, true), "");
  EXPECT_EQ(pairs(adds, reads, writes, true, false), "40 80; ");
  EXPECT_EQ(pairs(adds, reads, adds, true, true), "");
  EXPECT_EQ(pairs(writes_own, writes_own, reads, false, true), "0 40; ");
  EXPECT_EQ(pairs(writes_own, reads, reads, true, false), "");
}

/// The same, but the third thread is in another block, which nothing orders with the first.
__global__ void accesses_of_another_block(int* x, what first, what second, what third) {
  int const t = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0) {
    if (t == 0) access(x, first, t);
    __syncthreads();
    if (t == 40) access(x, second, t);
  } else if (t == 7) {
    access(x, third, t);
  }
}
TEST(findings, each_earlier_access_of_another_block_is_compared) {
  auto const pairs = [](what first, what second, what third) {
    std::string all;
    for (auto const& f : found_in({}, {.blocks = {2}, .threads = {64}}, accesses_of_another_block,
                                  first, second, third)) {
      std::string const begin = "race between blocks 0.";
      EXPECT_TRUE(f.starts_with(begin)) << f;
      EXPECT_NE(f.find(f.find(" 1.7: thread 7 of block 1 ") == f.npos ? "?" : " it at @"), f.npos);
      all += f.substr(begin.size(), f.find(' ', begin.size()) - begin.size());
      all += f.find("block 0 writes it") != f.npos ? "w; " : "r; ";
    }
    return all;
  };
  using enum what;
  EXPECT_EQ(pairs(writes_own, adds, reads), "0w; 40w; ");
  EXPECT_EQ(pairs(writes_own, adds, writes_own), "40w; 0w; ");
  EXPECT_EQ(pairs(writes_own, reads, writes_own), "40r; 0w; ");
  EXPECT_EQ(pairs(writes_own, reads, reads), "0w; ");
  EXPECT_EQ(pairs(writes_own, writes_own, reads), "40w; ");
  EXPECT_EQ(pairs(reads, reads, adds), "40r; ");  // of several reads the last
  EXPECT_EQ(pairs(adds, adds, adds), "");
  EXPECT_EQ(pairs(nothing, adds, adds), "");
  EXPECT_EQ(pairs(writes_own, adds, adds), "0w; ");
}

/// Block 1 updates a counter of its own, which is no flag between the blocks.
__global__ void counts_beside(int* x, bool own) {
  if (blockIdx.x == 0) {
    x[0] = 5;
    if (!own) atomicAdd(&x[1], 1);
  } else {
    atomicAdd(&x[1], 1);
    atomicAdd(&x[1], 1);
    x[2] = x[0];
  }
}
TEST(findings, a_flag_is_what_the_other_block_has_written) {
  std::string const begin =
      "thread 0 of block 1 reads element 0 of buffer 'x' at @; thread 0 of "
      "block 0 writes it at @";
  EXPECT_EQ(found_in({}, {.blocks = {2}, .threads = {1}}, counts_beside, true),
            std::vector<std::string>{"race between blocks 0.0 1.0: " + begin + split_launch});
  EXPECT_EQ(found_in({}, {.blocks = {2}, .threads = {1}}, counts_beside, false),
            std::vector<std::string>{
                "missing fence 0.0 1.0: " + begin +
                "; a flag, element 1 of buffer 'x', which is read at @, orders the two threads, "
                "but no fence orders the data: call __threadfence() after writing the data and "
                "before setting the flag, and again after seeing the flag and before accessing "
                "the data; if another thread of the block sets the flag, put a __syncthreads() "
                "between the first fence and the flag"});
}

/// The last of many readers is not in order with the write, or only the first.
__global__ void many_read(int* x, int readers, int late, int writer) {
  int const t = static_cast<int>(threadIdx.x);
  if (t < readers && t != late) x[128 + t] = x[0];
  __syncthreads();
  if (t == late) x[128 + t] = x[0];
  if (t == writer) x[0] = 1;
}
TEST(findings, one_unordered_reader_of_many_is_found) {
  for (int const readers : {1, 2, 3, 33, 64})
    for (int const late : {0, 1, readers - 1}) {
      if (late >= readers) continue;
      auto const found = found_in({}, {.threads = {128}}, many_read, readers, late, 70);
      ASSERT_EQ(found.size(), 1u) << readers << " readers, late " << late;
      EXPECT_EQ(found[0], "race in a block 0." + std::to_string(late) +
                              " 0.70: thread 70 of "
                              "block 0 writes element 0 of buffer 'x' at @; thread " +
                              std::to_string(late) + " of block 0 reads it at @" + add_barrier);
      EXPECT_TRUE(found_in({}, {.threads = {128}}, many_read, readers, -1, 70).empty());
    }
}

__global__ void reads_shifted(int* x, int bytes, bool stores) {
  auto* const at = reinterpret_cast<int*>(reinterpret_cast<char*>(x) + bytes);
  if (stores)
    *at = 1;
  else
    x[1] = *at;
}
TEST(findings, accesses_at_any_wrong_byte_are_misaligned) {
  for (int const byte : {1, 2, 3, 5})
    for (bool const stores : {false, true})
      for (bool const counts : {false, true}) {
        auto const found =
            found_in({.count = counts}, {.threads = {1}}, reads_shifted, byte, stores);
        ASSERT_EQ(found.size(), 1u) << byte;
        EXPECT_EQ(found[0], std::string("misaligned access 0.0: thread 0 of block 0 ") +
                                (stores ? "writes" : "reads") + " 4 bytes at byte " +
                                std::to_string(byte) +
                                " of buffer 'x' at @: an access of this "
                                "type must start at a multiple of 4 bytes");
      }
}

__global__ void reads_room(int* x, int index) {
  extern __shared__ int room[];
  x[0] = room[index];
}
TEST(findings, dynamic_shared_memory_ends_where_the_launch_says) {
  for (unsigned const elements : {0u, 1u, 5u}) {
    auto const found = found_in({}, {.threads = {1}, .shared_bytes = 4 * elements}, reads_room,
                                static_cast<int>(elements));
    ASSERT_EQ(found.size(), 1u) << elements;
    EXPECT_EQ(found[0], "out of bounds 0.0: thread 0 of block 0 reads element " +
                            std::to_string(elements) +
                            " of the dynamic shared array 'room' at @, which has " +
                            std::to_string(elements) + " elements");
  }
}

/// Threads that wait for what does not come: the sentence has the first three.
enum class place { barrier, cluster, shuffle, poll, gone };
__global__ void waits_at(int* x, int n, place const* where) {
  int const t = static_cast<int>(threadIdx.x);
  place const here = t < n ? where[t] : place::gone;
  if (here == place::barrier) __syncthreads();
  if (here == place::cluster) cooperative_groups::this_cluster().sync();
  if (here == place::shuffle) x[t] = __shfl_sync(0xffffffffu, t, 0);
  if (here == place::poll)
    while (atomicAdd(&x[2], 0) == 0) {
    }
}
TEST(findings, deadlocks_name_three_threads_and_what_they_wait_for) {
  auto const sentence = [](std::vector<place> const& where, unsigned blocks, unsigned cluster = 1) {
    sim::machine m({.resident_blocks = 4});
    auto* const x = m.allocate<int>(64, "x");
    m.fill(x, 64, 0);
    auto* const places = m.allocate<place>(where.size(), "places");
    m.to_device(places, where);
    try {
      m.launch({.name = "waits", .blocks = {blocks}, .threads = {where.size()}, .cluster = cluster},
               waits_at, x, static_cast<int>(where.size()), static_cast<place const*>(places));
    } catch (sim::kernel_failure const&) {
    }
    auto const found = found_by(m);
    return found.empty() ? "" : found.back();
  };
  using enum place;
  std::string const begin = "no thread can make progress in 'waits': ";
  EXPECT_EQ(sentence({barrier, cluster, barrier, cluster}, 1),
            "deadlock: " + begin +
                "thread 0 of block 0 waits at __syncthreads() at @; thread 1 of block 0 waits at "
                "the cluster barrier at @; thread 2 of block 0 waits at __syncthreads() at @; and "
                "1 more");
  EXPECT_EQ(sentence({barrier, cluster, barrier}, 1),
            "deadlock: " + begin +
                "thread 0 of block 0 waits at __syncthreads() at @; thread 1 of block 0 waits at "
                "the cluster barrier at @; thread 2 of block 0 waits at __syncthreads() at @");
  std::string const shuffles = " of block 0 waits for the lanes of its mask at @, but ";
  EXPECT_EQ(sentence({barrier, shuffle}, 1),
            "missing lane: " + begin + "thread 1" + shuffles +
                "thread 0 of block 0 does not arrive: it waits at __syncthreads() at @; thread 0 "
                "of block 0 waits at __syncthreads() at @");
  EXPECT_EQ(sentence({cluster, shuffle, barrier, shuffle, cluster}, 1),
            "missing lane: " + begin + "thread 1" + shuffles +
                "thread 0 of block 0 and 2 other lanes do not arrive: it waits at the cluster "
                "barrier at @; thread 3" +
                shuffles +
                "thread 0 of block 0 and 2 other lanes do not arrive: it waits at the cluster "
                "barrier at @; thread 0 of block 0 waits at the cluster barrier at @; and 2 more");
  std::string const polls =
      "thread 0 of block 0 polls element 2 of buffer 'x' at @ without seeing a change";
  EXPECT_EQ(
      sentence({poll, barrier}, 1),
      "no progress: " + begin + polls + "; thread 1 of block 0 waits at __syncthreads() at @");
  for (unsigned const of_cluster : {1u, 2u, 4u}) {
    std::string const found = sentence({poll, gone, barrier}, 12, of_cluster);
    EXPECT_TRUE(found.starts_with("no progress: " + begin + polls + "; thread 0 of block 1 polls "))
        << found;
    EXPECT_TRUE(found.ends_with(
        "; and 5 more; 8 blocks have not started and cannot start before a resident block ends: a "
        "block must not wait for one that may start after it (take tile numbers from an atomic "
        "counter)"))
        << found;
  }
}

}  // namespace
}  // namespace upsweep::sim_test
