/// Barriers of a part of a block, made of atomics on words of shared memory.
#pragma once

#include "barriers.h"
#include "transaction_barriers.h"

#include <cstddef>

namespace upsweep::emulated::part {

/// The numbers of bar.sync, then a barrier for each tile of 64, 128, 256 and 512 threads.
inline constexpr unsigned named = 16, tiles = 16 + 8 + 4 + 2;

UPSWEEP_EMULATED_WORD transaction::state* barrier(unsigned number) {
  __shared__ transaction::state barriers_of_parts[1 + named + tiles];
  upsweep_emulated_zeroed(barriers_of_parts, sizeof barriers_of_parts);
  return &barriers_of_parts[1 + number];
}

/// One thread of `threads` arrives; the first of a phase says how many they are.
struct arrival {
  UPSWEEP_EMULATED_UNSEEN static bool update(std::byte* place, void const* operand, void* old) {
    auto& state = *reinterpret_cast<transaction::state*>(place);
    auto f = transaction::unpacked(state);
    if (f.missing == f.expected) f.missing = f.expected = *static_cast<unsigned const*>(operand);
    *static_cast<transaction::state*>(old) = transaction::packed(f);
    if (--f.missing == 0) {
      f.parity ^= 1;
      f.missing = f.expected;
    }
    state = transaction::packed(f);
    return true;
  }
};
/// Returns the state before.
UPSWEEP_EMULATED_WORD transaction::fields arrive(unsigned number, unsigned threads) {
  auto const before = transaction::unpacked(
      atomic<transaction::state>(atomic_kind::update, barrier(number), arrival::update, &threads,
                                 order::acq_rel, scope::block));
  if (before.expected != threads)
    upsweep_emulated_misuse("threads that meet at one barrier say different numbers of threads");
  return before;
}
UPSWEEP_EMULATED_WORD void wait(unsigned number, unsigned threads) {
  auto const before = arrive(number, threads);
  transaction::wait(barrier(number), before.parity);
}

}  // namespace upsweep::emulated::part
