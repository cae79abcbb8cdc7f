/// The address that called the hook. Callers of hooks are always inlined into the kernel.
///
/// WebAssembly has no return addresses. There lab/wasm/instrument.mjs numbers the calls of a
/// module, and each stores its number before it calls.
#pragma once

#include <cstdint>

#ifdef __wasm__
extern "C" std::uint32_t upsweep_sim_caller;
#define UPSWEEP_SIM_CALLER static_cast<std::uint64_t>(upsweep_sim_caller)
#else
#define UPSWEEP_SIM_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#endif
