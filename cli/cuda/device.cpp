/// Queries the CUDA runtime for the driver and the devices.
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>
#include <upsweep/cuda/check.cuh>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace upsweep::cli::gpu {

namespace {

/// "13.0" for 13000.
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

device described(int number) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, number), "query the GPU's properties");
  return {number,
          properties.name,
          10 * properties.major + properties.minor,
          properties.multiProcessorCount,
          properties.totalGlobalMem,
          static_cast<std::size_t>(properties.l2CacheSize)};
}

/// Why the runtime found no device.
std::string trouble_of(cudaError_t code, int driver) {
  if (driver == 0) return "no NVIDIA driver is installed on this machine";
  if (code == cudaErrorInsufficientDriver)
    return fmt::format(
        "the NVIDIA driver supports CUDA up to {}, but this tool needs {}; install a newer driver",
        version_text(driver), version_text(CUDART_VERSION));
  if (code == cudaSuccess || code == cudaErrorNoDevice)
    return "this process has no access to an NVIDIA GPU; check nvidia-smi and "
           "CUDA_VISIBLE_DEVICES";
  return fmt::format("CUDA cannot be used: {} ({})", cudaGetErrorString(code),
                     cudaGetErrorName(code));
}

}  // namespace

presence look() {
  presence p;
  p.is_built = true;
  p.toolkit = version_text(CUDART_VERSION);
  p.architectures = UPSWEEP_CLI_CUDA_ARCHITECTURES;
  int driver = 0, count = 0;
  (void)cudaDriverGetVersion(&driver);
  if (driver != 0) p.driver = version_text(driver);
  cudaError_t const code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    count = 0;
  }
  if (count == 0) p.trouble = trouble_of(code, driver);
  try {
    for (int i = 0; i < count; ++i) p.devices.push_back(described(i));
  } catch (cuda_error const& e) {
    p.trouble = e.what();
  }
  return p;
}

device require(std::string const& who, std::string const& instead) {
  auto const p = look();
  if (p.devices.empty())
    throw io::unavailable_error("{}: no GPU: {}{}{}", who, p.trouble, instead.empty() ? "" : "; ",
                                instead);
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) current = 0;
  return p.devices[static_cast<std::size_t>(current) < p.devices.size()
                       ? static_cast<std::size_t>(current)
                       : 0];
}

}  // namespace upsweep::cli::gpu
