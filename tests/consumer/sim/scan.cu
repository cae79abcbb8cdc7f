// A file that nvcc compiles too: CUDA's runtime on the host, and nothing of Upsweep.
#include "kogge_stone.cuh"

struct add {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

/// The prefix sums of 64 numbers. Returns a cudaError_t.
extern "C" int scan(int const* numbers, int* sums) {
  constexpr int threads = 64;
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, threads * sizeof(int));
  cudaMalloc(&out, threads * sizeof(int));
  cudaMemcpy(in, numbers, threads * sizeof(int), cudaMemcpyHostToDevice);
  add op;
  void* arguments[] = {&in, &out, &op};
  cudaLaunchKernel(kogge_stone<add>, dim3(1), dim3(threads), arguments, 0, nullptr);
  cudaMemcpy(sums, out, threads * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError();
}
