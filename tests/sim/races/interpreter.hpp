/// Small programs for the threads of a kernel, with a log of what each thread has done.
#pragma once

#include <cstddef>

namespace upsweep::sim_test {

/// The words of these programs. Accesses are followed by the number of an element; every write has
/// its own value.
enum word : unsigned {
  plain_load,
  plain_store,
  volatile_load,
  volatile_store,
  exchange,
  relaxed_load,
  relaxed_store,
  compare_and_swap,  ///< expects zero
  acquire_load,
  release_store,
  exchange_acq_rel,
  release_store_in_block,
  words_per_element,
  // With the number of the instance as value.
  block_barrier = 100,
  warp_barrier,  ///< its mask is `mask`
  device_fence,
  block_fence,
  leave
};

constexpr unsigned global_elements = 3, shared_elements = 2;
constexpr unsigned most_threads = 3 * 64, most_words = 64, most_events = 20000;

struct instruction {
  unsigned what = leave;
  unsigned element = 0;
  unsigned value = 0;  ///< that it writes
  unsigned mask = 0;
};

/// `old`: the value that an atomic found.
struct event {
  unsigned thread, index, old;
};

/// The programs of all threads of a launch, and the events in the order in which they were logged.
struct run_state {
  instruction code[most_threads][most_words];
  event events[most_events];
  std::size_t count = 0;
};

}  // namespace upsweep::sim_test
