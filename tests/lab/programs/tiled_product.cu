// A product of square matrices in tiles; the kernel is a template and its launch a macro's.
#include <cstdio>
#include <vector>

#include "matrix.cuh"

#define ON_GRID(kernel, n, ...) \
  kernel<<<dim3((n) / tile, (n) / tile), dim3(tile, tile)>>>(__VA_ARGS__)

template <typename T>
__global__ void product(T const* a, T const* b, T* c, int n) {
  __shared__ T of_a[tile][tile];
  __shared__ T of_b[tile][tile];
  int const row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  T sum = 0;
  for (int k = 0; k < n; k += tile) {
    of_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    of_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  int const n = 4 * tile;
  auto const a = filled(n, 1), b = filled(n, 2);
  std::vector<float> c(n * n);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, n * n * sizeof(float));
  cudaMalloc(&d_b, n * n * sizeof(float));
  cudaMalloc(&d_c, n * n * sizeof(float));
  cudaMemcpy(d_a, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  ON_GRID(product<float>, n, d_a, d_b, d_c, n);
  clear(d_a, n * n);
  cudaMemcpy(c.data(), d_c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      wrong += c[i * n + j] != sum;
    }
  std::printf("%d wrong\n", wrong);
}
