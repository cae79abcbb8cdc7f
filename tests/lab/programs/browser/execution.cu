// Branches, loops, atomics, arithmetic and libraries: in a browser as with the tool.
// tests/support/small_files.py makes a file of each program.

// FILE atomics_in_branches.cu
// Atomics that some threads of a warp execute and others do not; all of them meet afterwards.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/pipeline>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

#include <cstdio>

using flag = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
namespace device = cuda::std;
constexpr int threads = 16;

__global__ void added(unsigned* out) {
  __shared__ unsigned a[threads], b[threads];
  int const t = threadIdx.x;
  a[t] = 0;
  __syncthreads();
  unsigned before = 0;
  if (t > 0) before = atomicAdd(&a[t - 1], 2u);
  b[t] = before + 1;
  atomicAdd(&a[t], 1u);
  __syncthreads();
  out[t] += a[t] + b[t];
}
__global__ void exchanged(unsigned* out) {
  __shared__ unsigned a[threads];
  int const t = threadIdx.x;
  a[t] = t;
  __syncthreads();
  if (t % 3 == 0)
    a[t] = atomicExch(&out[t], 5u) + atomicCAS(&out[t], 5u, 7u);
  else if (t % 3 == 1)
    a[t] = __nv_atomic_fetch_add(&out[t], 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __syncwarp(0xffff);
  out[t] += a[t];
}
// Each thread waits for its left neighbor.
__global__ void handed_on(unsigned* out) {
  __shared__ unsigned ready[threads], sum[threads];
  unsigned const t = threadIdx.x;
  ready[t] = 0;
  __syncthreads();
  unsigned before = 0;
  for (unsigned i = t; i < 3; ++i) before += i;
  if (t > 0) {
    while (flag(ready[t - 1]).load(cuda::memory_order_acquire) == 0) {
    }
    before += sum[t - 1];
  }
  sum[t] = before + cuda::ceil_div(t, 4u);
  flag(ready[t]).fetch_add(1u, cuda::memory_order_release);
  __syncthreads();
  out[t] += sum[t];
}
__global__ void compared(unsigned* out) {
  unsigned const t = threadIdx.x;
  device::array<unsigned, 2> const pair{t, 3u};
  unsigned expected = device::max(pair[0], pair[1]);
  if (t > 4) flag(out[t]).compare_exchange_strong(expected, t, cuda::memory_order_acq_rel);
  out[t] += device::popcount(expected);
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, threads * sizeof *out);
  for (int i = 0; i < threads; ++i) out[i] = i;
  added<<<1, threads>>>(out);
  exchanged<<<1, threads>>>(out);
  handed_on<<<1, threads>>>(out);
  compared<<<1, threads>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < threads; ++i) std::printf("%u ", out[i]);
  std::printf("\n");
}

// FILE loop_without_barrier.cu
// How often a race occurs depends on turns, which end after a number of basic blocks.
#include <cstdio>

__global__ void tiles(int const* in, int* out, int count) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  int sum = 0;
  for (int b = 0; b < count; ++b) {
    tile[t] = in[t + b * 64];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];
  }
  out[t] = sum;
}
__global__ void counted(int* out) {
  int const t = threadIdx.x;
  int i = 0;
  while (true) {
    ++i;
    if (i % 3 == 0) continue;
    if (i > 900) break;
    if (i % 2 == 0) {
      if (i % 8 == 2) *out += t;
    } else if (t > 5 && i > 40) {
      *out = i > 300 ? t : *out + 1;
    }
  }
  do {
    out[1] = i;
    i -= 100;
  } while (i > 0);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  tiles<<<1, 64>>>(in, out, 3);
  counted<<<2, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

// FILE pairs_of_comparisons.cu
// Two comparisons of one value with constants, of which a compiler may make one that reads it once.
#include <cstdio>

__device__ bool is_letter(char const* c) {
  return ('a' <= *c && *c <= 'z') || ('A' <= *c && *c <= 'Z');
}
__global__ void conditions(unsigned char const* in, signed char const* small, int* out) {
  int const t = threadIdx.x;
  if (in[t] >= 'a' && in[t] <= 'z') out[t] += 1;
  if (in[t] < 'a' || in[t] > 'z') out[t] += 2;
  if (t > 3 && in[t] > 64 && in[t] < 91) out[t] += 4;
  if (t > 3 && (in[t] > 64 && in[t] < 91)) out[t] += 8;
  if (t > 3 || (in[t] == 32 || in[t] == 33)) out[t] += 16;
  if (in[t] == 32 || in[t] == 35) out[t] += 32;
  if (in[t] != 32 && in[t] != 33) out[t] += 64;
  if (small[t] != 0 && small[t] < 5) out[t] += 128;
  if (in[t] != 0 && in[t] < 100) out[t] += 256;
  if (t > 3)
    if (in[t] > 64 && in[t] < 91) out[t] += 512;
  if (small[t] >= -3 && small[t] <= 3)
    out[t] += 1024;
  else
    out[t] -= 1024;
}
__global__ void values(int const* in, unsigned const* numbers, int* out) {
  int const t = threadIdx.x;
  bool const is_in = in[t] > 2 && in[t] < 9, is_out = in[t] < 2 || in[t] > 9;
  out[t] = is_in + 2 * is_out;
  out[t] += (3 <= in[t] && in[t] < 9) ? 4 : 0;
  out[t] += (t > 1 && in[t] >= 3 && in[t] < 9) ? 8 : 0;
  out[t] += (t > 1 && (in[t] >= 3 && in[t] < 9)) ? 16 : 0;
  while (numbers[t] > 0 && numbers[t] < 7 && out[t] < 99) out[t] += 10;
  for (int i = in[t]; i > 0 && i < 6; ++i) out[t] += in[i];
  out[t] += in[t] - 4 >= 0 && in[t] - 4 < 3;
}
__global__ void letters(char const* text, int* out) {
  for (int i = threadIdx.x; i < 64; i += 8)
    if (is_letter(text + i)) atomicAdd(out, 1);
}

int main() {
  unsigned char* in;
  signed char* small;
  int *out, *numbers;
  cudaMallocManaged(&in, 64);
  cudaMallocManaged(&small, 64);
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&numbers, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) {
    in[i] = i * 2;
    small[i] = i % 11 - 5;
    out[i] = 0;
    numbers[i] = i % 11;
  }
  conditions<<<1, 64>>>(in, small, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
  values<<<1, 64>>>(numbers, reinterpret_cast<unsigned const*>(numbers), out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
  out[0] = 0;
  letters<<<1, 8>>>(reinterpret_cast<char const*>(in), out);
  cudaDeviceSynchronize();
  std::printf("%d\n", out[0]);
}

// FILE undefined_arithmetic.cu
// Divisions by zero, shifts by too much, and conversions of numbers that do not fit.
#include <cstdio>

__global__ void divides(int const* x, int* out) {
  int const t = threadIdx.x;
  out[t] = 100 / x[t] + 100 % x[t];
}
__global__ void divides_long(unsigned long long* x) {
  x[threadIdx.x] = 1000 / x[threadIdx.x];
}
__global__ void shifts(int by, int* out) {
  out[threadIdx.x] = 1 << (threadIdx.x + by);
}
__global__ void converts(float x, int* out) {
  out[0] = static_cast<int>(x * 1e10f);
  out[1] = static_cast<int>(static_cast<unsigned>(-x));
  out[2] = static_cast<unsigned char>(x * 300);
  out[3] = static_cast<int>(static_cast<unsigned>(x));
}

int main() {
  int *x, *out;
  unsigned long long* y;
  cudaMallocManaged(&x, 8 * sizeof(int));
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMallocManaged(&y, 8 * sizeof *y);
  for (int i = 0; i < 8; ++i) x[i] = y[i] = i;
  divides<<<1, 8>>>(x, out);
  divides_long<<<1, 8>>>(y);
  cudaDeviceSynchronize();
  std::printf("%d %d %llu\n", out[1], out[7], y[2]);
  shifts<<<1, 8>>>(28, out);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", out[0], out[3]);
  converts<<<1, 1>>>(2.5f, out);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}

// FILE many_launches.cu
// More launches in one function than browsers take of code that is not optimized.
#include <cstdio>

template <int more>
__global__ void added(int* x, int const* y) {
  x[threadIdx.x] += y[threadIdx.x] + more;
}
#define FOUR(i)                  \
  added<i><<<1, 32>>>(x, y);     \
  added<i + 1><<<1, 32>>>(x, y); \
  added<i + 2><<<1, 32>>>(x, y); \
  added<i + 3><<<1, 32>>>(x, y)
#define SIXTEEN(i) \
  FOUR(i);         \
  FOUR(i + 4);     \
  FOUR(i + 8);     \
  FOUR(i + 12)

int main() {
  int *x, *y;
  cudaMallocManaged(&x, 32 * sizeof(int));
  cudaMallocManaged(&y, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) x[i] = y[i] = i;
  SIXTEEN(0);
  SIXTEEN(16);
  SIXTEEN(32);
  SIXTEEN(48);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", x[0], x[31]);
}

// FILE host_library.cu
// Numbers and text of the host's libraries are those of the tool.
#include <complex>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

__global__ void above(int const* in, int* count, int limit) {
  if (in[threadIdx.x] % 100 > limit) atomicAdd(count, 1);
}

int main() {
  int *in, *count;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  for (unsigned const seed : {0u, 42u, 3000000000u}) {
    std::srand(seed);
    for (int i = 0; i < 64; ++i) in[i] = std::rand();
    *count = 0;
    above<<<1, 64>>>(in, count, 60);
    cudaDeviceSynchronize();
    std::cout << *count << ' ' << std::rand() << std::endl;
  }
  std::unordered_map<std::string, std::shared_ptr<int>> named;
  named["count"] = std::make_shared<int>(*count);
  std::stringstream text;
  text << std::setw(6) << std::fixed << std::setprecision(2) << 2.5 << ' ' << *named["count"];
  std::string word;
  text >> word;
  std::complex<float> z(1, 2);
  z = z * z / std::complex<float>(0, 1);
  std::cout << word << ' ' << z << std::endl;
}
