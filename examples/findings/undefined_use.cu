// A grid waits for all its blocks, but was launched as any other.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void shifts(int* x) {
  int const next = x[(blockIdx.x + 1) % gridDim.x];
  cooperative_groups::this_grid().sync();  // every number is read
  x[blockIdx.x] = next;
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) x[i] = i;
  void* arguments[] = {&x};
  if (argc > 1)  // fixed
    cudaLaunchCooperativeKernel(shifts, 4, 1, arguments);
  else
    shifts<<<4, 1>>>(x);
  cudaDeviceSynchronize();
  std::printf("the numbers are %d %d %d %d\n", x[0], x[1], x[2], x[3]);
}
