/// What a call's temporary storage costs that is allocated and freed in the stream's order, if the
/// host waits after each call, as a table (docs/design/0013-cuda-verbs.md).
///
///   upsweep_gpu_memory_pool
#include <bench/gpu/gpu.hpp>
#include <upsweep/cuda/check.cuh>

#include <cuda_runtime_api.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <ratio>

namespace upsweep::bench {
namespace {

__global__ void touch(char* x) {
  if (threadIdx.x == 0) *x = 1;
}

/// Microseconds of a call with `bytes` of temporary storage, and of waiting for it: median of 15.
double time_of_call(cudaStream_t stream, std::size_t bytes) {
  using clock = std::chrono::steady_clock;
  std::array<double, 15> times;
  for (double& time : times) {
    auto const begin = clock::now();
    void* memory = nullptr;
    check_cuda(cudaMallocAsync(&memory, bytes, stream), "allocate temporary storage");
    touch<<<1, 32, 0, stream>>>(static_cast<char*>(memory));
    check_cuda(cudaFreeAsync(memory, stream), "free temporary storage");
    check_cuda(cudaStreamSynchronize(stream), "wait for a call");
    time = std::chrono::duration<double, std::micro>(clock::now() - begin).count();
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

void print_row(char const* what, cudaStream_t stream) {
  std::printf("| %s |", what);
  for (unsigned const log2 : {17u, 20u, 24u, 26u, 30u})
    std::printf(" %.0f |", time_of_call(stream, std::size_t{1} << log2));
  std::puts("");
}

void print_all() {
  std::printf("µs of a call and a wait on %s\n\n", describe_gpu(0).name.c_str());
  std::puts(
      "| temporary storage, bytes | 2^17 | 2^20 | 2^24 | 2^26 | 2^30 |\n"
      "| --- | --- | --- | --- | --- | --- |");
  event_clock const clock;
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0), "find the memory pool");
  print_row("the pool as it is", clock.stream());
  void* other = nullptr;
  check_cuda(cudaMallocAsync(&other, 16, clock.stream()), "allocate");
  print_row("beside memory that stays allocated", clock.stream());
  auto most = std::numeric_limits<std::uint64_t>::max();
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most), "keep memory");
  print_row("a pool that keeps what is freed", clock.stream());
  check_cuda(cudaFreeAsync(other, clock.stream()), "free");
}

}  // namespace
}  // namespace upsweep::bench

int main() {
  try {
    upsweep::bench::print_all();
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "upsweep_gpu_memory_pool: %s\n", failure.what());
    return 1;
  }
}
