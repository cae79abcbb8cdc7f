// A sum in shared memory, of fewer elements than the block has threads.
#include <cstdio>

__global__ void broken(int* x, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < n) tile[t] = x[t];
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) x[0] = tile[0];
}

__global__ void fixed(int* x, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = t < n ? x[t] : 0;  // the identity of the sum
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) x[0] = tile[0];
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 50 * sizeof(int));
  for (int i = 0; i < 50; ++i) x[i] = 1;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 64>>>(x, 50);
  cudaDeviceSynchronize();
  if (argc > 1) std::printf("the sum is %d\n", x[0]);
}
