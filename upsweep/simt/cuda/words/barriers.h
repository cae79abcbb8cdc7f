/// __syncthreads() and its votes, fences, orders and scopes, __nanosleep(), __trap().
#pragma once

#include "keywords.h"

// Orders and scopes of atomic accesses.
namespace upsweep::emulated {

/// The values are those of std::memory_order.
enum class order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
enum class scope : int { block, cluster, device, system };

/// Inlined, like all that kernels call: a function has basic blocks of its own, which would join
/// the paths of all its calls.
UPSWEEP_EMULATED_WORD constexpr bool is_wide(scope s) {
  return s != scope::block;
}

UPSWEEP_EMULATED_WORD void fence(scope s, order o) {
  upsweep_emulated_fence(is_wide(s), static_cast<int>(o));
}

}  // namespace upsweep::emulated

/// Tells apart the barriers of one line, which its copies made by the compiler share. Clang's
/// std::source_location reads it from memory, which in a browser lies after the program's
/// variables.
#ifdef __clang__
#define UPSWEEP_EMULATED_COLUMN __builtin_COLUMN()
#else
#include <source_location>
#define UPSWEEP_EMULATED_COLUMN std::source_location::current().column()
#endif

UPSWEEP_EMULATED_WORD void __syncthreads(unsigned column = UPSWEEP_EMULATED_COLUMN) {
  upsweep_emulated_barrier(column);
}
UPSWEEP_EMULATED_WORD int __syncthreads_count(int predicate,
                                              unsigned column = UPSWEEP_EMULATED_COLUMN) {
  return upsweep_emulated_voting_barrier(1, predicate, column);
}
UPSWEEP_EMULATED_WORD int __syncthreads_and(int predicate,
                                            unsigned column = UPSWEEP_EMULATED_COLUMN) {
  return upsweep_emulated_voting_barrier(2, predicate, column);
}
UPSWEEP_EMULATED_WORD int __syncthreads_or(int predicate,
                                           unsigned column = UPSWEEP_EMULATED_COLUMN) {
  return upsweep_emulated_voting_barrier(3, predicate, column);
}

UPSWEEP_EMULATED_WORD void __threadfence() {
  upsweep::emulated::fence(upsweep::emulated::scope::device, upsweep::emulated::order::seq_cst);
}
UPSWEEP_EMULATED_WORD void __threadfence_system() {
  upsweep::emulated::fence(upsweep::emulated::scope::system, upsweep::emulated::order::seq_cst);
}
UPSWEEP_EMULATED_WORD void __threadfence_block() {
  upsweep::emulated::fence(upsweep::emulated::scope::block, upsweep::emulated::order::seq_cst);
}

UPSWEEP_EMULATED_WORD void __nanosleep(unsigned) {
  upsweep_emulated_pause();
}
UPSWEEP_EMULATED_WORD void __trap() {
  upsweep_emulated_trap();
}
/// There is no debugger to stop in.
UPSWEEP_EMULATED_WORD void __brkpt() {}
UPSWEEP_EMULATED_WORD void __prof_trigger(int) {}
