// Variables of the host, with values and without, beside shared arrays and barriers.
#include <cstdio>

thread_local int calls = 0;
thread_local long sums[3] = {1, 2, 3};
long table[3] = {10, 20, 30};
int total;

static int depth(int k) {
  ++calls;
  sums[k % 3] += k;
  total += k;
  return k > 0 ? depth(k - 1) : calls;
}

__global__ void reverse(int* out) {
  extern __shared__ int copy[];
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  copy[threadIdx.x] = s[63 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = copy[threadIdx.x];
}

int main() {
  int* d;
  cudaMalloc(&d, 64 * sizeof(int));
  int const deepest = depth(9);
  reverse<<<1, 64, 64 * sizeof(int)>>>(d);
  int h[64];
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d %ld %ld %d\n", h[0], h[63], deepest, calls, sums[0], table[2], total);
}
