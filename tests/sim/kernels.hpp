/// Small kernels for the emulator's tests, in plain textbook style.
#pragma once

#include <upsweep/ops/monoid.hpp>
#include <upsweep/simt/machine.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

namespace upsweep::sim_test {

/// 1, 2, 3, ...
inline std::vector<int> iota(std::size_t n) {
  std::vector<int> x(n);
  std::iota(x.begin(), x.end(), 1);
  return x;
}

template <class T, int threads, class Op>
__global__ void kogge_stone(T const* in, T* out, Op op) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = in[i];
  __syncthreads();
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    T sum{};
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();
    if (t >= stride) tile[t] = sum;
    __syncthreads();
  }
  out[i] = tile[t];
}

template <class T, int threads, class Op>
__global__ void kogge_stone_double(T const* in, T* out, Op op) {
  __shared__ T tile[2 * threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  unsigned from = 0, to = threads;
  tile[t] = in[i];
  __syncthreads();
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    if (t >= stride)
      tile[to + t] = op(tile[from + t - stride], tile[from + t]);
    else
      tile[to + t] = tile[from + t];
    __syncthreads();
    unsigned const swap = from;
    from = to;
    to = swap;
  }
  out[i] = tile[from + t];
}

template <class T, int threads, class Op>
__global__ void brent_kung(T const* in, T* out, Op op) {
  __shared__ T tile[2 * threads];
  unsigned const t = threadIdx.x, first = blockIdx.x * 2 * threads;
  tile[t] = in[first + t];
  tile[t + threads] = in[first + t + threads];
  for (unsigned stride = 1; stride <= threads; stride *= 2) {
    __syncthreads();
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 2 * threads) tile[i] = op(tile[i - stride], tile[i]);
  }
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i + stride < 2 * threads) tile[i + stride] = op(tile[i], tile[i + stride]);
  }
  __syncthreads();
  out[first + t] = tile[t];
  out[first + t + threads] = tile[t + threads];
}

/// Exclusive. `padding` 1 puts an unused word after every 32.
template <class T, int threads, int padding, class Op>
__global__ void blelloch(T const* in, T* out, Op op) {
  __shared__ T tile[2 * threads + padding * (2 * threads / 32)];
  auto const place = [](unsigned i)
                         __attribute__((always_inline)) { return i + padding * (i >> 5); };
  unsigned const t = threadIdx.x, first = blockIdx.x * 2 * threads;
  tile[place(t)] = in[first + t];
  tile[place(t + threads)] = in[first + t + threads];
  unsigned stride = 1;
  for (unsigned d = threads; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) {
      unsigned const a = place(stride * (2 * t + 1) - 1), b = place(stride * (2 * t + 2) - 1);
      tile[b] = op(tile[a], tile[b]);
    }
    stride *= 2;
  }
  if (t == 0) tile[place(2 * threads - 1)] = identity_of<T>(op);
  for (unsigned d = 1; d <= threads; d *= 2) {
    stride /= 2;
    __syncthreads();
    if (t < d) {
      unsigned const a = place(stride * (2 * t + 1) - 1), b = place(stride * (2 * t + 2) - 1);
      T const left = tile[a];
      tile[a] = tile[b];
      tile[b] = op(tile[b], left);
    }
  }
  __syncthreads();
  out[first + t] = tile[place(t)];
  out[first + t + threads] = tile[place(t + threads)];
}

/// PMPP's first reduction tree: active threads move apart.
template <class T, int threads, class Op>
__global__ void interleaved(T* data, T* out, Op op) {
  unsigned const i = 2 * threadIdx.x;
  for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
    if (threadIdx.x % stride == 0) data[i] = op(data[i], data[i + stride]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = data[0];
}

/// PMPP's second: active threads stay adjacent.
template <class T, int threads, class Op>
__global__ void convergent(T* data, T* out, Op op) {
  unsigned const i = threadIdx.x;
  for (unsigned stride = blockDim.x; stride >= 1; stride /= 2) {
    if (threadIdx.x < stride) data[i] = op(data[i], data[i + stride]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = data[0];
}

template <class T, int threads, class Op>
__global__ void shuffle_reduce(T const* in, T* out, Op op) {
  __shared__ T totals[threads / 32];
  unsigned const t = threadIdx.x;
  T sum = in[blockIdx.x * threads + t];
  for (unsigned d = 16; d > 0; d /= 2) {
    T const later = __shfl_down_sync(0xffffffffu, sum, d);
    sum = op(sum, later);
  }
  if (t % 32 == 0) totals[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < threads / 32 ? totals[t] : identity_of<T>(op);
    for (unsigned d = 16; d > 0; d /= 2) {
      T const later = __shfl_down_sync(0xffffffffu, sum, d);
      sum = op(sum, later);
    }
    if (t == 0) out[blockIdx.x] = sum;
  }
}

}  // namespace upsweep::sim_test
