/// The functions that the emulator's CUDA headers call and upsweep/sim defines: the only interface
/// between a module of kernels and the program that loads it.
///
/// Accesses are not here: the compiler reports them (`__tsan_*`), and asks for the address of a
/// shared array or of threadIdx (`__tls_get_addr`). A function that a kernel calls is called from
/// code that is inlined into the kernel, so that the return address is a position in the kernel.
/// None throws: a mistake ends the thread.
#pragma once

#include <stddef.h>

#include <cstddef>

extern "C" {

// ---- The thread that calls

/// CUDA's `uint3` and `dim3`.
typedef struct upsweep_emulated_extent {
  unsigned x, y, z;
} upsweep_emulated_extent;

/// The lane of the thread in its warp.
unsigned upsweep_emulated_lane(void) __attribute__((const));
/// The block in its cluster, and the blocks of a cluster.
unsigned upsweep_emulated_cluster_rank(void) __attribute__((const));
upsweep_emulated_extent upsweep_emulated_cluster_extent(void) __attribute__((const));

// ---- Barriers

/// `column`: of the call in the source.
void upsweep_emulated_barrier(unsigned column);
/// 1: how many predicates are not zero; 2: whether all; 3: whether any.
int upsweep_emulated_voting_barrier(int kind, int predicate, unsigned column);
void upsweep_emulated_cluster_barrier(void);
/// The address of a shared array, or of a part of one, in block `rank` of the cluster.
void* upsweep_emulated_shared_of_rank(void const* place, unsigned rank);

// ---- Warp operations

/// An operation that the lanes of `mask` execute together.
typedef struct upsweep_emulated_warp_call {
  int kind;       ///< upsweep_emulated_warp_kind
  int is_signed;  ///< of hardware reductions
  unsigned mask;
  unsigned bytes;  ///< of a value
  void const* in;
  void* out;  ///< a value for shuffles, 4 bytes otherwise; holds `in` before a shuffle
  unsigned
      argument;  ///< source lane, distance or lane mask of a shuffle; source lane of a crossbar
  unsigned width;
  int* predicate;       ///< of match_all
  void const* element;  ///< of shuffles: a variable that points to such values, for traces
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
  upsweep_emulated_reduce_xor,
  upsweep_emulated_crossbar  ///< no word of CUDA: upsweep/simt/crossbar.hpp
};

void upsweep_emulated_warp_operation(upsweep_emulated_warp_call const* call);
/// Tells the emulator that the thread waits for others.
void upsweep_emulated_pause(void);
void upsweep_emulated_trap(void);
/// Counts one application of an operator and calls combine(op, earlier, later), which leaves the
/// result, a value of `bytes` bytes, in `earlier`. What it does is not counted otherwise.
void upsweep_emulated_apply(void (*combine)(void const* op, void* earlier, void const* later),
                            void const* op, void* earlier, void const* later, unsigned bytes);
/// Ends the thread with a finding: the kernel used a word in a way that CUDA does not define.
void upsweep_emulated_misuse(char const* sentence);
/// A failed assert(); of the host, it ends the program.
void upsweep_emulated_assert_failed(char const* expression, char const* file, unsigned line,
                                    char const* function);
/// The lanes of the warp that execute this call together: those that wait at the same position when
/// every lane of the warp waits for something or has returned.
unsigned upsweep_emulated_active_lanes(void);
/// Rises with every basic block and access of the thread. No time of a GPU.
long long upsweep_emulated_clock(void);
int upsweep_emulated_is_cooperative(void) __attribute__((const));
size_t upsweep_emulated_dynamic_bytes(void) __attribute__((const));
/// Makes a shared array zero when the running block calls this first. Its first word stays zero.
void upsweep_emulated_zeroed(void* place, size_t bytes);
/// The begin of the block's shared memory: an address in it is this plus a 32-bit offset.
void* upsweep_emulated_shared_begin(void) __attribute__((const));

// ---- Copies that a thread starts and waits for: cp.async

/// `from_bytes` of `from`, then zeros. The copy is executed when the thread waits for it; until
/// then the destination has the value of uninitialized memory.
void upsweep_emulated_start_copy(void* to, void const* from, unsigned bytes, unsigned from_bytes);
/// The copies since the last call are a group.
void upsweep_emulated_commit_copies(void);
/// Any number of bytes, in the largest pieces that the addresses allow.
void upsweep_emulated_start_copies(void* to, void const* from, size_t bytes);
/// Waits for all but the last `groups` groups; -1: for every copy.
void upsweep_emulated_wait_for_copies(int groups);
/// Waits for the oldest group that has copies.
void upsweep_emulated_wait_for_oldest_copies(void);

// ---- Atomics and fences

/// `update(place, operand, old)` is applied atomically with respect to all threads; it returns
/// whether it wrote, and is not instrumented.
typedef struct upsweep_emulated_atomic_call {
  int kind;            ///< 0: load, 1: store, 2: update, 3: compare and swap
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

/// The load that follows may use the cache of what no thread writes during the kernel.
void upsweep_emulated_read_only(void const volatile* place);
/// After the instruction that traps at an index of a thread's own array: words/accesses.h.
enum { upsweep_emulated_index_mark = 0x696e6478 };
#ifdef __wasm__  // which has no traps that can be caught
void upsweep_emulated_own_index(char const* array, long long index, unsigned elements);
#endif

// ---- The host's side. The functions return a cudaError_t.

/// The emulated device. What all devices have in common is not here.
typedef struct upsweep_emulated_device {
  char const* name;
  int major, minor, multiprocessors;
  int threads, blocks;  ///< resident on a multiprocessor
  int most_cluster;     ///< blocks that every GPU of this kind takes; 0: it has no clusters
  int clock, memory_clock, memory_bus, l2_bytes;  ///< kHz, kHz, bits, bytes
  size_t shared_bytes;                            ///< of a multiprocessor
  size_t reserved_bytes;                          ///< of them for each block
  size_t memory_bytes;
} upsweep_emulated_device;

upsweep_emulated_device const* upsweep_emulated_current_device(void);

typedef struct upsweep_emulated_shape {
  upsweep_emulated_extent blocks, threads, cluster;
  size_t shared_bytes;
  int is_cooperative;     ///< all blocks are resident at once
  unsigned long long at;  ///< upsweep_emulated_position() of the launch
} upsweep_emulated_shape;

/// The position of the call.
unsigned long long upsweep_emulated_position(void);

/// Refuses what the device refuses, with a finding that says why. `kernel` is its address, or null.
int upsweep_emulated_check_launch(char const* name, upsweep_emulated_shape const* shape,
                                  void const* kernel);
/// Runs `invoke(call)` in every thread of the launch; `call` has `call_bytes` bytes. `name` is the
/// kernel as the source says it; `code` is the kernel's address, or another one in its module. The
/// name of a variable is replaced by that of the kernel to which it points.
int upsweep_emulated_launch(char const* name, upsweep_emulated_shape const* shape,
                            void (*invoke)(void const* call), void const* call, size_t call_bytes,
                            void const* code);
/// A kernel that the caller knows as an address only, and its arguments as they are passed.
typedef struct upsweep_emulated_bound_kernel {
  void const* kernel;
  unsigned long integers[6];
  double floats[8];
  unsigned long stack[8];
} upsweep_emulated_bound_kernel;
/// `arguments` points to the values; their types are those in the kernel's symbol.
int upsweep_emulated_bind(void const* kernel, void** arguments, upsweep_emulated_bound_kernel* to);
int upsweep_emulated_launch_bound(upsweep_emulated_bound_kernel const* kernel,
                                  upsweep_emulated_shape const* shape);

/// A parameter of a kernel that the tool calls by name.
typedef struct upsweep_emulated_parameter {
  int is_pointer;
  int is_const;         ///< what it points to
  size_t bytes;         ///< of it, or of what it points to
  void const* pointer;  ///< a variable that points to such values
} upsweep_emulated_parameter;

enum { upsweep_emulated_most_parameters = 64 };

/// The module's function upsweep_emulated_entry: fills in `count`, `kernel` and `parameters`, and
/// runs the kernel if there are `arguments`, which point to the values. Returns a cudaError_t.
typedef struct upsweep_emulated_entry_call {
  upsweep_emulated_shape shape;
  void** arguments;
  size_t count;
  void const* kernel;
  upsweep_emulated_parameter parameters[upsweep_emulated_most_parameters];
} upsweep_emulated_entry_call;

// Of a kernel: its declared shared memory, 0 if unknown; and the limit of its dynamic part.
size_t upsweep_emulated_static_bytes(void const* kernel);
size_t upsweep_emulated_most_dynamic_bytes(void const* kernel);
int upsweep_emulated_set_most_dynamic_bytes(void const* kernel, int bytes);

/// Device memory: `expression` is the first argument of cudaMalloc as the source says it, which
/// names the buffer; most elements have `element` bytes (0: unknown).
int upsweep_emulated_allocate(void** place, size_t bytes, size_t element, char const* expression,
                              int is_managed);
/// The elements of the buffer that begins at `place` are what the variable `pointer` points to,
/// whose type the debug data tells.
void upsweep_emulated_note_type(void const* place, void const* pointer);
int upsweep_emulated_release(void* place);
/// Both addresses may be the host's or the device's, if `direction`, a cudaMemcpyKind, says so.
/// `at`: upsweep_emulated_position() of the call.
int upsweep_emulated_host_copy(void* to, void const* from, size_t bytes, int direction,
                               unsigned long long at);
/// That copy was asynchronous: it is complete when the host has waited for it.
void upsweep_emulated_note_async_copy(void* to, void const* from, size_t bytes);
/// The host has waited for all work, so what launches and copies have used is the host's again.
void upsweep_emulated_synchronize(void);
int upsweep_emulated_host_set(void* to, int value, size_t bytes, unsigned long long at);
/// The error of a launch or call since the last one that was taken.
int upsweep_emulated_last_error(int take);
/// Makes this the last error, unless it is 0, and returns it. A sentence becomes a finding.
int upsweep_emulated_fail(int error, char const* sentence);
char const* upsweep_emulated_error_text(int error, int is_name);
size_t upsweep_emulated_allocated_bytes(void);
/// cudaLimitMallocHeapSize.
size_t upsweep_emulated_heap_limit(void);
int upsweep_emulated_set_heap_limit(size_t bytes);
/// A cudaMemoryType.
int upsweep_emulated_memory_type(void const* place);
/// Emulated time: a nanosecond for each step of a warp, a microsecond for each launch.
double upsweep_emulated_milliseconds(void);
}
