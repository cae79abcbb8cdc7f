/// The state of memory, lanes, warps and blocks during a launch, and what the hooks of a kernel
/// hand to the emulator.
#pragma once

#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/position.hpp>
#include <upsweep/sim/report.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace upsweep::sim {

/// CUDA's `uint3`.
struct index3 {
  unsigned x, y, z;
};

/// The block as its threads see it.
struct block_view {
  index3 index, threads, blocks;
};

/// The thread as the kernel sees it.
struct lane_view {
  index3 thread;
  unsigned index;  ///< in the block
  block_view const* block;
};

/// One access in the log: the type's size and alignment with the source position, and the memory's
/// tag with the byte offset.
struct access_record {
  std::uint64_t what;
  std::uint64_t where;
};

/// The lane that this host thread is running, and the ends of its two logs.
struct context {
  std::uint64_t* control;        ///< next word of the log of addresses
  std::uint64_t* control_limit;  ///< the hook calls the emulator at this word
  access_record* data;           ///< next record of the log of accesses
  lane_view* lane;               ///< null outside kernels
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local context running;

enum class atomic_kind : std::uint8_t { load, store, update, compare_and_swap };

/// `update(place, operand, old)` is applied atomically with respect to all lanes; it returns
/// whether it wrote.
struct atomic_call {
  atomic_kind kind;
  bool device_wide;  ///< its memory order extends to other blocks
  std::memory_order order;
  layout type;
  bool (*update)(std::byte* place, void const* operand, void* old);
  void const* operand;
  void* old;
  bool is_volatile = false;  ///< a plain access that a volatile type makes
};

enum class barrier_kind : std::uint8_t { plain, count, all, any };

enum class warp_kind : std::uint8_t {
  sync,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  all,
  any,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  crossbar,
};

/// An operation that the lanes of `mask` execute together. `in` and `out` have type `type`; votes,
/// matches and reductions write the same result as CUDA.
struct warp_call {
  warp_kind kind;
  bool is_signed;
  unsigned mask;
  layout type;
  void const* in;
  void* out;
  unsigned argument;  ///< source lane, distance or lane mask of a shuffle
  unsigned width;
  int* predicate;  ///< of match_all
};

struct block;

/// The slot of a block's dynamic shared memory.
inline constexpr unsigned dynamic_slot = 0;
/// The value of uninitialized bytes: quiet NaN for floats, -1 for integers.
inline constexpr unsigned char poison = 0xff;

/// The epochs of an element's last write and of the reads since.
struct shadow {
  epoch write = 0;
  epoch read = 0;
};

/// A buffer of the machine, or a shared array of one block.
struct memory {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;      ///< its number in the high 16 bits, which identifies it in logs
  shadow* shadows = nullptr;  ///< one per element; null without checks
  std::uint32_t* histories = nullptr;  ///< one per element: histories::find
  std::uint32_t element_bytes = 4;
  std::int32_t element_shift = 2;  ///< -1: the size is not a power of two
  std::uint64_t identity = 0;      ///< identity plus offset is unique among all memory
  /// Element types are unknown: shadows are split when a smaller access comes.
  bool is_divisible = false;
  bool is_managed = false;                ///< a buffer that the host may access too
  void const* element_pointer = nullptr;  ///< tells its elements' type: element_types::of_pointer
  bool is_released = false;               ///< a buffer that cudaFree() or free() has freed
  bool is_written_unseen = false;         ///< a launch without checks may have written it
  bool is_of_heap = false;                ///< a piece of device_heap
  /// The serial number of the first block of the last launch in which several blocks accessed an
  /// element.
  std::uint64_t shared_since = 0;
  unsigned slot = 0;                  ///< of a shared array: its index in the block's list
  block* owner = nullptr;             ///< of a shared array
  std::string const* name = nullptr;  ///< null: dynamic shared memory without one name

  [[nodiscard]] std::uint64_t element_of(std::uint64_t offset) const {
    return element_shift >= 0 ? offset >> element_shift : offset / element_bytes;
  }
  /// A number of shadows that suffices for elements of this size.
  [[nodiscard]] std::size_t shadows_of(std::uint32_t size) const { return bytes / size + 1; }
  /// Fills its shadows from those of elements of `coarse` bytes.
  void copy_shadows(shadow const* old, std::uint32_t const* old_histories, std::uint32_t coarse) {
    for (std::size_t i = 0, count = shadows_of(element_bytes); i < count; ++i) {
      std::size_t const from = i * element_bytes / coarse;
      shadows[i] = old[from];
      histories[i] = old_histories[from];
    }
  }
  void set_element(std::uint32_t size) {
    element_bytes = size;
    element_shift = (size & (size - 1)) == 0 ? __builtin_ctz(size) : -1;
  }
};

struct warp;
struct block;
struct partial_segment;  // align.hpp

/// Per pair of lanes: the tick up to which lane j happens before lane i, by __syncwarp with partial
/// masks.
struct warp_knowledge {
  std::uint16_t before[32][32] = {};
};

/// What a thread knew when it executed a fence.
struct release_point {
  unsigned tick = 0;          ///< 0: there was none
  epoch bound = 0;            ///< block::bound
  unsigned synchronized = 0;  ///< warp::synchronized
  snapshot known = 0, block_known = 0;
};

/// An element that a thread has read by an atomic, whether or not that orders anything: perhaps a
/// flag. The blocks [first, last] have written it.
struct heard_flag {
  memory const* of = nullptr;
  std::uint64_t offset = 0;
  position at{};
  std::uint64_t first = 0, last = 0;  ///< serial numbers
};

/// A volatile store to global memory that no fence of its thread has followed yet.
struct unfenced_store {
  epoch by = 0;             ///< the block and thread
  std::uint64_t place = 0;  ///< the element: memory::identity plus its offset
};

struct last_access_of_lane {
  std::uint64_t access = 0;
  position at{};
};

/// What a shuffle gave a lane that read one that took no part.
struct undefined_value {
  position shuffle{};  ///< the first one
  unsigned from = 0;   ///< the lane that was read there
  std::size_t bytes = 0;
  std::byte kept[16] = {}, got[16] = {};  ///< what the lane held, and what it got
  bool is_used = false;                   ///< the lane has computed with it
  last_access_of_lane last;               ///< before the shuffle
};

/// The state of a lane that only atomics, fences and warp operations use.
struct rare_lane_state {
  warp_call const* call = nullptr;  // the warp operation at which it waits
  std::uint64_t call_pc = 0;
  unsigned source = 0;                  // the lane that its last shuffle read from
  unsigned operations = 0;              // warp operations so far
  unsigned last_mask = 0;               // of the last of them
  std::uint64_t access_before = 0;      // its last access at the end of the previous turn
  std::uint64_t loads_before[16] = {};  // the same of earlier turns, if they were loads
  unsigned oldest_load = 0;             // of these
  std::uint64_t work_since_pause = std::uint64_t{1} << 32;  // basic blocks
  std::size_t observed_words = 0;  // the length of its log at the end of the previous turn
  std::uint64_t observed_segment = 0;
  std::uint64_t poll_where = 0;  // the last atomic that changed nothing, and its result
  std::uint64_t poll_value = 0;
  std::uint64_t work_since_poll = 0;       // basic blocks without any access
  std::vector<undefined_value> undefined;  // by shuffles: undefined_values of checker.hpp
  bool has_input = false;             // it has learned something from other lanes, or from a clock
  std::uint64_t* poll_end = nullptr;  // the end of its log at that time
  std::uint64_t poll_segment = 0;
  snapshot known = 0;    // acquired since the last barrier
  snapshot pending = 0;  // read by relaxed atomics; a fence moves it to `known`
  // Its last fence of the block and of the device, and what they release: set when something is
  // published after them.
  release_point fences[2];
  snapshot fenced[2] = {};
  std::vector<heard_flag> heard;
  std::vector<unfenced_store> unfenced;
};

/// Set in `last_access` if the access was a store.
inline constexpr std::uint64_t store_bit = std::uint64_t{1} << 47;

/// The state used at every switch and every access: one cache line, and a second one with logs.
struct hot_lane_state : lane_view {
  switch_point left;  // where to resume it
  warp* of = nullptr;
  position waits_at{};
  position last_at{};
  std::uint64_t last_access = 0;  // its last access; 0 if there was none in this turn

  std::uint64_t clock =
      0;  // length of the longest chain of applications up to here, if above the block's floor
  std::uint64_t* control = nullptr;  // its logs while it is suspended
  access_record* data = nullptr;
  std::uint64_t* control_begin = nullptr;
  std::uint64_t* control_end = nullptr;
  access_record* data_begin = nullptr;
  std::uint64_t segment = 0;  // the segment of its log
  std::byte* slab = nullptr;  // the memory of its logs; null: outside any slab

  fiber* on = nullptr;  // null: not started, or returned

  [[nodiscard]] std::uint32_t bit() const { return 1u << index % 32; }  // in the warp's masks
};

/// A thread of a block while it is resident.
struct alignas(64) lane : hot_lane_state, rare_lane_state {};

/// How far ahead of the running lane other lanes are prefetched.
inline constexpr std::size_t lanes_ahead = 4;

/// The masks hold the state of each lane; the running lane is in none of `ready`, `unstarted`,
/// `at_*`, `polling`, `gone`.
struct warp {
  block* of = nullptr;
  unsigned index = 0;
  std::uint32_t exists = 0, unstarted = 0, ready = 0, polling = 0, at_barrier = 0, at_cluster = 0,
                at_operation = 0, gone = 0;
  std::uint64_t segment = 1;
  std::uint64_t steps = 0;                              // as counters::steps
  std::byte* logs = nullptr;                            // of the current segment
  std::vector<std::unique_ptr<std::byte[]>> long_logs;  // of lanes that needed more room
  std::unique_ptr<partial_segment> part;                // while logs are aligned in parts
  std::uint32_t full = 0;                               // lanes whose logs are full
  lane* lanes = nullptr;                                // its first lane
  unsigned synchronized = 0;                            // tick of the last __syncwarp of all lanes
  std::unique_ptr<warp_knowledge> knowledge;            // of partial __syncwarps
  std::uint16_t left_at[32] = {};  // the value of `synchronized` when the lane returned

  warp();
  ~warp();
  warp(warp&&) noexcept;

  [[nodiscard]] std::uint32_t runnable() const { return ready | unstarted; }
  /// The tick of the last __syncwarp of all lanes in which `lane` took part.
  [[nodiscard]] unsigned met(unsigned lane) const {
    return (gone >> lane & 1) != 0 ? left_at[lane] : synchronized;
  }
};

struct barrier_state {
  unsigned arrived = 0;
  std::uint64_t clock = 0;  // the maximum over the lanes that have arrived
  position at{};            // of the first arrival
  unsigned column = 0;      // the same, in its line
  position fast_path{};     // the same while later arrivals may use the fast path of barriers::wait
  barrier_kind kind = barrier_kind::plain;
  int count = 0;
  bool all = true, any = false;
  int result = 0;  // of the last completed barrier
};

struct cluster;

/// A shared array; it is reused by the next block.
struct array_memory {
  memory m;
  std::vector<std::uint32_t> histories;
  std::vector<shadow> shadows;
};

class window_lease;      // address_space.hpp
class repetition_watch;  // barriers.hpp

/// A resident block.
struct block {
  block();
  ~block();
  block_view view{};
  std::uint64_t number = 0;  // linear, within the grid
  unsigned threads = 0;
  unsigned alive = 0;
  cluster* of = nullptr;
  unsigned rank = 0;
  std::uint32_t ready_warps = 0;  // a superset of the warps with ready lanes
  unsigned current_warp = 0;
  std::uint32_t current_bit = 0;
  barrier_state barrier;
  std::unique_ptr<repetition_watch> repeats;
  std::uint64_t floor = 0;  // lower bound of all its lanes' clocks, raised by barriers
  std::vector<lane>
      lane_storage;  // a few more than there are lanes, so that prefetching needs no bounds check
  std::span<lane> lanes;
  std::vector<warp> warps;
  bool is_rare = false;                               // some lane has used its rare state
  std::vector<std::unique_ptr<array_memory>> arrays;  // indexed by slot; slot 0 is the dynamic part
  std::vector<memory*> by_slot;                       // null before first use
  std::unique_ptr<window_lease> window;               // for a module's kernels
  std::vector<memory*> by_cell;                       // of the window; null before first use
  std::unordered_map<std::uint64_t, std::uint64_t>
      clocks_of_atomics;  // by address in its arrays: the clock of the last lane that wrote there
  counters counts;
  // Logical time, for the checks.
  epoch base = 0;           // the epoch of its serial number
  epoch now = 0;            // base plus the current tick
  epoch bound = 0;          // a barrier orders all epochs of this block before it
  epoch cluster_bound = 0;  // the same for the other blocks of the cluster
  snapshot known = 0;       // known to all its threads
  // Of its threads before the last barrier: what relaxed atomics have read, and what fences of the
  // device have released.
  snapshot pending = 0, fenced = 0;
  bool lanes_know = false;  // lanes know something that is not in `known` yet
  std::vector<heard_flag> heard;
  std::vector<unfenced_store> unfenced;  // before the last barrier
};

/// The coordinates of linear index i, x fastest.
[[nodiscard]] inline index3 coordinates_of(std::uint64_t i, simt::extent3 const& e) {
  return {static_cast<unsigned>(i % e.x), static_cast<unsigned>(i / e.x % e.y),
          static_cast<unsigned>(i / e.x / e.y)};
}
/// The block as its threads see it.
[[nodiscard]] inline block_view view_of(simt::launch_shape const& shape, std::uint64_t number) {
  auto const view = [](simt::extent3 const& e) { return index3{e.x, e.y, e.z}; };
  return {coordinates_of(number, shape.blocks), view(shape.threads), view(shape.blocks)};
}

/// Blocks that become resident together and leave together.
struct cluster {
  std::vector<block*> blocks;
  unsigned alive = 0;  // threads
  unsigned arrived = 0;
  std::uint64_t clock = 0;
  position at{};
};

}  // namespace upsweep::sim
