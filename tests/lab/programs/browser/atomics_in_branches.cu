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
