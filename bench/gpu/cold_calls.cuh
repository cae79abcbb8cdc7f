/// What the tables of verbs on a GPU beside CUB share: times of calls whose inputs are not in the
/// cache, and the head of the page.
#pragma once

#include <cuda_runtime_api.h>
#include <bench/harness/machine.hpp>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/version.cuh>
#include <span>
#include <vector>

namespace upsweep::bench {

/// Microseconds of call(i), i = 0 ... 9.
template <class Call>
double time_of(Call const& call) {
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

/// Prints what the tables below it are; `note` ends it.
inline void print_head(char const* title, char const* program, char const* file, unsigned smallest,
                       unsigned largest, char const* note) {
  cudaDeviceProp device{};
  int driver = 0;
  check_cuda(cudaGetDeviceProperties(&device, 0), "query the device");
  check_cuda(cudaDriverGetVersion(&driver), "query the driver");
  std::printf(
      "# %s\n\nPrinted by `%s %u %u` (bench/gpu/%s): medians of nine\ntimes of ten calls, cold, on"
      " %s, CUDA %d.%d, driver for CUDA %d.%d, CUB %d.%d, revision %s.\n%s\n",
      title, program, smallest, largest, file, device.name, CUDART_VERSION / 1000,
      CUDART_VERSION % 1000 / 10, driver / 1000, driver % 1000 / 10, CUB_MAJOR_VERSION,
      CUB_MINOR_VERSION, this_build().revision.c_str(), note);
}

/// main of such a program: log2 of the smallest and of the largest size are `smallest` and
/// `largest`, or given. Returns 5 if there is no GPU.
template <class Print>
int run_with_sizes(int argc, char** argv, Print const& print_all, unsigned smallest = 12,
                   unsigned largest = 30) {
  auto const given = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  try {
    return print_all(given(1, smallest), given(2, largest));
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 5;
  }
}

}  // namespace upsweep::bench
