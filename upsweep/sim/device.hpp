/// The devices whose limits the emulator knows, one for each compute capability.
#pragma once

#include <upsweep/simt/cuda/abi.h>

#include <cstddef>
#include <span>

namespace upsweep::sim {

using device_limits = upsweep_emulated_device;

/// In order of compute capability.
[[nodiscard]] std::span<device_limits const> devices();
/// `capability`: 90 for 9.0. Throws upsweep::precondition_error if there is none.
[[nodiscard]] device_limits const& device_of(int capability);
[[nodiscard]] constexpr int capability_of(device_limits const& d) {
  return d.major * 10 + d.minor;
}
/// The most shared memory that a block can have; 48 KiB of it without cudaFuncSetAttribute().
[[nodiscard]] constexpr std::size_t most_shared_bytes_of(device_limits const& d) {
  return d.shared_bytes - d.reserved_bytes;
}

}  // namespace upsweep::sim
