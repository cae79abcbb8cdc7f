// Sums each block's part in dynamic shared memory; -DNO_BARRIER and -DNO_INIT leave mistakes in.
#include <cstdio>
#include <vector>

__global__ void block_sum(int const* in, int* sums, int n) {
  extern __shared__ int part[];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#ifdef NO_INIT
  if (i < n) part[t] = in[i];
#else
  part[t] = i < n ? in[i] : 0;
#endif
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
#ifndef NO_BARRIER
    __syncthreads();
#endif
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

int main() {
  int const n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n, 1), sums(blocks);
  int *d_in, *d_sums;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  block_sum<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_sums, n);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int const s : sums) total += s;
  std::printf("total %d\n", total);
}
