// Each thread counts the values of all numbers, in an array of 256 KiB that every thread has.
#include <cstdio>

constexpr int n = 64, most = 64 * 1024;

__global__ void broken(int const* in, int* out) {
  int count[most];
  for (int k = 0; k < most; ++k) count[k] = 0;
  for (int i = 0; i < n; ++i) ++count[in[i]];
  out[threadIdx.x] = count[threadIdx.x];
}

__global__ void fixed(int const* in, int* out) {
  int count = 0;
  for (int i = 0; i < n; ++i) count += in[i] == threadIdx.x;
  out[threadIdx.x] = count;
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 2 * n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i % 5;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 32>>>(x, x + n);
  cudaDeviceSynchronize();
  std::printf("%d are 0\n", x[n]);
}
