/// What the emulator keeps of memory, lanes, warps and blocks while a launch runs.
#pragma once

#include <upsweep/sim/counters.hpp>
#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/trace.hpp>
#include <upsweep/simt/emulated/hooks.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace upsweep::sim {

struct block;

/// The slot of a block's dynamic shared memory.
inline constexpr unsigned dynamic_slot = 0;
/// What unwritten memory holds: a quiet NaN for floats, a large negative number for integers.
inline constexpr unsigned char poison = 0xff;

/// The last write of an element, and the reads since.
struct shadow {
  stamp write = 0;
  stamp read = 0;
};

}  // namespace upsweep::sim

namespace upsweep::simt::emulated {

/// A buffer of the machine, or a shared array of one block.
struct memory {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;                ///< its number, in the high 16 bits: what the log calls it
  sim::shadow* shadows = nullptr;       ///< one for each element; null without checks
  sim::stamp* earlier_reads = nullptr;  ///< for each element that several have read, one read
                                        ///< before that which its shadow keeps
  std::uint32_t element_bytes = 4;
  std::int32_t element_shift = 2;     ///< -1: the size is no power of two
  std::uint64_t identity = 0;         ///< plus an offset: a place that no other memory has
  unsigned slot = 0;                  ///< of a shared array: its place in the block's list
  sim::block* owner = nullptr;        ///< of a shared array
  std::string const* name = nullptr;  ///< of a buffer
  position declared{};                ///< of a shared array

  [[nodiscard]] std::uint64_t element_of(std::uint64_t offset) const {
    return element_shift >= 0 ? offset >> element_shift : offset / element_bytes;
  }
  void set_element(std::uint32_t size) {
    element_bytes = size;
    element_shift = (size & (size - 1)) == 0 ? __builtin_ctz(size) : -1;
  }
};

}  // namespace upsweep::simt::emulated

namespace upsweep::sim {

namespace emulated = simt::emulated;
using emulated::memory;
using emulated::position;

struct warp;
struct block;
struct partial_segment;  // align.hpp

/// What lane i of a warp knows of lane j, by its ticks, after __syncwarp with masks that left lanes
/// out.
struct warp_knowledge {
  std::uint16_t before[32][32] = {};
};

/// What a lane needs only when it meets an atomic, a fence or a warp operation.
struct rare_lane_state {
  emulated::warp_call const* call = nullptr;  // the warp operation it waits in
  std::uint64_t call_pc = 0;
  unsigned source = 0;              // the lane that its last shuffle read
  std::uint64_t access_before = 0;  // what it had accessed last when its turn before this one ended
  std::uint64_t poll_where = 0;     // the last atomic that changed nothing, and what it found
  std::uint64_t poll_value = 0;
  std::uint64_t work_since_poll = 0;  // basic blocks without any access
  std::uint64_t* poll_end = nullptr;  // the end of its log then
  std::uint64_t poll_segment = 0;
  snapshot known = 0;    // acquired since the last barrier
  snapshot pending = 0;  // read by relaxed atomics; a fence makes it known
  snapshot fenced = 0;   // what its last fence released, once something has been published after it
  unsigned fence_tick = 0;  // when that was
  bool fence_is_wide = false;
  std::vector<stamp> heard;  // threads whose atomic writes it has read, whatever that orders
};

/// In the place of an access that a lane remembers: it was a store.
inline constexpr std::uint64_t store_bit = std::uint64_t{1} << 47;

/// What is touched at every switch and every access: one cache line, and a second one where logs
/// are kept.
struct hot_lane_state : emulated::lane_view {
  switch_point left;  // where it waits
  warp* of = nullptr;
  position waits_at{};
  position last_at{};
  std::uint64_t last_access = 0;  // what it accessed last; 0 since the last turn nothing

  std::uint64_t clock =
      0;  // applications on the longest chain that ends here, unless the block's floor is higher
  std::uint64_t* control = nullptr;  // its logs while it does not run
  emulated::access_record* data = nullptr;
  std::uint64_t* control_begin = nullptr;
  std::uint64_t* control_end = nullptr;
  emulated::access_record* data_begin = nullptr;
  std::uint64_t segment = 0;  // whose log it holds
  std::byte* slab = nullptr;  // in which its logs lie; null: somewhere else

  fiber* on = nullptr;  // null: it has not started, or has returned

  [[nodiscard]] std::uint32_t bit() const { return 1u << index % 32; }  // in the warp's masks
};

/// A thread of a block while it is resident.
struct alignas(64) lane : hot_lane_state, rare_lane_state {};

/// How far ahead of the running lane others are fetched into the cache.
inline constexpr std::size_t lanes_ahead = 4;

/// Masks say what each lane is doing; the one that runs is in none of `ready`, `unstarted`, `at_*`,
/// `polling`, `gone`.
struct warp {
  block* of = nullptr;
  unsigned index = 0;
  std::uint32_t exists = 0, unstarted = 0, ready = 0, polling = 0, at_barrier = 0, at_cluster = 0,
                at_operation = 0, gone = 0;
  std::uint64_t segment = 1;
  std::byte* logs = nullptr;                            // of the current segment
  std::vector<std::unique_ptr<std::byte[]>> long_logs;  // of lanes that needed more room
  std::unique_ptr<partial_segment> part;      // when logs became too long to wait for their end
  std::uint32_t full = 0;                     // lanes that wait for room in their logs
  lane* lanes = nullptr;                      // its first lane
  unsigned synchronised = 0;                  // tick of the last __syncwarp of all
  std::unique_ptr<warp_knowledge> knowledge;  // of partial ones
  std::uint16_t left_at[32] =
      {};  // what `synchronised` was when the lane returned: it met nobody afterwards

  warp();
  ~warp();
  warp(warp&&) noexcept;

  [[nodiscard]] std::uint32_t runnable() const { return ready | unstarted; }
  /// The tick of the last __syncwarp of all that the lane has taken part in.
  [[nodiscard]] unsigned met(unsigned lane) const {
    return (gone >> lane & 1) != 0 ? left_at[lane] : synchronised;
  }
};

struct barrier_state {
  unsigned arrived = 0;
  std::uint64_t clock = 0;  // the latest of those that have arrived
  position at{};            // of the first
  position
      short_way{};  // the same while those who follow it may take the short way: barriers::wait
  emulated::barrier_kind kind = emulated::barrier_kind::plain;
  int count = 0;
  bool all = true, any = false;
  int result = 0;  // of the last barrier that was completed
};

struct cluster;

/// A shared array; it stays with the frame when the block ends, for the next block.
struct array_memory {
  memory m;
  std::vector<std::byte> storage;
  std::vector<stamp> earlier_reads;
  std::vector<shadow> shadows;
};

/// A resident block.
struct block {
  emulated::block_view view{};
  std::uint64_t number = 0;  // linear, within the grid
  unsigned threads = 0;
  unsigned alive = 0;
  cluster* of = nullptr;
  unsigned rank = 0;
  std::uint32_t ready_warps =
      0;  // may name warps that have nobody ready; never leaves one out that has
  unsigned current_warp = 0;
  std::uint32_t current_bit = 0;
  barrier_state barrier;
  std::uint64_t floor = 0;   // what barriers have raised the clocks of all its lanes to
  std::vector<lane> places;  // a few more than there are lanes, so that those ahead can be
                             // prefetched without asking
  std::span<lane> lanes;
  std::vector<warp> warps;
  bool is_rare = false;                               // some lane has a rare state
  std::vector<std::unique_ptr<array_memory>> arrays;  // by slot; slot 0 is the dynamic part
  std::vector<memory*> by_slot;                       // null before first use
  std::unordered_map<std::uint64_t, std::uint64_t>
      clocks_of_atomics;  // by place in its arrays: of the lanes that have written there
  counters counts;
  // Time, for the checks.
  stamp base = 0;           // of its serial number
  stamp now = 0;            // the same with the tick
  stamp bound = 0;          // everything of this block before it is ordered by a barrier
  stamp cluster_bound = 0;  // the same for the other blocks of the cluster
  snapshot known = 0;       // to all its threads
  bool lanes_know = false;  // something that the block does not know yet
  std::vector<stamp> heard;
};

/// Index i of an extent, x the fastest.
[[nodiscard]] inline emulated::index3 coordinates_of(std::uint64_t i, simt::extent3 const& e) {
  return {static_cast<unsigned>(i % e.x), static_cast<unsigned>(i / e.x % e.y),
          static_cast<unsigned>(i / e.x / e.y)};
}
/// What the threads of block `number` see of it.
[[nodiscard]] inline emulated::block_view view_of(simt::launch_shape const& shape,
                                                  std::uint64_t number) {
  auto const view = [](simt::extent3 const& e) { return emulated::index3{e.x, e.y, e.z}; };
  return {coordinates_of(number, shape.blocks), view(shape.threads), view(shape.blocks)};
}

/// Blocks that are resident together: the unit in which blocks come and go.
struct cluster {
  std::vector<block*> blocks;
  unsigned alive = 0;  // threads
  unsigned arrived = 0;
  std::uint64_t clock = 0;
  position at{};
};

}  // namespace upsweep::sim
