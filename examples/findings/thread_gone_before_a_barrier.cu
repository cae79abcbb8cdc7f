// Threads beyond the elements return before a barrier.
#include <cstdio>

__global__ void broken(int* x, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t >= n) return;
  tile[t] = x[t];
  __syncthreads();
  x[t] = tile[n - 1 - t];
}

__global__ void fixed(int* x, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < n) tile[t] = x[t];
  __syncthreads();  // the tile is loaded
  if (t < n) x[t] = tile[n - 1 - t];
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 50 * sizeof(int));
  for (int i = 0; i < 50; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 64>>>(x, 50);
  cudaDeviceSynchronize();
  std::printf("the first element is %d\n", x[0]);
}
