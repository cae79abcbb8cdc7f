// Two kernels, the second with a race: which launch is traced, and where it is launched.
#include <cstdio>

__global__ void fill(int* data) {
  data[threadIdx.x] = 10 + threadIdx.x;
}

__global__ void shift(int* data) {
  int const t = threadIdx.x;
  if (t > 0) data[t] = data[t - 1];
}

int main(int argc, char** argv) {
  int* data;
  cudaMalloc((void**)&data, 8 * sizeof(int));
  fill<<<1, 8>>>(data);
  if (argc < 2) shift<<<1, 8>>>(data);
  int first = 0;
  cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%d\n", first);
}
