// Blocks add their sums to one total.
#include <cstdio>

__global__ void broken(int* total) {
  if (threadIdx.x == 0) *total += blockDim.x;
}

__global__ void fixed(int* total) {
  if (threadIdx.x == 0) atomicAdd(total, blockDim.x);
}

int main(int argc, char**) {
  int* total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<8, 64>>>(total);
  cudaDeviceSynchronize();
  std::printf("the total is %d\n", *total);
}
