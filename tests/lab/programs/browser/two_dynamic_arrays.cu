// Two dynamic shared arrays have one address, which the tool notes.
#include <cfloat>
#include <cstdio>

__global__ void halves(float* out) {
  extern __shared__ int counts[];
  extern __shared__ float sums[];
  int const t = threadIdx.x;
  counts[t] = t;
  sums[t] = t < 16 ? FLT_MAX : 0.5f;
  __syncthreads();
  out[t] = counts[31 - t] + sums[t];
}

int main() {
  float* out;
  cudaMallocManaged(&out, 32 * sizeof(float));
  halves<<<1, 32, 64 * sizeof(float)>>>(out);
  cudaDeviceSynchronize();
  std::printf("%g\n", out[31]);
}
