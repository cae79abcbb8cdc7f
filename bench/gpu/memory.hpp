/// Device memory of the benchmark: owned blocks, and slots through which consecutive calls rotate
/// past the caches.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>

#include <cstddef>
#include <utility>

namespace upsweep::gpu_bench {

class device_memory {
 public:
  explicit device_memory(std::size_t bytes) : bytes_(bytes) {
    check_cuda(cudaMalloc(&memory_, bytes > 0 ? bytes : 1),
               "allocate " + std::to_string(bytes) + " bytes");
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

/// `count` inputs and as many outputs; calls take them in turn, over all competitors, so that none
/// meets what another one cached.
struct slots {
  std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t in_stride = 0, out_stride = 0, count = 1, next = 0;

  [[nodiscard]] std::pair<void const*, void*> take() {
    std::size_t const i = next++ % count;
    return {in + i * in_stride, out + i * out_stride};
  }
  /// The first of them alone: calls meet what the call before them cached.
  [[nodiscard]] slots one() const { return {in, out, in_stride, out_stride, 1, 0}; }
};

}  // namespace upsweep::gpu_bench
