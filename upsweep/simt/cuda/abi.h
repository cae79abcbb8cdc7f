/// The functions that the emulator's CUDA headers call and upsweep/sim defines: the only interface
/// between a module of kernels and the program that loads it.
///
/// Accesses are not here: the compiler reports them (`__tsan_*`), and asks for the address of a
/// shared array (`__tls_get_addr`). A function that a kernel calls is called from code that is
/// inlined into the kernel, so that the return address is a position in the kernel. None throws: a
/// mistake ends the thread.
#pragma once

#include <stddef.h>

#include <cstddef>

extern "C" {

// ---- The thread that calls

/// CUDA's `uint3` and `dim3`.
typedef struct upsweep_emulated_extent {
  unsigned x, y, z;
} upsweep_emulated_extent;

upsweep_emulated_extent upsweep_emulated_thread_index(void) __attribute__((const));
upsweep_emulated_extent upsweep_emulated_block_index(void) __attribute__((const));
upsweep_emulated_extent upsweep_emulated_block_extent(void) __attribute__((const));
upsweep_emulated_extent upsweep_emulated_grid_extent(void) __attribute__((const));
/// The lane of the thread in its warp.
unsigned upsweep_emulated_lane(void) __attribute__((const));
/// The block in its cluster, and the number of blocks in it.
unsigned upsweep_emulated_cluster_rank(void) __attribute__((const));
unsigned upsweep_emulated_cluster_blocks(void) __attribute__((const));

// ---- Barriers

void upsweep_emulated_barrier(void);
/// 1: how many predicates are not zero; 2: whether all; 3: whether any.
int upsweep_emulated_voting_barrier(int kind, int predicate);
void upsweep_emulated_cluster_barrier(void);
/// The place of a shared array, or of a part of one, in block `rank` of the cluster.
void* upsweep_emulated_shared_of_rank(void const* place, unsigned rank);

// ---- Warp operations

/// An operation that the lanes of `mask` execute together.
typedef struct upsweep_emulated_warp_call {
  int kind;       ///< upsweep_emulated_warp_kind
  int is_signed;  ///< of hardware reductions
  unsigned mask;
  unsigned bytes;  ///< of a value
  void const* in;
  void* out;          ///< a value for shuffles, 4 bytes otherwise; holds `in` before a shuffle
  unsigned argument;  ///< source lane, distance or lane mask of a shuffle
  unsigned width;
  int* predicate;  ///< of match_all
} upsweep_emulated_warp_call;

enum upsweep_emulated_warp_kind {
  upsweep_emulated_sync,
  upsweep_emulated_shuffle,
  upsweep_emulated_shuffle_up,
  upsweep_emulated_shuffle_down,
  upsweep_emulated_shuffle_xor,
  upsweep_emulated_ballot,
  upsweep_emulated_all,
  upsweep_emulated_any,
  upsweep_emulated_match_any,
  upsweep_emulated_match_all,
  upsweep_emulated_reduce_add,
  upsweep_emulated_reduce_min,
  upsweep_emulated_reduce_max,
  upsweep_emulated_reduce_and,
  upsweep_emulated_reduce_or,
  upsweep_emulated_reduce_xor
};

void upsweep_emulated_warp_operation(upsweep_emulated_warp_call const* call);
/// Tells the emulator that the thread waits for others.
void upsweep_emulated_pause(void);
void upsweep_emulated_trap(void);

// ---- Atomics and fences

/// `update(place, operand, old)` is applied atomically with respect to all threads; it returns
/// whether it wrote, and is not instrumented.
typedef struct upsweep_emulated_atomic_call {
  int kind;            ///< 0: load, 1: store, 2: update
  int is_device_wide;  ///< its order extends to other blocks
  int order;           ///< std::memory_order
  unsigned bytes;
  bool (*update)(std::byte* place, void const* operand, void* old);
  void const* operand;
  void* old;
} upsweep_emulated_atomic_call;

void upsweep_emulated_atomic(void* place, upsweep_emulated_atomic_call const* call);
void upsweep_emulated_fence(int is_device_wide, int order);

// ---- Memory

/// memcpy and memset, whose accesses g++ does not report.
void* upsweep_emulated_copy(void* to, void const* from, size_t bytes);
void* upsweep_emulated_set(void* to, int value, size_t bytes);

// ---- The host's side. The functions return a cudaError_t.

typedef struct upsweep_emulated_shape {
  upsweep_emulated_extent blocks, threads;
  unsigned cluster;
  size_t shared_bytes;
} upsweep_emulated_shape;

/// Runs `invoke(call)` in every thread of the launch. `name` is the kernel as the source says it.
void upsweep_emulated_launch(char const* name, upsweep_emulated_shape const* shape,
                             void (*invoke)(void const* call), void const* call);

/// Device memory: `expression` is the first argument of cudaMalloc as the source says it, which
/// names the buffer; most elements have `element` bytes (0: unknown).
int upsweep_emulated_allocate(void** place, size_t bytes, size_t element, char const* expression,
                              int is_managed);
int upsweep_emulated_release(void* place);
/// Both places may be the host's or the device's.
int upsweep_emulated_host_copy(void* to, void const* from, size_t bytes);
int upsweep_emulated_host_set(void* to, int value, size_t bytes);
/// The error of a launch or call since the last one that was taken.
int upsweep_emulated_last_error(int take);
}
