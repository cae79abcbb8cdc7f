// A sum that begins with what its register held, and counts that begin with what the stack held.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sums(float const* x, float* y, int n) {
  int const t = threadIdx.x;
  float sum;
  int counts[4];
  for (int i = t; i < n; i += 32) sum += x[i];
  for (int i = t; i < n; i += 32) counts[i & 3]++;
  y[t] = sum + counts[t & 3];
}

int main() {
  float *x, *y, first;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 256);
  sums<<<1, 32>>>(x, y, 64);
  cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
  printf("%g\n", first);
}
