/// A kernel that interprets a program for each of its threads. All accesses of an element are in
/// one line, so that the lines of a finding name the element.
#include "interpreter.hpp"

#include "../plain/launch.cuh"

#include <cuda/atomic>

namespace {

using namespace upsweep::sim_test;

run_state* state = nullptr;

// These are the observer's: the emulator does not see them.
#define UNSEEN __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))

UNSEEN instruction next_word(unsigned thread, unsigned index) {
  return state->code[thread][index];
}
UNSEEN void record(unsigned thread, unsigned index, unsigned old) {
  if (state->count < most_events) state->events[state->count++] = {thread, index, old};
}

template <cuda::thread_scope scope>
using word_ref = cuda::atomic_ref<unsigned, scope>;
using device_ref = word_ref<cuda::thread_scope_device>;
using block_ref = word_ref<cuda::thread_scope_block>;

// clang-format off
#define ACCESSES(number, place)                                                                   \
  case number * words_per_element + plain_load: old = place; break;                               \
  case number * words_per_element + plain_store: place = c.value; break;                          \
  case number * words_per_element + volatile_load:                                                \
    old = *static_cast<unsigned volatile*>(&place); break;                                        \
  case number * words_per_element + volatile_store:                                               \
    *static_cast<unsigned volatile*>(&place) = c.value; break;                                    \
  case number * words_per_element + exchange: old = atomicExch(&place, c.value); break;           \
  case number * words_per_element + relaxed_load:                                                 \
    old = device_ref(place).load(cuda::memory_order_relaxed); break;                              \
  case number * words_per_element + relaxed_store:                                                \
    device_ref(place).store(c.value, cuda::memory_order_relaxed); break;                          \
  case number * words_per_element + compare_and_swap: old = atomicCAS(&place, 0u, c.value); break; \
  case number * words_per_element + acquire_load:                                                 \
    old = device_ref(place).load(cuda::memory_order_acquire); break;                              \
  case number * words_per_element + release_store:                                                \
    device_ref(place).store(c.value, cuda::memory_order_release); break;                          \
  case number * words_per_element + exchange_acq_rel:                                             \
    old = device_ref(place).exchange(c.value, cuda::memory_order_acq_rel); break;                 \
  case number * words_per_element + release_store_in_block:                                       \
    block_ref(place).store(c.value, cuda::memory_order_release); break;
// clang-format on

__global__ void interpret(unsigned* global) {
  __shared__ unsigned shared[shared_elements];
  unsigned const me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned index = 0;; ++index) {
    instruction const c = next_word(me, index);
    unsigned old = 0;
    switch (c.what < block_barrier ? c.element * words_per_element + c.what : 0u + c.what * 100) {
      ACCESSES(0, global[0])  // element 0
      ACCESSES(1, global[1])  // element 1
      ACCESSES(2, global[2])  // element 2
      ACCESSES(3, shared[0])  // element 3
      ACCESSES(4, shared[1])  // element 4
      case block_barrier * 100:
        __syncthreads();
        break;
      case warp_barrier * 100:
        __syncwarp(c.mask);
        break;
      case device_fence * 100:
        __threadfence();
        break;
      case block_fence * 100:
        __threadfence_block();
        break;
      default:
        record(me, index, 0);
        return;
    }
    record(me, index, old);
  }
}

}  // namespace

extern "C" void run_programs(run_state* s, unsigned blocks, unsigned threads, unsigned* global) {
  state = s;
  LAUNCH(interpret, blocks, threads)(global);
}
