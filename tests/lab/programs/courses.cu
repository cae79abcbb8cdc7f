// Programs as students write them, and their mistakes. tests/support/small_files.py makes a file
// of each.

// FILE vector_add.cu
// Adds two vectors, one element per thread.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                          \
  do {                                                       \
    cudaError_t const e = (call);                            \
    if (e != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(e)); \
      std::exit(1);                                          \
    }                                                        \
  } while (0)

__global__ void vector_add(float const* a, float const* b, float* c, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  int const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_c, n * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  int const threads = 256;
  vector_add<<<(n + threads - 1) / threads, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != 3.0f * i;
  std::printf("%d of %d elements are wrong\n", wrong, n);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return wrong != 0;
}

// FILE block_sum.cu
// Sums each block's part in dynamic shared memory; -DNO_BARRIER and -DNO_INIT leave mistakes in.
#include <cstdio>
#include <vector>

__global__ void block_sum(int const* in, int* sums, int n) {
  extern __shared__ int part[];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#ifdef NO_INIT
  if (i < n) part[t] = in[i];
#else
  part[t] = i < n ? in[i] : 0;
#endif
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
#ifndef NO_BARRIER
    __syncthreads();
#endif
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

int main() {
  int const n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n, 1), sums(blocks);
  int *d_in, *d_sums;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  block_sum<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_sums, n);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int const s : sums) total += s;
  std::printf("total %d\n", total);
}

// FILE tiled_product.cu
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

// FILE matrix.cuh
// What the product of matrices includes; it has a launch of its own.
#pragma once

#include <vector>

constexpr int tile = 8;

inline std::vector<float> filled(int n, int seed) {
  std::vector<float> m(n * n);
  for (int i = 0; i < n * n; ++i) m[i] = float((i * seed + 3) % 7);
  return m;
}

__global__ void set_zero(float* p, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 0;
}
inline void clear(float* p, int n) {
  set_zero<<<(n + 127) / 128, 128>>>(p, n);
}

// FILE host_variables.cu
// Variables of the host, with values and without, beside shared arrays and barriers.
#include <cstdio>

thread_local int calls = 0;
thread_local long sums[3] = {1, 2, 3};
long table[3] = {10, 20, 30};
int total;

static int depth(int k) {
  ++calls;
  sums[k % 3] += k;
  total += k;
  return k > 0 ? depth(k - 1) : calls;
}

__global__ void reverse(int* out) {
  extern __shared__ int copy[];
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  copy[threadIdx.x] = s[63 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = copy[threadIdx.x];
}

int main() {
  int* d;
  cudaMalloc(&d, 64 * sizeof(int));
  int const deepest = depth(9);
  reverse<<<1, 64, 64 * sizeof(int)>>>(d);
  int h[64];
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d %ld %ld %d\n", h[0], h[63], deepest, calls, sums[0], table[2], total);
}

// FILE mistakes.cu
// One mistake for each number on the command line.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void race(int* sum) {
  sum[0] += threadIdx.x;
}
__global__ void beyond_the_end(int* p, int n) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
__global__ void barrier_in_a_branch(int* p) {
  if (threadIdx.x < 16) __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void nothing() {}

int main(int, char** argv) {
  int const what = std::atoi(argv[1]);
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 0, 64 * sizeof(int));
  if (what == 1) race<<<1, 64>>>(p);
  if (what == 2) beyond_the_end<<<2, 64>>>(p, 3);
  if (what == 3) barrier_in_a_branch<<<1, 32>>>(p);
  if (what == 4) nothing<<<1, 2000>>>();
  nothing<<<1, 32>>>();
  if (what == 5) *static_cast<int volatile*>(nullptr) = 1;
  if (what == 6) std::exit(7);
  if (what == 7) std::abort();
  while (what == 8) {
  }
  if (what == 9)
    for (std::vector<char*> all;;) {
      all.push_back(new char[1 << 20]);
      for (int i = 0; i < 1 << 20; i += 4096) all.back()[i] = 1;
    }
  if (what == 10) throw "thrown";
  if (what == 11) std::printf("%d\n", p[0]);
  if (what == 12)
    for (int i = 0; i < 200000; ++i) std::printf("line %d\n", i);
}
