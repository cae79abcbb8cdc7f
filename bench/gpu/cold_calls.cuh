/// What the tables of verbs on a GPU beside CUB share: times of calls whose inputs are not in the
/// cache, and the head of the page.
#pragma once

#include <cuda_runtime_api.h>
#include <bench/harness/machine.hpp>
#include <bench/harness/random.hpp>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/version.cuh>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::bench {

/// x[i] = f(i), before anything else of the default stream.
template <class T, class F>
__global__ void fill_kernel(T* x, std::size_t n, F f) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    x[i] = f(i);
}
template <class T, class F>
void fill(T* x, std::size_t n, F const& f) {
  fill_kernel<<<2048, 256>>>(x, n, f);
  check_cuda(cudaGetLastError(), "fill the input");
}

/// Random integers, and numbers in [-1, 1).
template <class T>
struct random_element {
  __host__ __device__ T operator()(std::size_t i) const {
    std::uint64_t const bits = random_word(i);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(bits) * 0x1p-63 - 1);
    else
      return static_cast<T>(bits);
  }
};

/// Memory for CUB's calls: as much as the largest of them needs.
class cub_memory {
 public:
  cub_memory() = default;
  ~cub_memory() { (void)cudaFree(memory_); }
  cub_memory(cub_memory const&) = delete;
  cub_memory& operator=(cub_memory const&) = delete;
  /// Calls f(nullptr, bytes) and allocates so many.
  template <class Call>
  void prepare(Call const& call) {
    std::size_t bytes = 0;
    check_cuda(call(nullptr, bytes), "prepare CUB");
    check_cuda(cudaFree(memory_), "free memory of CUB");
    check_cuda(cudaMalloc(&memory_, bytes), "allocate memory for CUB");
    bytes_ = bytes;
  }
  template <class Call>
  void operator()(Call const& call) {
    check_cuda(call(memory_, bytes_), "call CUB");
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

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
