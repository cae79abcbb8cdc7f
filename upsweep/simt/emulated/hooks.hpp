/// The interface between the emulated vocabulary and the emulator: kernels call these functions,
/// upsweep/sim defines them.
///
/// A hook is never inlined and its caller always is, so that the return address identifies the
/// position in the kernel. Kernel files are compiled with -fsanitize-coverage=trace-pc, whose calls
/// report the control flow between hooks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

namespace upsweep::simt::emulated {

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

struct memory;  // a buffer, or a shared array of one block

/// Size in the low 16 bits, the alignment less 1 above.
using layout = std::uint32_t;
template <class T>
inline constexpr layout layout_of =
    static_cast<layout>(sizeof(T)) | static_cast<layout>(alignof(T) - 1) << 16;

/// The static object of a shared array's declaration. It serves every block: each block has its own
/// memory for the key.
struct shared_key {
  std::size_t bytes;
  layout element;
  std::source_location declared;
  std::atomic<int> id{0};  ///< assigned at first use; 0 before

  constexpr shared_key(std::size_t size, layout type, std::source_location at)
      : bytes(size), element(type), declared(at) {}
};

using position = std::source_location;

/// The address of an element, after all checks; the caller reads or writes it. `value` is the value
/// that a store will write.
[[nodiscard]] std::byte* load(memory* from, std::ptrdiff_t byte, layout type, position at);
[[nodiscard]] std::byte* load(shared_key* from, std::ptrdiff_t byte, layout type, position at);
[[nodiscard]] std::byte* store(memory* to, std::ptrdiff_t byte, layout type, position at,
                               void const* value);
[[nodiscard]] std::byte* store(shared_key* to, std::ptrdiff_t byte, layout type, position at,
                               void const* value);

/// The memory of a shared array in the running block; in block `rank` of its cluster; the
/// counterpart of `m` there.
[[nodiscard]] memory* memory_of(shared_key* key);
[[nodiscard]] memory* memory_of(shared_key* key, unsigned rank, position at);
[[nodiscard]] memory* memory_of(memory* m, unsigned rank, position at);
[[nodiscard]] memory* dynamic_memory(layout element, position at);

enum class atomic_kind : std::uint8_t { load, store, update };

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
};
void atomic(memory* m, std::ptrdiff_t byte, atomic_call const& call, position at);
void fence(bool device_wide, std::memory_order order, position at);

void barrier(position at);
enum class barrier_kind : std::uint8_t { plain, count, all, any };
int barrier(barrier_kind kind, int predicate, position at);
void cluster_barrier(position at);
[[nodiscard]] unsigned cluster_rank();
[[nodiscard]] unsigned cluster_size();

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
void warp_operation(warp_call const& call, position at);

/// Tells the emulator that the thread is waiting for others (`__nanosleep`).
void pause();
[[noreturn]] void trap(position at);

template <class T>
inline constexpr bool is_element = std::is_trivially_copyable_v<T> && sizeof(T) < 4096;

#define UPSWEEP_SIMT_INLINE __attribute__((always_inline)) inline
/// Marks a function whose basic blocks do not belong to the kernel.
#ifdef __clang__
#define UPSWEEP_SIMT_UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define UPSWEEP_SIMT_UNCOUNTED __attribute__((no_sanitize_coverage))
#endif

}  // namespace upsweep::simt::emulated
