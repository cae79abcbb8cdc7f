/// How blocks publish their totals: in 64-bit words with 32 bits of a value and 32 bits of epoch,
/// the number of the launch.
///
/// Value and epoch become visible together, so relaxed accesses suffice and no fence is needed. A
/// word of an earlier launch has another epoch, so nothing is cleared between launches. The epochs
/// are at the same addresses for all types of values, so launches of different types may use the
/// same memory one after another.
#pragma once

#include <upsweep/simt/kernel.hpp>

#include <cstddef>
#include <cstring>

namespace upsweep::device {

using word = unsigned long long;

/// 64-bit words that carry one value of type A.
template <class A>
inline constexpr unsigned words_of = static_cast<unsigned>((sizeof(A) + 3) / 4);

/// Device-wide relaxed accesses: one 64-bit word, or two adjacent words in one instruction, each
/// atomic by itself. A load leaves `x` unchanged if `wanted` is 0. It is predicated instead of
/// branched around, so that several loads are in flight together. Their predicates should be bits
/// of one number: a thread has only seven predicate registers, and when those run out, every load
/// waits for the one before.
struct word_pair {
  word first, second;
};
__forceinline__ __device__ void load_relaxed(word* p, unsigned wanted, word& x) {
#ifdef __NVCC__
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.relaxed.gpu.global.u64 %0, [%1];}"
               : "+l"(x)
               : "l"(p), "r"(wanted)
               : "memory");
#else
  if (wanted == 0) return;
  ::cuda::atomic_ref<word, ::cuda::thread_scope_device> at(p[0]);
  x = at.load(::cuda::memory_order_relaxed);
#endif
}
__forceinline__ __device__ void load_relaxed_pair(word* p, unsigned wanted, word_pair& x) {
#ifdef __NVCC__
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];}"
      : "+l"(x.first), "+l"(x.second)
      : "l"(p), "r"(wanted)
      : "memory");
#else
  load_relaxed(p, wanted, x.first);
  load_relaxed(p + 1, wanted, x.second);
#endif
}
__forceinline__ __device__ void store_relaxed(word* p, word x) {
#ifdef __NVCC__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
#else
  ::cuda::atomic_ref<word, ::cuda::thread_scope_device> at(p[0]);
  at.store(x, ::cuda::memory_order_relaxed);
#endif
}
__forceinline__ __device__ void store_relaxed_pair(word* p, word_pair x) {
#ifdef __NVCC__
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(x.first), "l"(x.second)
               : "memory");
#else
  store_relaxed(p, x.first);
  store_relaxed(p + 1, x.second);
#endif
}

/// Called between two polls of totals that are not published yet. A GPU runs the other warps
/// anyway, and sleeping gained nothing when it was tried. For the emulator it marks that this
/// thread waits for others.
__forceinline__ __device__ void look_again() {
#ifndef __NVCC__
  __nanosleep(0);
#endif
}

/// One value of type A for each tile, readable by every block of the launch with this `epoch`.
/// `words` is aligned to 16 bytes.
template <class A>
struct tile_totals {
  static constexpr unsigned size = words_of<A>;

  word* words;
  unsigned epoch;

  /// The words of one total, with epochs, as in memory.
  struct tagged_total {
    word words[size];

    __device__ A value() const {
      unsigned bits[size];
#pragma unroll
      for (unsigned i = 0; i < size; ++i) bits[i] = static_cast<unsigned>(words[i]);
      A a;
      std::memcpy(&a, bits, sizeof(A));
      return a;
    }
  };
  __device__ tagged_total tagged(A const& total) const {
    unsigned bits[size] = {};
    std::memcpy(bits, &total, sizeof(A));
    tagged_total x;
#pragma unroll
    for (unsigned i = 0; i < size; ++i) x.words[i] = word{epoch} << 32 | bits[i];
    return x;
  }

  __device__ void publish(unsigned tile, A const& total) const {
    tagged_total const x = tagged(total);
    word* const to = words + std::size_t{tile} * size;
    if constexpr (size % 2 == 0)
      for (unsigned i = 0; i < size; i += 2)
        store_relaxed_pair(to + i, {x.words[i], x.words[i + 1]});
    else
      for (unsigned i = 0; i < size; ++i) store_relaxed(to + i, x.words[i]);
  }
  /// Loads the total of a tile into `x` if `wanted` is not 0.
  __device__ void look(unsigned tile, unsigned wanted, tagged_total& x) const {
    word* const from = words + std::size_t{tile} * size;
    if constexpr (size % 2 == 0) {
#pragma unroll
      for (unsigned i = 0; i < size; i += 2) {
        word_pair pair{x.words[i], x.words[i + 1]};
        load_relaxed_pair(from + i, wanted, pair);
        x.words[i] = pair.first;
        x.words[i + 1] = pair.second;
      }
    } else {
#pragma unroll
      for (unsigned i = 0; i < size; ++i) load_relaxed(from + i, wanted, x.words[i]);
    }
  }
  /// 0 if the total had been published when it was loaded.
  __device__ unsigned missing(tagged_total const& x) const {
    unsigned difference = 0;
#pragma unroll
    for (unsigned i = 0; i < size; ++i)
      difference |= static_cast<unsigned>(x.words[i] >> 32) ^ epoch;
    return difference;
  }
};

/// How many totals a lane reads at once: as many as fit its registers. More groups of 32 tiles than
/// a GPU has multiprocessors in flight gain nothing.
template <class A>
inline constexpr unsigned totals_at_once = words_of<A> <= 4   ? 4
                                           : words_of<A> <= 8 ? 2
                                                              : 1;

/// The memory that launches on one stream share: zeros at first, never cleared again. Word 0 is the
/// number of launches so far (high half) and the next ticket (low half), word 1 counts the blocks
/// that draw no more tickets, totals begin at word 2.
struct workspace_words {
  static constexpr std::size_t header = 2;

  word* words;

  /// Words for the totals of `tiles` tiles.
  template <class A>
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t needed(std::size_t tiles) {
    return header + tiles * words_of<A>;
  }
  template <class A>
  __device__ tile_totals<A> totals(unsigned epoch) const {
    return {words + header, epoch};
  }
};

/// The result of drawing a ticket. Tiles are assigned in order, so every earlier tile belongs to a
/// block that is running.
struct ticket {
  unsigned tile;
  unsigned epoch;
};

/// The epoch of the launch that follows `launches` earlier ones; never 0, the content of fresh
/// memory.
__forceinline__ __device__ unsigned epoch_after(unsigned launches) {
  return launches + 1;
}

/// Called by every thread before it accesses global memory. Returns when the earlier work in this
/// kernel's stream has completed and its results are visible; launch() may start the kernel before,
/// to hide the launch latency (programmatic dependent launch). After the call, the stream's next
/// kernel may be started in the same way.
__forceinline__ __device__ void wait_for_earlier_work() {
#if defined(__NVCC__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A ticket that is drawn before it is needed. The compiler computes nothing from it earlier, so
/// the thread does not wait for the draw.
struct drawn_ticket {
  word bits;

  __forceinline__ __device__ ticket when_needed() {
#ifdef __NVCC__
    asm volatile("" : "+l"(bits));
#endif
    return {static_cast<unsigned>(bits), epoch_after(static_cast<unsigned>(bits >> 32))};
  }
};
/// Called by one thread of the block.
__forceinline__ __device__ drawn_ticket draw_ahead(workspace_words const& workspace) {
#ifdef __NVCC__
  word bits;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;"
               : "=l"(bits)
               : "l"(workspace.words)
               : "memory");
  return {bits};
#else
  return {atomicAdd(&workspace.words[0], word{1})};
#endif
}
/// The same of a ticket that is needed now.
__forceinline__ __device__ ticket draw_ticket(workspace_words const& workspace) {
  word const drawn = atomicAdd(&workspace.words[0], word{1});
  return {static_cast<unsigned>(drawn), epoch_after(static_cast<unsigned>(drawn >> 32))};
}

/// The epoch of this launch without drawing a ticket.
__forceinline__ __device__ ticket this_launch(workspace_words const& workspace) {
  word head = 0;
  load_relaxed(workspace.words, 1, head);
  return {0, epoch_after(static_cast<unsigned>(head >> 32))};
}

/// Prepares the workspace for the next launch. Called once, when no block of this launch will read
/// the header again.
__forceinline__ __device__ void begin_next_launch(workspace_words const& workspace,
                                                  unsigned epoch) {
  unsigned const launches = epoch == 0xffffffffU ? 0 : epoch;
  atomicExch(&workspace.words[0], word{launches} << 32);
}

/// Called by one thread of each block when the block draws no more tickets. Whether it is the last
/// block to do so.
__forceinline__ __device__ bool is_last_to_leave(workspace_words const& workspace) {
  __threadfence();  // what this block did comes before it is counted
  if (atomicAdd(&workspace.words[1], word{1}) + 1 != gridDim.x) return false;
  atomicExch(&workspace.words[1], word{0});
  return true;
}
/// The same; the last block prepares the next launch.
__forceinline__ __device__ void leave(workspace_words const& workspace, unsigned epoch) {
  if (is_last_to_leave(workspace)) begin_next_launch(workspace, epoch);
}

}  // namespace upsweep::device
