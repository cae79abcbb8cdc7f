// A shuffle names all lanes of a warp, but half of them call it.
#include <cstdio>

__global__ void broken(int* x) {
  int t = threadIdx.x, sum = x[t];
  if (t < 16)
    for (int stride = 8; stride > 0; stride /= 2) sum += __shfl_down_sync(0xffffffff, sum, stride);
  if (t == 0) x[0] = sum;
}

__global__ void fixed(int* x) {
  int t = threadIdx.x, sum = x[t];
  if (t < 16)
    for (int stride = 8; stride > 0; stride /= 2) sum += __shfl_down_sync(0xffff, sum, stride, 16);
  if (t == 0) x[0] = sum;
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  std::printf("the sum of the first half is %d\n", x[0]);
}
