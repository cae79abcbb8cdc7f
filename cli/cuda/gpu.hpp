/// Which GPUs there are; absent.cpp stands in for a tool that was built without CUDA.
#pragma once

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

/// What of CUDA there is.
struct presence {
  bool is_built = false;        ///< this tool has CUDA code
  std::string toolkit, driver;  ///< the CUDA version that it was built with, and the newest that
                                ///< the driver knows; "13.0"
  std::string architectures;    ///< compute capabilities that its kernels are compiled for
  std::vector<device> devices;
  std::string trouble;  ///< why there are no devices, as a sentence without a subject; empty when
                        ///< there are some
};

/// Never throws: what is missing is said in `trouble`.
[[nodiscard]] presence look();

/// The device that is current. Throws unavailable_error without CUDA, a driver or a device: "`who`
/// ...; `instead`".
[[nodiscard]] device require(std::string const& who, std::string const& instead);

}  // namespace upsweep::cli::gpu
