// A user's program that computes on a GPU and is compiled without nvcc. Without a GPU it prints the
// library's message and exits with 5.
#include <cuda_runtime_api.h>
#include <upsweep/core/errors.hpp>
#include <upsweep/cuda.hpp>

#include <cstdio>
#include <span>
#include <vector>

int main() try {
  std::printf("device %d\n", upsweep::cuda_device::current().number);
  std::vector<float> const ones(100'000, 1.0f);
  std::size_t const bytes = ones.size() * sizeof(float);
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return 1;
  auto* const x = static_cast<float*>(from);
  auto* const out = static_cast<float*>(to);
  float last = 0;
  if (cudaMemcpy(x, ones.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  upsweep::gpu const on;
  upsweep::inclusive_scan(on, std::span<float const>(x, ones.size()),
                          std::span<float>(out, ones.size()));
  float const total = upsweep::reduce(on, std::span<float const>(x, ones.size()));
  if (cudaMemcpy(&last, out + ones.size() - 1, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  std::printf("total %.1f, last %.1f\n", static_cast<double>(total), static_cast<double>(last));
  return total == 100'000.0f && last == total ? 0 : 1;
} catch (upsweep::error const& e) {
  std::puts(e.what());
  return 5;
}
