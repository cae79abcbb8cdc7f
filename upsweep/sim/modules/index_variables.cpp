/// threadIdx, blockIdx, blockDim, gridDim.
///
/// Modules see thread-local variables of the program, and ask `__tls_get_addr` for their addresses.
/// It answers with the positions where the emulator keeps the values of the running thread.
#include <upsweep/sim/modules/index_variables.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/modules/exported.hpp>

#include <atomic>

extern "C" {
// Host code sees these, which are 0.
#define UPSWEEP_SIM_INDEX [[gnu::visibility("default"), gnu::used]] __thread upsweep_emulated_extent
UPSWEEP_SIM_INDEX threadIdx;
UPSWEEP_SIM_INDEX blockIdx;
UPSWEEP_SIM_INDEX blockDim;
UPSWEEP_SIM_INDEX gridDim;
}

namespace upsweep::sim {

namespace {

/// Their offsets in the program's thread-local memory, plus 1; 0: not seen yet.
constinit std::atomic<std::size_t> offsets[4] = {};

}  // namespace

void const* index_variable(std::size_t offset) {
  lane_view const* const l = running.lane;
  if (l == nullptr) return nullptr;
  void const* const values[] = {&l->thread, &l->block->index, &l->block->threads,
                                &l->block->blocks};
  for (std::size_t i = 0; i < 4; ++i)
    if (offsets[i].load(std::memory_order_relaxed) == offset + 1) return values[i];
  return nullptr;
}

void learn_index_variable(void const* place, std::size_t offset) {
  void const* const variables[] = {&threadIdx, &blockIdx, &blockDim, &gridDim};
  for (std::size_t i = 0; i < 4; ++i)
    if (place == variables[i]) offsets[i].store(offset + 1, std::memory_order_relaxed);
}

}  // namespace upsweep::sim
