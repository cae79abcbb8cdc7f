/// The addresses of a module's thread-local variables: its shared arrays, and those of the host.
///
/// Position-independent code asks this function for them. It takes precedence over the C library's
/// function of the same name in every program that links it; what is no shared array goes there.
#include <upsweep/sim/loaded_code.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/modules/addresses.hpp>

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>

// Modules see thread-local variables of the program, and ask `__tls_get_addr` for their addresses.
// It answers with the positions where the emulator keeps the values of the running thread.

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

/// Of the running thread, if the variable at this offset of the program's thread-local memory is
/// one of them; else null.
void const* index_variable(std::size_t offset) {
  lane_view const* const l = running.lane;
  if (l == nullptr) return nullptr;
  void const* const values[] = {&l->thread, &l->block->index, &l->block->threads,
                                &l->block->blocks};
  for (std::size_t i = 0; i < 4; ++i)
    if (offsets[i].load(std::memory_order_relaxed) == offset + 1) return values[i];
  return nullptr;
}

/// The C library's address of the variable at this offset is `place`.
void learn_index_variable(void const* place, std::size_t offset) {
  void const* const variables[] = {&threadIdx, &blockIdx, &blockDim, &gridDim};
  for (std::size_t i = 0; i < 4; ++i)
    if (place == variables[i]) offsets[i].store(offset + 1, std::memory_order_relaxed);
}

/// What the linker leaves for each variable. An array that no module defines, `extern __shared__`,
/// has module 0: it is the dynamic shared memory.
struct tls_index {
  std::size_t module, offset;
};
using finder = void* (*)(tls_index*);

constinit std::atomic<finder> c_library = nullptr;
constexpr std::size_t most_modules = 4096;
constinit std::atomic<bool> is_kernels[most_modules] = {};

[[gnu::always_inline]] inline std::size_t cell_of(tls_index const& i) {
  return i.module == 0 ? dynamic_cell : first_cell + i.offset / cell_bytes;
}

/// Whether it is one if its module is one of kernels.
bool is_array(tls_index const& i) {
  return i.module == 0 || is_offset_of_array(i.offset);
}

/// Host code uses a shared array: what it does there is reported, and has no effect on kernels.
UPSWEEP_SIM_RARE void* for_host(tls_index const& i) {
  window_of_host().open(cell_of(i), cell_bytes);
  return window_of_host().begin() + cell_of(i) * cell_bytes;
}

/// The linker's number of the program itself.
constexpr std::size_t program = 1;

/// What nobody writes must be poisoned before the first access, also one that nobody reports.
void create(std::size_t cell) {
  busy_scope const busy;
  without_throwing([&] {
    static_cast<void>(here.by->shared_arrays().array_in_cell(*running_lane().of->of, cell));
  });
}

[[gnu::noinline]] void* other_variable(tls_index* i) {
  if (i->module == program)
    if (void const* const place = index_variable(i->offset); place != nullptr)
      return const_cast<void*>(place);
  bool const is_dynamic = i->module == 0;
  if (is_array(*i)) {
    if (running.lane != nullptr && (is_dynamic || i->module == here.tls_module)) {
      std::size_t const cell = cell_of(*i);
      if (here.cells[cell] == nullptr) create(cell);
      return here.window + cell * cell_bytes;
    }
    if (is_dynamic || (i->module < most_modules && is_kernels[i->module].load()))
      return for_host(*i);
  }
  finder find = c_library.load();
  if (find == nullptr) {
    find = reinterpret_cast<finder>(dlsym(RTLD_NEXT, "__tls_get_addr"));
    c_library.store(find);
  }
  void* const place = find(i);
  if (i->module != program || running.lane == nullptr) return place;
  learn_index_variable(place, i->offset);
  void const* const known = index_variable(i->offset);
  return known == nullptr ? place : const_cast<void*>(known);
}

}  // namespace

void serve_shared_arrays(loaded_code const& code) {
  if (code.tls_module >= most_modules)
    throw std::runtime_error("a program loads at most 4095 modules with shared arrays");
  if (code.shared_bytes > (cell_count - first_cell - 1) * cell_bytes)
    throw std::runtime_error("a module has at most 4088 shared arrays: split the file");
  is_kernels[code.tls_module].store(true);
}

}  // namespace upsweep::sim

extern "C" [[gnu::visibility("default")]] void* __tls_get_addr(upsweep::sim::tls_index* i) {
  using namespace upsweep::sim;
  if (i->module != here.tls_module || here.cells[cell_of(*i)] == nullptr) [[unlikely]]
    return other_variable(i);
  return here.window + first_cell * cell_bytes + i->offset;
}
