/// How blocks tell each other their totals: every 32 bits of a value travel with the stamp of their launch, in one 64-bit word.
///
/// Value and stamp become visible together, so relaxed accesses suffice and no fence is needed; and a word of an earlier launch has
/// another stamp, so nothing is cleared between launches. The stamps stand at the same addresses whatever the type of the values
/// is, so launches of different types may use the same memory one after another.
#pragma once

#include <upsweep/simt/kernel.hpp>

#include <cstddef>
#include <cstring>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::global;

using word = unsigned long long;

// The functions of this file that take no type of their own are templates too: a function in a header has to be inline, and the
// word cannot be written, because under g++ it is part of __device__.

/// 64-bit words that carry one value of type A.
template <class A>
inline constexpr unsigned words_of = static_cast<unsigned>((sizeof(A) + 3) / 4);

/// Device-wide relaxed accesses: one 64-bit word, or two neighbours in one instruction, each for itself untorn. A load that is not
/// wanted gives zeros; it is predicated, not branched around, so that the loads of several tiles are under way together.
struct word_pair {
  word first, second;
};
template <class = void>
__device__ word load_relaxed(global<word> p, bool wanted) {
#ifdef __CUDACC__
  word x = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.relaxed.gpu.global.u64 %0, [%1];}"
               : "+l"(x)
               : "l"(p), "r"(unsigned{wanted})
               : "memory");
  return x;
#else
  if (!wanted) return 0;
  ::cuda::atomic_ref<word, ::cuda::thread_scope_device> place(p[0]);
  return place.load(::cuda::memory_order_relaxed);
#endif
}
template <class = void>
__device__ word_pair load_relaxed_pair(global<word> p, bool wanted) {
#ifdef __CUDACC__
  word_pair x{0, 0};
  asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];}"
               : "+l"(x.first), "+l"(x.second)
               : "l"(p), "r"(unsigned{wanted})
               : "memory");
  return x;
#else
  return {load_relaxed(p, wanted), load_relaxed(p + 1, wanted)};
#endif
}
template <class = void>
__device__ void store_relaxed(global<word> p, word x) {
#ifdef __CUDACC__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
#else
  ::cuda::atomic_ref<word, ::cuda::thread_scope_device> place(p[0]);
  place.store(x, ::cuda::memory_order_relaxed);
#endif
}
template <class = void>
__device__ void store_relaxed_pair(global<word> p, word_pair x) {
#ifdef __CUDACC__
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(x.first), "l"(x.second) : "memory");
#else
  store_relaxed(p, x.first);
  store_relaxed(p + 1, x.second);
#endif
}

/// Between two looks at totals that were not there. A GPU runs the other warps anyway, and sleeping gained nothing when it was
/// tried; the emulator has to be told that this thread waits for others.
template <class = void>
__device__ void look_again() {
#ifndef __CUDACC__
  __nanosleep(0);
#endif
}

/// One value of type A for each tile, readable by every block of the launch that carries `stamp`. `words` is aligned to 16 bytes.
template <class A>
struct tile_totals {
  static constexpr unsigned size = words_of<A>;

  global<word> words;
  unsigned stamp;

  __device__ void publish(std::size_t tile, A const& total) const {
    unsigned bits[size] = {};
    std::memcpy(bits, &total, sizeof(A));
    global<word> const to = words + tile * size;
    word const high = word{stamp} << 32;
    if constexpr (size % 2 == 0)
      for (unsigned i = 0; i < size; i += 2) store_relaxed_pair(to + i, {high | bits[i], high | bits[i + 1]});
    else
      for (unsigned i = 0; i < size; ++i) store_relaxed(to + i, high | bits[i]);
  }

  /// Whether the tile's total was there; then `total` is it, and otherwise as before.
  __device__ bool read(std::size_t tile, bool wanted, A& total) const {
    unsigned bits[size];
    global<word> const from = words + tile * size;
    unsigned missing = 0;
    if constexpr (size % 2 == 0) {
      for (unsigned i = 0; i < size; i += 2) {
        word_pair const x = load_relaxed_pair(from + i, wanted);
        bits[i] = static_cast<unsigned>(x.first);
        bits[i + 1] = static_cast<unsigned>(x.second);
        missing |= (static_cast<unsigned>(x.first >> 32) ^ stamp) | (static_cast<unsigned>(x.second >> 32) ^ stamp);
      }
    } else {
      for (unsigned i = 0; i < size; ++i) {
        word const x = load_relaxed(from + i, wanted);
        bits[i] = static_cast<unsigned>(x);
        missing |= static_cast<unsigned>(x >> 32) ^ stamp;
      }
    }
    if (missing == 0) std::memcpy(&total, bits, sizeof(A));
    return missing == 0;
  }
};

/// The memory that launches on one stream share: zeros when it is made, never cleared again. Word 0 is the number of launches so
/// far (high half) and the next ticket (low half), word 1 counts the blocks that are done with their tickets, totals begin at
/// word 2.
struct workspace_words {
  static constexpr std::size_t header = 2;

  global<word> words;

  /// Words for the totals of `tiles` tiles.
  template <class A>
  [[nodiscard]] static constexpr std::size_t needed(std::size_t tiles) {
    return header + tiles * words_of<A>;
  }
  template <class A>
  __device__ tile_totals<A> totals(unsigned stamp) const {
    return {words + header, stamp};
  }
};

/// What a block learns when it draws a ticket: tiles are handed out in order, so every earlier tile belongs to a block that runs.
struct ticket {
  unsigned tile;
  unsigned stamp;
};

/// The stamp of the launch that follows `launches` earlier ones; never 0, which is what fresh memory holds.
template <class = void>
__device__ unsigned stamp_after(unsigned launches) {
  return launches + 1;
}

/// Called by one thread of the block.
template <class = void>
__device__ ticket draw_ticket(workspace_words const& workspace) {
  word const drawn = atomicAdd(&workspace.words[0], word{1});
  return {static_cast<unsigned>(drawn), stamp_after(static_cast<unsigned>(drawn >> 32))};
}

/// The stamp of this launch without drawing a ticket.
template <class = void>
__device__ ticket this_launch(workspace_words const& workspace) {
  return {0, stamp_after(static_cast<unsigned>(load_relaxed(workspace.words, true) >> 32))};
}

/// Readies the workspace for the next launch. Called once, when no block of this one will look at the header any more.
template <class = void>
__device__ void begin_next_launch(workspace_words const& workspace, unsigned stamp) {
  unsigned const launches = stamp == 0xffffffffU ? 0 : stamp;
  atomicExch(&workspace.words[0], word{launches} << 32);
}

/// Called by one thread of each block after the block's first ticket beyond the last tile: the last one to come begins the next
/// launch.
template <class = void>
__device__ void leave(workspace_words const& workspace, unsigned stamp) {
  __threadfence();  // our ticket is drawn before we are counted
  if (atomicAdd(&workspace.words[1], word{1}) + 1 != gridDim.x) return;
  atomicExch(&workspace.words[1], word{0});
  begin_next_launch(workspace, stamp);
}

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
