/// The available GPUs. absent.cpp implements it in a tool without CUDA.
#pragma once

#include <cli/engine/device_stream.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

struct device {
  int number = 0;
  std::string name;    ///< "NVIDIA H200"
  int capability = 0;  ///< 10 · major + minor
  int multiprocessors = 0;
  std::size_t memory = 0, l2_bytes = 0;
};

/// The state of CUDA on this machine.
struct presence {
  bool is_built = false;        ///< this tool has CUDA code
  std::string toolkit, driver;  ///< the CUDA version of the build, and the newest that the driver
                                ///< supports; "13.0"
  std::string architectures;    ///< compute capabilities that its kernels are compiled for
  std::vector<device> devices;
  std::string trouble;  ///< why there are no devices, as a clause for a message; empty if there are
};

/// Never throws; `trouble` describes what is missing.
[[nodiscard]] presence look();

/// The current device. Throws unavailable_error if CUDA, a driver or a device is missing; the
/// message begins with `who` and ends with `instead`.
[[nodiscard]] device require(std::string const& who, std::string const& instead);

/// The streams of `upsweep reduce` and `upsweep scan` on the GPU that is current. Values go there
/// and results come back 64 MiB at a time. Failures of CUDA are unavailable_error.
[[nodiscard]] device_streams const& streams();

}  // namespace upsweep::cli::gpu
