/// A reduction in plain CUDA C++, whose accesses are counted by array and by line.
#include "launch.cuh"

__global__ void shuffle_reduce(int const* in, int* out) {
  __shared__ int totals[4];
  unsigned const t = threadIdx.x;
  int sum = in[blockIdx.x * 128 + t];
  for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t % 32 == 0) totals[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < 4 ? totals[t] : 0;
  for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t == 0) out[blockIdx.x] = sum;
}

/// Of 128 values.
extern "C" int run_shuffle_reduce(int const* values) {
  int *in, *out, result = 0;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, values, 128 * sizeof(int), cudaMemcpyHostToDevice);
  LAUNCH(shuffle_reduce, 1, 128)(in, out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}
