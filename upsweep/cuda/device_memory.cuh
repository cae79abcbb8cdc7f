/// Device memory that is freed with its owner, for the arrays of benchmarks and tests.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>

#include <cstddef>
#include <string>

namespace upsweep {

/// A block of at least one byte from cudaMalloc, on the current device. Throws cuda_error.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes) : bytes_(bytes) {
    check_cuda(cudaMalloc(&memory_, bytes > 0 ? bytes : 1),
               [=] { return "allocate " + std::to_string(bytes) + " bytes"; });
  }
  ~device_memory() { (void)cudaFree(memory_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
};

}  // namespace upsweep
