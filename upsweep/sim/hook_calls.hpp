/// What belongs to every hook: its linkage, the address that called it, and the size and alignment
/// of the element.
#pragma once

#include <cstdint>

/// How the functions of upsweep/simt/cuda/abi.h are defined.
#define UPSWEEP_SIM_EXPORTED extern "C" [[gnu::visibility("default")]]

/// The address that called the hook. Callers of hooks are always inlined into the kernel.
// WebAssembly has no return addresses. There lab/wasm/instrument.mjs numbers the calls of a
// module, and each stores its number before it calls.
#ifdef __wasm__
extern "C" std::uint32_t upsweep_sim_caller;
#define UPSWEEP_SIM_CALLER static_cast<std::uint64_t>(upsweep_sim_caller)
#else
#define UPSWEEP_SIM_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#endif

namespace upsweep::sim {

/// Size in the low 16 bits, the alignment less 1 above.
using layout = std::uint32_t;
template <class T>
inline constexpr layout layout_of =
    static_cast<layout>(sizeof(T)) | static_cast<layout>(alignof(T) - 1) << 16;

}  // namespace upsweep::sim
