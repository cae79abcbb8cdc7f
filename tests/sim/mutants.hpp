/// Kernels whose barriers and fences are numbered: `without` omits that one; 0 omits none.
#pragma once

#include <upsweep/ops/monoid.hpp>
#include <upsweep/simt/machine.hpp>

#include <cstddef>

namespace upsweep::sim_test {

template <int without, int threads, class Op>
__global__ void kogge_stone_without(int const* in, int* out, Op op) {
  __shared__ int tile[threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = in[i];
  if constexpr (without != 1) __syncthreads();
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    int sum = 0;
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    if constexpr (without != 2) __syncthreads();
    if (t >= stride) tile[t] = sum;
    if constexpr (without != 3) __syncthreads();
  }
  out[i] = tile[t];
}

template <int without, int threads, class Op>
__global__ void brent_kung_without(int const* in, int* out, Op op) {
  __shared__ int tile[2 * threads];
  unsigned const t = threadIdx.x, first = blockIdx.x * 2 * threads;
  tile[t] = in[first + t];
  tile[t + threads] = in[first + t + threads];
  for (unsigned stride = 1; stride <= threads; stride *= 2) {
    if constexpr (without != 1) __syncthreads();
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 2 * threads) tile[i] = op(tile[i - stride], tile[i]);
  }
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    if constexpr (without != 2) __syncthreads();
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i + stride < 2 * threads) tile[i + stride] = op(tile[i], tile[i + stride]);
  }
  if constexpr (without != 3) __syncthreads();
  out[first + t] = tile[t];
  out[first + t + threads] = tile[t + threads];
}

/// The last warp continues alone. Before Volta the __syncwarp was commonly omitted.
template <int without, int threads, class Op>
__global__ void warp_tail_without(int const* in, int* out, Op op) {
  __shared__ int tile[threads];
  unsigned const t = threadIdx.x;
  tile[t] = in[blockIdx.x * threads + t];
  if constexpr (without != 1) __syncthreads();
  for (unsigned stride = threads / 2; stride >= 32; stride /= 2) {
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
    if constexpr (without != 2) __syncthreads();
  }
  if (t >= 32) return;
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
    if constexpr (without != 3) __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

/// Adjacent-block synchronization with a dynamic block number, a flag and a carry.
template <int without, int threads, class Op>
__global__ void chained_without(int const* in, int* out, int* carries, unsigned* flags,
                                unsigned* next, Op op) {
  __shared__ int tile[threads];
  __shared__ unsigned number;
  __shared__ int carry;
  unsigned const t = threadIdx.x;
  if (t == 0) number = atomicAdd(&next[0], 1u);
  if constexpr (without != 1) __syncthreads();
  unsigned const b = number;
  tile[t] = in[b * threads + t];
  if constexpr (without != 2) __syncthreads();
  if (t == 0) {
    for (unsigned i = 1; i < threads; ++i) tile[i] = op(tile[i - 1], tile[i]);
    int before = 0;
    if (b > 0) {
      while (atomicAdd(&flags[b - 1], 0u) == 0) {
      }
      if constexpr (without != 3) __threadfence();  // acquire: the carry is read after the flag
      before = carries[b - 1];
    }
    carry = before;
    int const total = tile[threads - 1];
    carries[b] = op(before, total);
    if constexpr (without != 4) __threadfence();  // release: the carry is visible before the flag
    atomicExch(&flags[b], 1u);
  }
  if constexpr (without != 5) __syncthreads();
  int const before = carry;
  int const mine = tile[t];
  out[b * threads + t] = op(before, mine);
}

/// The last block to finish adds up all totals.
template <int without, int threads, class Op>
__global__ void last_block_without(int const* in, int* totals, unsigned* done, int* out, Op op) {
  __shared__ int tile[threads];
  __shared__ unsigned is_last;
  unsigned const t = threadIdx.x;
  tile[t] = in[blockIdx.x * threads + t];
  if constexpr (without != 1) __syncthreads();
  if (t == 0) {
    int sum = tile[0];
    for (unsigned i = 1; i < threads; ++i) sum = op(sum, tile[i]);
    totals[blockIdx.x] = sum;
    if constexpr (without != 2) __threadfence();
    is_last = atomicAdd(&done[0], 1u) == gridDim.x - 1;
  }
  if constexpr (without != 3) __syncthreads();
  if (is_last == 0) return;
  if (t == 0) {
    if constexpr (without != 4) __threadfence();
    int sum = totals[0];
    for (unsigned b = 1; b < gridDim.x; ++b) sum = op(sum, totals[b]);
    out[0] = sum;
  }
}

/// Flags with release and acquire. `without` 1 and 2 make one side relaxed; 3 sets the flag before
/// writing the data.
template <int without>
__global__ void hand_over_without(int* data, unsigned* flag, int* out) {
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> ready(flag[0]);
  if (blockIdx.x == 0) {
    if constexpr (without == 3) ready.store(1u, ::cuda::memory_order_release);
    data[0] = 42;
    if constexpr (without != 3)
      ready.store(1u, without == 1 ? ::cuda::memory_order_relaxed : ::cuda::memory_order_release);
  } else {
    while (ready.load(without == 2 ? ::cuda::memory_order_relaxed : ::cuda::memory_order_acquire) ==
           0) {
    }
    out[0] = data[0];
  }
}

/// Threads of a block pass data through shared memory with atomics of block scope, without
/// barriers.
template <int without>
__global__ void neighbors_without(int* out) {
  __shared__ unsigned ready[64];
  __shared__ int value[64];
  unsigned const t = threadIdx.x;
  ready[t] = 0u;
  __syncthreads();
  int before = 0;
  if (t > 0) {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> left(ready[t - 1]);
    while (left.load(without == 1 ? ::cuda::memory_order_relaxed : ::cuda::memory_order_acquire) ==
           0) {
    }
    before = value[t - 1];
  }
  value[t] = before + 1;
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> mine(ready[t]);
  mine.store(1u, without == 2 ? ::cuda::memory_order_relaxed : ::cuda::memory_order_release);
  out[t] = value[t];
}

/// Blocks of a cluster read each other's shared memory.
template <int without>
__global__ void cluster_without(int* out) {
  __shared__ int total;
  auto const cluster = cooperative_groups::this_cluster();
  unsigned const rank = cluster.block_rank();
  if (threadIdx.x == 0) total = static_cast<int>(rank) + 1;
  if constexpr (without != 1) cluster.sync();
  int sum = 0;
  if (threadIdx.x == 0)
    for (unsigned r = 0; r < cluster.num_blocks(); ++r)
      sum += cluster.map_shared_rank(&total, r)[0];
  if constexpr (without != 2) cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// Half of a warp synchronizes with a partial mask.
template <int without>
__global__ void half_warps_without(int* out) {
  __shared__ int tile[32];
  unsigned const t = threadIdx.x, half = t / 16, mask = half == 0 ? 0xffffu : 0xffff0000u;
  tile[t] = static_cast<int>(t);
  if constexpr (without != 1) __syncwarp(mask);
  int const other = tile[t ^ 1];
  if constexpr (without != 2) __syncwarp(mask);
  tile[t] = other;
  out[t] = tile[t];
}

/// The upper half of a warp reads what the lower half has written; the lower half may have returned
/// by then. With `without` 1 and 2 each half synchronizes only with itself, with 2 after the lower
/// half has returned.
template <int without>
__global__ void lower_half_without(int* out) {
  __shared__ int tile[32];
  unsigned const t = threadIdx.x, mask = without == 0 ? 0xffffffffu
                                         : t < 16     ? 0xffffu
                                                      : 0xffff0000u;
  tile[t] = static_cast<int>(t);
  if (without == 2 && t < 16) return;
  __syncwarp(mask);
  if (t >= 16) out[t] = tile[t - 16];
}

/// Each block adds to every element its right neighbor, of which the last belongs to another
/// block. The correct version writes to a second buffer; `without` 1 to 3 write in place, 2 reads
/// its own element twice, 3 reads the neighbor after its own.
template <int without, int threads>
__global__ void halo_without(int* x, int* out) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  int const mine = without == 3 ? 0 : x[i], next = x[i + 1];
  int const again = without >= 2 ? x[i] : mine;
  __syncthreads();
  if constexpr (without == 0)
    out[i] = again + next;
  else
    x[i] = again + next;
}

/// Every block reads one element; the last block overwrites it after fences. `without` 1 omits the
/// readers' fence.
template <int without>
__global__ void read_by_all_without(int* x, unsigned* done, int* out) {
  out[blockIdx.x] = x[0];
  if constexpr (without != 1) __threadfence();
  if (atomicAdd(&done[0], 1u) != gridDim.x - 1) return;
  __threadfence();
  x[0] = 7;
}

/// The reader polls a flag. The correct version sets it with an atomic store, version 1 with a
/// plain store.
template <int without>
__global__ void plain_flag_without(unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    if constexpr (without == 1)
      flag[0] = 1u;
    else
      atomicExch(&flag[0], 1u);
  } else {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> ready(flag[0]);
    while (ready.load(::cuda::memory_order_relaxed) == 0) {
    }
    out[0] = 1;
  }
}

/// The data is published by a releasing compare-and-swap; in version 1 it fails, so it publishes
/// nothing.
template <int without>
__global__ void swap_without(int* data, unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    if constexpr (without == 1) atomicExch(&flag[0], 1u);
    data[0] = 42;
    __threadfence();
    atomicCAS(&flag[0], 0u, 1u);
  } else {
    while (atomicAdd(&flag[0], 0u) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}

/// Data goes from lane 2 to lane 3 of one block, by a flag to lane 0 of the other, and to lane 1.
template <int without>
__global__ void warp_to_warp_without(int* data, unsigned* flag, int* out) {
  unsigned const t = threadIdx.x;
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> ready(flag[0]);
  if (blockIdx.x == 0) {
    if (t == 2) data[0] = 42;
    if constexpr (without != 1)
      if (t / 2 == 1) __syncwarp(0xcu);
    if (t == 3) ready.store(1, ::cuda::memory_order_release);
  } else {
    if (t == 0)
      while (ready.load(::cuda::memory_order_acquire) == 0) {
      }
    if constexpr (without != 2) __syncwarp();
    if (t == 1) out[0] = data[0];
  }
}

}  // namespace upsweep::sim_test
