/// __syncthreads() and its votes, fences, __nanosleep(), __trap().
#pragma once

#include "keywords.h"

#include <atomic>

UPSWEEP_EMULATED_WORD void __syncthreads() {
  upsweep_emulated_barrier();
}
UPSWEEP_EMULATED_WORD int __syncthreads_count(int predicate) {
  return upsweep_emulated_voting_barrier(1, predicate);
}
UPSWEEP_EMULATED_WORD int __syncthreads_and(int predicate) {
  return upsweep_emulated_voting_barrier(2, predicate);
}
UPSWEEP_EMULATED_WORD int __syncthreads_or(int predicate) {
  return upsweep_emulated_voting_barrier(3, predicate);
}

UPSWEEP_EMULATED_WORD void __threadfence() {
  upsweep_emulated_fence(1, static_cast<int>(std::memory_order_seq_cst));
}
UPSWEEP_EMULATED_WORD void __threadfence_system() {
  upsweep_emulated_fence(1, static_cast<int>(std::memory_order_seq_cst));
}
UPSWEEP_EMULATED_WORD void __threadfence_block() {
  upsweep_emulated_fence(0, static_cast<int>(std::memory_order_seq_cst));
}

UPSWEEP_EMULATED_WORD void __nanosleep(unsigned) {
  upsweep_emulated_pause();
}
UPSWEEP_EMULATED_WORD void __trap() {
  upsweep_emulated_trap();
}
