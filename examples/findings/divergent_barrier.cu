// Each half of the block waits at a barrier of its own.
#include <cstdio>

__global__ void broken(int* x) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = x[t];
  if (t < 32) {
    __syncthreads();
    x[t] = tile[63 - t];
  } else {
    __syncthreads();
    x[t] = -tile[63 - t];
  }
}

__global__ void fixed(int* x) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();  // the tile is loaded
  x[t] = t < 32 ? tile[63 - t] : -tile[63 - t];
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  std::printf("the ends are %d and %d\n", x[0], x[63]);
}
