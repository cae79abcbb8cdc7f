/// The ring of stages through which the warps of a block pass tiles: barriers that count arrivals,
/// asynchronous copies that arrive on them, and the layout of a block's shared memory.
///
/// Barriers and copies have one interface and three implementations. sm_90: one bulk copy per tile,
/// which the copy engine performs and counts in bytes. sm_80: copies of 16 bytes by the lanes of a
/// warp, with one arrival per lane on completion. Emulator: counters in shared memory, and ordinary
/// loads and stores by the warp that issues the copy.
#pragma once

#include <upsweep/cuda/device/async_copy.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// A barrier in shared memory. A phase ends after the number of arrivals for which the barrier was
/// initialized, and the next one begins at once. What a lane did before it arrived is visible to
/// lanes that have waited for the end of that phase.
class arrival_barrier {
 public:
  __device__ explicit arrival_barrier(word* at) : at_(at) {}

  /// Called by one thread; the block synchronizes before any thread arrives or waits.
  __device__ void init(unsigned arrivals) const {
#ifdef __NVCC__
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(at_)), "r"(arrivals)
                 : "memory");
#else
    at_[0] = word{arrivals} << 32;  // high half: arrivals of a phase; low half: arrivals so far
#endif
  }
  /// Called by one lane, after a __syncwarp() if it arrives for all.
  __device__ void arrive() const {
#ifdef __NVCC__
    asm volatile(
        "{.reg .b64 phase; mbarrier.arrive.shared::cta.b64 phase, [%0];}" ::"r"(shared_address(at_))
        : "memory");
#else
    (void)count().fetch_add(1, ::cuda::memory_order_release);
#endif
  }
  /// Called by one lane: arrives when the copies that it has started by copy_vector()
  /// (async_copy.hpp) are complete.
  __device__ void arrive_when_copied() const {
#ifdef __NVCC__
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(at_))
                 : "memory");
#else
    arrive();
#endif
  }
  /// Called by a whole warp: waits for the end of the phase with that parity; the first phase has
  /// parity 0. A waiting warp must not be two phases late, because the parity would be the same
  /// again.
  __device__ void wait(unsigned parity) const {
#ifdef __NVCC__
    while (!has_ended(parity)) continue;
#else
    if (threadIdx.x % 32 == 0)
      while (!has_ended(parity)) continue;
#endif
    __syncwarp();
  }

 private:
  __device__ bool has_ended(unsigned parity) const {
#ifdef __NVCC__
    unsigned ended;
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(ended)
        : "r"(shared_address(at_)), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(ended)
        : "r"(shared_address(at_)), "r"(parity)
        : "memory");
#endif
    return ended != 0;
#else
    word const x = count().load(::cuda::memory_order_acquire);
    return (static_cast<unsigned>(x) / static_cast<unsigned>(x >> 32)) % 2 != parity;
#endif
  }
#ifndef __NVCC__
  __device__ ::cuda::atomic_ref<word, ::cuda::thread_scope_block> count() const {
    return ::cuda::atomic_ref<word, ::cuda::thread_scope_block>(at_[0]);
  }
#endif

  word* at_;

  template <class T>
  friend __device__ void copy_in(T* to, T const* from, unsigned count,
                                 arrival_barrier const& landed, unsigned lane, bool evict_first);
};

/// Called once by the thread that has initialized the barriers, before the block synchronizes:
/// makes them visible to the copy engine.
__forceinline__ __device__ void show_barriers_to_copies() {
#if defined(__NVCC__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Called by every lane that has written to a stage, before it is released: orders these writes
/// before the next copy into the stage.
__forceinline__ __device__ void hand_back_to_copies() {
#if defined(__NVCC__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// The number of arrivals of one copy_in(). On sm_80 each lane's copies arrive on completion, and
/// one lane arrives for the warp's ordinary stores.
__device__ constexpr unsigned arrivals_of_copy() {
#if defined(__NVCC__) && __CUDA_ARCH__ < 900
  return 33;
#else
  return 1;
#endif
}

#ifdef __NVCC__
/// Called by a whole warp: starts the copy of `bytes` bytes, a multiple of 16, and arrives at
/// `landed`, at once or when it is complete.
__forceinline__ __device__ void start_copy(unsigned to, void const* from, unsigned bytes,
                                           unsigned landed, unsigned lane,
                                           [[maybe_unused]] bool evict_first) {
#if __CUDA_ARCH__ >= 900
  // By predicates: after a branch that only lane 0 takes, ptxas 13.0 fails to reconverge the warp.
  asm volatile(
      "{.reg .pred first, copies, leaves; .reg .b64 phase, policy;\n"
      "setp.eq.u32 first, %4, 0; setp.ne.and.u32 copies, %2, 0, first;\n"
      "setp.ne.u32 leaves, %5, 0; createpolicy.fractional.L2::evict_normal.b64 policy;\n"
      "@leaves createpolicy.fractional.L2::evict_first.b64 policy;\n"
      "@first mbarrier.arrive.expect_tx.shared::cta.b64 phase, [%3], %2;\n"
      "@copies cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], policy;}" ::"r"(to),
      "l"(from), "r"(bytes), "r"(landed), "r"(lane), "r"(unsigned{evict_first})
      : "memory");
#else
  char const* const source = static_cast<char const*>(from);
#pragma unroll 8
  for (unsigned byte = 16 * lane; byte < bytes; byte += 16 * 32)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + byte), "l"(source + byte)
                 : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(landed) : "memory");
  if (lane == 0)
    asm volatile("{.reg .b64 phase; mbarrier.arrive.shared::cta.b64 phase, [%0];}" ::"r"(landed)
                 : "memory");
#endif
}
#endif

/// Called by a whole warp: copies `count` elements, where source and destination are aligned to 16
/// bytes, and arrives at `landed`. After a wait there the elements are visible, and so is what the
/// warp has written before. `count` may be 0. `evict_first`: read with the evict-first policy of
/// L2.
template <class T>
__device__ void copy_in(T* to, T const* from, unsigned count, arrival_barrier const& landed,
                        unsigned lane, [[maybe_unused]] bool evict_first) {
#ifdef __NVCC__
  unsigned const bytes = count * static_cast<unsigned>(sizeof(T)), whole = bytes / 16 * 16;
  // The copy engine moves multiples of 16 bytes; only the last tile has a remainder.
  if (lane < bytes - whole)
    reinterpret_cast<unsigned char*>(to)[whole + lane] =
        reinterpret_cast<unsigned char const*>(from)[whole + lane];
  __syncwarp();  // one lane may now arrive for all
  start_copy(shared_address(to), from, whole, shared_address(landed.at_), lane, evict_first);
#else
  unsigned copied = 0;
  if constexpr (items_of < T >> 1) {
    using vector = simt::packed<T, items_of<T>>;
    auto const vectors_to = simt::pointer_cast<vector>(to);
    auto const vectors_from = simt::pointer_cast<vector const>(from);
    for (unsigned v = lane; v < count / items_of<T>; v += 32) vectors_to[v] = vectors_from[v];
    copied = count / items_of<T> * items_of<T>;
  }
  for (unsigned i = copied + lane; i < count; i += 32) to[i] = from[i];
  __syncwarp();  // one lane may now arrive for all
  if (lane == 0) landed.arrive();
#endif
}

/// A barrier for `warps` whole warps of the block: number `id` of the hardware's sixteen named
/// barriers, of which 0 is __syncthreads().
template <unsigned id, unsigned warps>
class warp_group_barrier {
 public:
  __device__ explicit warp_group_barrier(unsigned* arrivals) : arrivals_(arrivals) {}

  /// Called by one thread; the block synchronizes before the first sync().
  __device__ void init() const { arrivals_[0] = 0; }
  __device__ void sync() const {
#ifdef __NVCC__
    asm volatile("barrier.sync %0, %1;" ::"n"(id), "n"(32 * warps) : "memory");
#else
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> arrivals(arrivals_[0]);
      unsigned const phase = arrivals.fetch_add(1, ::cuda::memory_order_acq_rel) / warps;
      while (arrivals.load(::cuda::memory_order_acquire) / warps == phase) continue;
    }
    __syncwarp();
#endif
  }

 private:
  unsigned* arrivals_;  // only for the emulator
};

/// A position on a ring of `size` slots, and the parity of the round.
struct ring_position {
  unsigned index = 0, parity = 0;

  __device__ void advance(unsigned size) {
    if (++index < size) return;
    index = 0;
    parity ^= 1;
  }
};

/// The number of stages of a block, each for one tile, and the most copies in flight; from
/// ring_layout::plan().
struct ring_plan {
  unsigned stages, copies;
  bool evict_first = false;  ///< elements are read with the evict-first policy
};

/// The warps and the shared memory of a ring. `Source` must be contiguous memory, aligned to 16
/// bytes.
template <class Shape, class Source>
struct ring_layout {
  using A = typename Source::accumulator;
  using element = typename Source::element;
  static constexpr unsigned chunks = Shape::warps;
  static constexpr unsigned threads = 32 * (2 + 2 * chunks);
  static constexpr std::size_t stage_bytes = Shape::size * sizeof(element);

  /// Slots for the tickets, totals and prefixes of tiles. A slot is in use longer than a stage,
  /// because a scanning warp releases its stage before it needs the prefix. Tile k reuses the slot
  /// of tile k - slots. It is fetched after tile k - stages has left its stage; by then every
  /// scanning warp has read that tile, so is done with tile k - stages - 1. Hence slots > stages.
  static constexpr unsigned slots = 8, most_stages = slots - 1;

  /// A chunk is scanned in `parts` parts of `part_rows` rows, each held in registers: the elements,
  /// five siblings and two totals for each row, and temporaries for one row, of the 96 registers of
  /// a thread in this block. The first part has been reduced when the prefix arrives.
  static constexpr unsigned part_rows = [] {
    constexpr unsigned row_words =
        static_cast<unsigned>((Shape::items * sizeof(element) + 3) / 4) + 7 * words_of<A>;
    constexpr unsigned item_words = 4 * Shape::items * words_of<A>;
    unsigned rows = Shape::rows;
    while (rows > 1 && rows * row_words + item_words > 104) rows /= 2;
    return rows;
  }();
  static constexpr unsigned parts = Shape::rows / part_rows;

  /// Whether results overwrite the elements in the stage before they are stored, so that a chunk is
  /// scanned with one butterfly and few registers. With two parts, scanning by rows is as fast, and
  /// faster for expensive operators.
  template <class Sink>
  static constexpr bool in_place =
      Sink::plain && sizeof(typename Sink::element) == sizeof(element) &&
      (parts != 2 || depends_on_length<combine_of<typename Source::operation>>);

  /// Bytes of shared memory besides the stages, including the padding of each array to 128 bytes.
  static constexpr std::size_t fixed_bytes =
      (slots * (2 * chunks + chunks * parts + 2) +
       lookback<A, typename Source::operation>::memory_size) *
          sizeof(A) +
      slots * 5 * sizeof(word) + 1024;

  /// The ring for a block that may have `available` bytes of shared memory (227 KiB on sm_90, 163
  /// KiB on sm_80). With fewer than two stages nothing overlaps; use scan_tiles then.
  [[nodiscard]] static UPSWEEP_BOTH constexpr ring_plan plan(std::size_t available,
                                                             unsigned copies = 3,
                                                             std::size_t fixed = fixed_bytes) {
    std::size_t const fit = available > fixed ? (available - fixed) / stage_bytes : 0;
    unsigned const stages = fit < most_stages ? static_cast<unsigned>(fit) : most_stages;
    return {stages, copies < stages ? copies : stages};
  }
  /// Dynamic shared memory of the launch.
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t shared_bytes(ring_plan const& plan) {
    return plan.stages * stage_bytes;
  }

  static_assert(Source::plain,
                "the ring copies contiguous memory; use scan_tiles for other iterators");
  static_assert(stage_bytes % 16 == 0, "copies move multiples of 16 bytes");
};

/// The shared memory of a block. Stages are used in turn, and so are the slots of the small arrays.
/// A barrier has the index of the stage or slot that it guards.
template <class A, class Element, class Seen>
struct ring_memory {
  Element* stages;  ///< the elements of tiles
  ticket* drawn;    ///< the tickets of tiles
  /// The tree over the chunks of a tile as a heap: [1] is its total, [chunks + c] that of chunk c,
  /// and between them are the left children.
  boxed<A>* nodes;
  boxed<A>* part_totals;  ///< of the chunks, if they have several parts
  boxed<A>* prefixes;     ///< of a tile: exclusive, then inclusive
  boxed<Seen>* lookback_memory;
  word *full, *empty;       ///< stages: the copy is complete; both groups have read it
  word *summed, *prefixed;  ///< slots: the nodes are stored; the prefixes are stored
  unsigned* group;
};

/// The parts that tests and benchmarks replace: the barrier and the look-back.
struct ring_parts {
  using barrier = arrival_barrier;
  template <class A, class Op>
  using lookback_of = lookback<A, Op>;
};

/// What scan_ring calls for a whole array, whose first tile follows the values of scan_start.
template <class A, class Op, class Parts>
struct whole_array {
  static constexpr bool continues = false;
  using seen = A;  ///< what look-backs combine
  using lookback_of_tiles = typename Parts::template lookback_of<A, Op>;

  __device__ void publish(workspace_words const& workspace, ticket const& t, A const& total) const {
    workspace.totals<A>(t.epoch).publish(t.tile, total);
  }
};
}  // namespace upsweep::device
