/// __pipeline_memcpy_async() and its like: cp.async in C.
#pragma once

#include "cuda_runtime.h"

#include <cstddef>

UPSWEEP_EMULATED_WORD void __pipeline_memcpy_async(void* to, void const* from, std::size_t bytes,
                                                   std::size_t zeros = 0) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    upsweep_emulated_misuse("__pipeline_memcpy_async() copies 4, 8 or 16 bytes");
  upsweep_emulated_start_copy(to, from, static_cast<unsigned>(bytes),
                              static_cast<unsigned>(bytes - zeros));
}
UPSWEEP_EMULATED_WORD void __pipeline_commit() {
  upsweep_emulated_commit_copies();
}
UPSWEEP_EMULATED_WORD void __pipeline_wait_prior(std::size_t groups) {
  upsweep_emulated_wait_for_copies(static_cast<int>(groups));
}
