// A block hands a number to the next one: data, then a flag.
#include <cstdio>

__global__ void broken(int* data, int* flag) {
  if (blockIdx.x == 0) {
    *data = 42;
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    data[1] = *data;
  }
}

__global__ void fixed(int* data, int* flag) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();  // who sees the flag sees the number
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();  // the number is read after the flag
    data[1] = *data;
  }
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 3 * sizeof(int));
  x[0] = x[1] = x[2] = 0;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<2, 1>>>(x, x + 2);
  cudaDeviceSynchronize();
  std::printf("block 1 read %d\n", x[1]);
}
