// The host uses managed and pinned memory: a capital letter waits for the work that uses it first.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
__global__ void count(int* x) {
  atomicAdd(x, 1);
}

int main(int, char** words) {
  char const which = words[1][0];
  int *managed, *pinned, *device;
  cudaMallocManaged(&managed, 128);
  cudaMallocHost(&pinned, 128);
  cudaMalloc(&device, 128);
  for (int i = 0; i < 32; ++i) managed[i] = pinned[i] = 0;
  std::vector<int> pageable(32);
  switch (which | 32) {
    case 'l':
      fill<<<1, 32>>>(managed);
      if (which == 'L') cudaDeviceSynchronize();
      printf("%d\n", managed[3]);
      break;
    case 'a':
      count<<<4, 32>>>(managed);
      if (which == 'A') cudaStreamSynchronize(0);
      printf("%d\n", managed[0]);
      break;
    case 'c':
      fill<<<1, 32>>>(device);
      cudaMemcpyAsync(pinned, device, 128, cudaMemcpyDeviceToHost);
      if (which == 'C') cudaStreamSynchronize(0);
      printf("%d\n", pinned[3]);
      break;
    case 'u':
      cudaMemcpyAsync(device, pinned, 128, cudaMemcpyHostToDevice);
      if (which == 'U') cudaDeviceSynchronize();
      pinned[3] = 7;
      break;
    case 'p':  // such a copy returns when it is complete
      fill<<<1, 32>>>(device);
      cudaMemcpyAsync(pageable.data(), device, 128, cudaMemcpyDeviceToHost);
      printf("%d\n", pageable[3]);
      break;
  }
}
