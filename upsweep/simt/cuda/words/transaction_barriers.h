/// mbarrier: a barrier of 8 bytes in shared memory, which counts arrivals of threads and bytes of
/// copies. cuda::barrier and ptx::mbarrier_* are made of these functions.
#pragma once

#include "atomics.h"

#include <cstddef>

namespace upsweep::emulated::transaction {

/// The object: arrivals that are missing in this phase (15 bits), those of every phase (15 bits),
/// bytes that are missing (32 bits, may be negative for a while), and the parity of the phase.
struct fields {
  unsigned missing : 15, expected : 15, parity : 1, unused : 1;
  int bytes;
};

UPSWEEP_EMULATED_UNSEEN inline unsigned long long packed(fields f) {
  return __builtin_bit_cast(unsigned long long, f);
}
UPSWEEP_EMULATED_UNSEEN inline fields unpacked(unsigned long long state) {
  return __builtin_bit_cast(fields, state);
}

/// A change: `bytes` more are missing, then `arrivals` fewer threads; `leave` of them do not take
/// part in later phases.
struct change {
  UPSWEEP_EMULATED_UNSEEN static bool update(std::byte* place, void const* operand, void* old) {
    auto& state = *reinterpret_cast<unsigned long long*>(place);
    auto const& c = *static_cast<change const*>(operand);
    *static_cast<unsigned long long*>(old) = state;
    fields f = unpacked(state);
    f.bytes += c.bytes;
    f.missing -= c.arrivals;
    f.expected -= c.leave;
    if (f.missing == 0 && f.bytes == 0) {
      f.parity ^= 1;
      f.missing = f.expected;
    }
    state = packed(f);
    return true;
  }

  int bytes;
  unsigned arrivals, leave;
};

using state = unsigned long long;

UPSWEEP_EMULATED_WORD void init(state* barrier, unsigned count) {
  if (count < 1 || count >= 1U << 15)
    upsweep_emulated_misuse("an mbarrier is initialized for 1 to 32767 arrivals");
  *barrier = packed({count, count, 0, 0, 0});  // plain, so that others may not arrive before it
}
/// Returns the state before.
UPSWEEP_EMULATED_WORD state apply(state* barrier, change c) {
  state const before =
      atomic<state>(atomic_kind::update, barrier, change::update, &c, order::acq_rel, scope::block);
  if (c.arrivals > unpacked(before).missing)
    upsweep_emulated_misuse(
        "more threads arrive at a barrier in one phase than it was initialized for");
  return before;
}
UPSWEEP_EMULATED_WORD state arrive(state* barrier, unsigned count = 1) {
  return apply(barrier, {0, count, 0});
}
UPSWEEP_EMULATED_WORD state arrive_and_expect(state* barrier, unsigned bytes, unsigned count = 1) {
  return apply(barrier, {static_cast<int>(bytes), count, 0});
}
UPSWEEP_EMULATED_WORD void expect(state* barrier, unsigned bytes) {
  apply(barrier, {static_cast<int>(bytes), 0, 0});
}
/// Bytes have been copied.
UPSWEEP_EMULATED_WORD void complete(state* barrier, unsigned bytes) {
  apply(barrier, {-static_cast<int>(bytes), 0, 0});
}
UPSWEEP_EMULATED_WORD void drop(state* barrier) {
  apply(barrier, {0, 1, 1});
}
/// Whether the phase of this parity is complete.
UPSWEEP_EMULATED_WORD bool is_complete(state const* barrier, unsigned parity) {
  return unpacked(atomic_load(barrier, order::acquire, scope::block)).parity != (parity & 1);
}
UPSWEEP_EMULATED_WORD bool is_complete_since(state const* barrier, state before) {
  return is_complete(barrier, unpacked(before).parity);
}
UPSWEEP_EMULATED_WORD void wait(state const* barrier, unsigned parity) {
  while (!is_complete(barrier, parity)) {
  }
}

}  // namespace upsweep::emulated::transaction

// Barriers of a part of a block, made of atomics on words of shared memory.
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
