/// Arrays in device memory and the time of calls, for programs that print tables.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::bench {

/// Microseconds of call(i), i = 0 ... 9.
template <class Call>
[[nodiscard]] double time_of(Call const& call) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaEventCreate(&begin), "create an event");
  check_cuda(cudaEventCreate(&end), "create an event");
  std::vector<double> times;
  call(0);
  for (int round = 0; round < 9; ++round) {
    check_cuda(cudaEventRecord(begin), "record an event");
    for (int i = 0; i < 10; ++i) call(i);
    check_cuda(cudaEventRecord(end), "record an event");
    check_cuda(cudaEventSynchronize(end), "wait");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin, end), "read a time");
    times.push_back(1000.0 * ms / 10);
  }
  check_cuda(cudaEventDestroy(begin), "destroy an event");
  check_cuda(cudaEventDestroy(end), "destroy an event");
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

/// Arrays of n elements, as many as fit the pool.
template <class T>
class pool {
 public:
  explicit pool(std::size_t n)
      : n_(n),
        count_(std::clamp<std::size_t>((std::size_t{1} << 29) / (n * sizeof(T)), 2, 64)),
        memory_(count_ * n * sizeof(T)) {}
  [[nodiscard]] T* at(int i) const {
    return reinterpret_cast<T*>(memory_.data()) + static_cast<std::size_t>(i) % count_ * n_;
  }
  [[nodiscard]] std::span<T> span(int i) const { return {at(i), n_}; }
  [[nodiscard]] std::size_t size() const { return count_ * n_; }

 private:
  std::size_t n_, count_;
  device_memory memory_;
};

}  // namespace upsweep::bench
