// The number of elements is no multiple of the block's size.
#include <cstdio>

__global__ void broken(int* x, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2;
}

__global__ void fixed(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main(int argc, char**) {
  int const n = 100, threads = 64;
  int* x;
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<(n + threads - 1) / threads, threads>>>(x, n);
  cudaDeviceSynchronize();
  std::printf("the last element is %d\n", x[n - 1]);
}
