// Each thread adds consecutive elements, so that a warp's reads are far apart.
#include <cstdio>

__global__ void broken(int const* x, int* sums) {
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += x[threadIdx.x * 64 + k];
  sums[threadIdx.x] = sum;
}

__global__ void fixed(int const* x, int* sums) {
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += x[k * blockDim.x + threadIdx.x];
  sums[threadIdx.x] = sum;
}

int main(int argc, char**) {
  int *x, *sums;
  cudaMallocManaged(&x, 4096 * sizeof(int));
  cudaMallocManaged(&sums, 64 * sizeof(int));
  for (int i = 0; i < 4096; ++i) x[i] = 1;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 64>>>(x, sums);
  cudaDeviceSynchronize();
  std::printf("the first sum is %d\n", sums[0]);
}
