/// What the hooks of a kernel hand to the emulator: the thread that runs, the log of its accesses,
/// and the operations in which it takes part.
#pragma once

#include <upsweep/sim/hook_calls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

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

}  // namespace upsweep::sim
