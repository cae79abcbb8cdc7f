// A lock that the threads of a warp take in turn.
#include <cstdio>

__global__ void broken(int* lock, int* total) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *total += 1;
  __syncwarp();
  atomicExch(lock, 0);
}

__global__ void fixed(int*, int* total) {
  atomicAdd(total, 1);
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 2 * sizeof(int));
  x[0] = x[1] = 0;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 32>>>(x, x + 1);
  cudaDeviceSynchronize();
  std::printf("the total is %d\n", x[1]);
}
