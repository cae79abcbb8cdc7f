/// How the state after a block of tokens reaches the tile of the block after it.
///
/// A tile publishes the states after its lines. With many lines they are there before they are
/// needed. With few lines, the tiles that are computed at the same time are those of many blocks
/// one after another. They publish the totals of their blocks, too, and each looks back to the
/// nearest state, to which it applies the totals since then, from left to right.
#pragma once

#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>

#include <cstddef>

namespace upsweep::device {

/// Words for the states after all blocks but the last of so many lines, and for their totals.
template <class N>
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t words_of_states(std::size_t lines,
                                                                 std::size_t blocks) {
  return (lines * (blocks - 1) * words_of<N> + 1) / 2 * 2;  // totals are aligned to 16 bytes
}
template <class N>
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t words_of_totals(std::size_t lines,
                                                                 std::size_t blocks) {
  return lines * (blocks - 1) * words_of<recurrence_map<N>>;
}

/// What the tiles of a launch have published.
template <class N>
struct published_states {
  word* words;
  unsigned epoch;
  std::size_t lines, totals_at;  ///< words before the totals

  /// The state after a block of a line, and the block's total.
  __device__ tile_totals<N> state(unsigned block, std::size_t line) const {
    return {words + (block * lines + line) * words_of<N>, epoch};
  }
  __device__ tile_totals<recurrence_map<N>> total(unsigned block, std::size_t line) const {
    return {words + totals_at + (block * lines + line) * words_of<recurrence_map<N>>, epoch};
  }
};
template <class E, class N>
__device__ published_states<N> published_by(anchored_call<E, N> const& call,
                                            workspace_words const& workspace, unsigned epoch) {
  return {workspace.words + workspace_words::header, epoch, call.lines(), call.totals_at};
}

/// Waits for what `at` publishes, of which `found` has been seen.
template <class N>
__device__ void wait_for(tile_totals<N> const& at, typename tile_totals<N>::tagged_total& found) {
  for (; at.missing(found) != 0; at.look(0, 1, found)) look_again();
}

/// Shared memory of looking back: by thread, and by line of the tile.
template <class N>
struct look_back_memory {
  simt::boxed<recurrence_map<N>>* totals;
  simt::boxed<N>* states;
  unsigned *nearest, *gap;  ///< blocks back: the nearest state, and the nearest total not there
  unsigned* wanted;
};

/// Called by all threads of a tile with `lines` lines, of which the first `lines` threads give
/// whether the state before block `block` of their line is missing, and get it.
template <unsigned threads, class N>
__device__ N look_back(published_states<N> const& published, unsigned block, std::size_t first_line,
                       unsigned lines, bool missing, look_back_memory<N> const& memory) {
  unsigned const mine = threadIdx.x, line = mine % lines, back = mine / lines,
                 window = threads / lines;
  N state{};
  do {
    if (mine < lines) {
      memory.nearest[mine] = memory.gap[mine] = ~0U;
      memory.wanted[mine] = missing;
    }
    __syncthreads();  // the lines that look are known
    if (back < window && back < block && memory.wanted[line] != 0) {
      auto const at_state = published.state(block - 1 - back, first_line + line);
      auto const at_total = published.total(block - 1 - back, first_line + line);
      typename tile_totals<N>::tagged_total found{};
      typename tile_totals<recurrence_map<N>>::tagged_total total{};
      at_state.look(0, 1, found);
      at_total.look(0, 1, total);
      memory.states[mine] = found.value();
      memory.totals[mine] = total.value();
      if (at_state.missing(found) == 0) atomicMin(memory.nearest + line, back);
      if (at_total.missing(total) != 0) atomicMin(memory.gap + line, back);
    }
    __syncthreads();  // what is published is in shared memory
    if (mine < lines && missing) {
      unsigned const nearest = memory.nearest[mine];
      if (nearest != ~0U && nearest <= memory.gap[mine]) {
        state = memory.states[nearest * lines + mine];
#pragma unroll 1
        for (unsigned k = nearest; k-- > 0;)
          state = recurrence_map<N>(memory.totals[k * lines + mine])(state);
        missing = false;
      } else {
        look_again();
      }
    }
  } while (__syncthreads_or(missing) != 0);
  return state;
}

/// Called by all threads of a tile, whose first ones have its lines: stores the states before block
/// `block` of the lines in `states`, and publishes those after it. `whole` is the block's total of
/// a thread's line.
template <unsigned threads, unsigned width, class E, class N, class Thread>
__device__ void hand_on_states(anchored_call<E, N> const& call,
                               published_states<N> const& published, Thread const& thread,
                               unsigned block, std::size_t first_line,
                               typename tile_totals<N>::tagged_total found,
                               recurrence_map<N> const& whole, simt::boxed<N>* states,
                               look_back_memory<N> const& memory) {
  bool const leads = threadIdx.x < width && thread.exists();
  std::size_t const line = first_line + threadIdx.x;
  N state{};
  bool missing = false;
  if (leads && block == 0) state = thread.value_before();
  if (leads && block != 0) {
    auto const at = published.state(block - 1, line);
    if (call.totals_at == 0) wait_for(at, found);
    missing = at.missing(found) != 0;
    if (!missing) state = found.value();
  }
  if (call.totals_at != 0 && __syncthreads_or(missing) != 0) {
    if (missing && !thread.is_last()) published.total(block, line).publish(0, whole);
    std::size_t const left = call.lines() - first_line;
    N const seen =
        look_back<threads>(published, block, first_line,
                           left < width ? static_cast<unsigned>(left) : width, missing, memory);
    if (missing) state = seen;
  }
  if (leads) {
    states[threadIdx.x] = state;
    if (!thread.is_last()) published.state(block, line).publish(0, whole(state));
  }
  __syncthreads();  // the states before the block are known
}

}  // namespace upsweep::device
