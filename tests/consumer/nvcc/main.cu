// A user's program for nvcc: its own operator over computed elements. Without a GPU it prints the
// library's message and exits with 5.
#include <upsweep/cuda.cuh>

#include <cstdio>
#include <span>
#include <vector>

struct greatest_common_divisor {
  __host__ __device__ long operator()(long a, long b) const {
    while (b != 0) {
      long const rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
};

int main() try {
  std::printf("device %d\n", upsweep::cuda_device::current().number);
  std::vector<long> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 6 * static_cast<long>(i + 2);
  long* x = nullptr;
  std::size_t const bytes = values.size() * sizeof(long);
  if (cudaMalloc(&x, bytes) != cudaSuccess ||
      cudaMemcpy(x, values.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    return 1;
  long const divisor = upsweep::reduce(upsweep::gpu{}, std::span<long const>(x, values.size()),
                                       greatest_common_divisor{});
  std::printf("the greatest common divisor is %ld\n", divisor);
  return divisor == 6 ? 0 : 1;
} catch (upsweep::error const& e) {
  std::puts(e.what());
  return 5;
}
