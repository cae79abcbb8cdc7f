/// Kernels with every mistake that the emulator reports.
#pragma once

#include <upsweep/simt/machine.hpp>

#include <cstddef>

namespace upsweep::sim_test {

__global__ inline void reads_before_the_start(int const* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x - 1u + 0u * blockDim.x];
}
__global__ inline void shifted_load(int const* in, int* out) {
  int const i = static_cast<int>(threadIdx.x);
  out[i] = in[i - 1];
}
__global__ inline void writes_past_the_end(int* out) {
  out[threadIdx.x + 1] = 0;
}
__global__ inline void leaves_shared_memory(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];
}
__global__ inline void follows_a_null_pointer(int* out) {
  int* nothing = nullptr;
  if (nothing == nullptr) out[0] = nothing[0];
}
__global__ inline void reads_unwritten_shared_memory(int* out) {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ inline void has_a_large_array(int* out) {
  int volatile numbers[1 << 18];
  for (unsigned i = 0; i < 4; ++i) numbers[(i << 16) + threadIdx.x] = static_cast<int>(i);
  out[threadIdx.x] = numbers[threadIdx.x];
}
inline int sum_below(int n, int* out) {
  int volatile numbers[64];
  numbers[n % 64] = n;
  return n == 0 ? out[0] : sum_below(n - 1, out) + numbers[n % 64];
}
__global__ inline void calls_itself(int* out) {
  out[threadIdx.x] = sum_below(1 << 13, out);
}
__global__ inline void copies(int const* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ inline void two_barriers(int* out) {
  out[threadIdx.x] = 0;
  if (threadIdx.x % 2 == 0)
    __syncthreads();
  else
    __syncthreads();
}
__global__ inline void returns_before_the_barrier(int* out) {
  if (threadIdx.x == 7) return;
  __syncthreads();
  out[threadIdx.x] = 0;
}
__global__ inline void shuffles_without_half(int* out) {
  unsigned const t = threadIdx.x;
  if (t < 16) out[t] = __shfl_down_sync(0xffffffffu, static_cast<int>(t), 1);
  __syncthreads();
}
__global__ inline void shuffles_from_outside_the_mask(int* out) {
  unsigned const t = threadIdx.x;
  if (t < 16) out[t] = __shfl_down_sync(0xffffu, static_cast<int>(t), 1);
}
__global__ inline void is_not_in_its_own_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(0xfffeu, 1, 3);
}
__global__ inline void misaligned_vector(int const* in, int* out) {
  struct alignas(8) two {
    int a, b;
  };
  two const* const pairs = simt::pointer_cast<two const>(in + 1);
  two const x = pairs[threadIdx.x];
  out[threadIdx.x] = x.a + x.b;
}
__global__ inline void waits_for_the_next_block(unsigned* flags, int* out) {
  if (blockIdx.x + 1 < gridDim.x)
    while (atomicAdd(&flags[blockIdx.x + 1], 0u) == 0) {
    }
  atomicExch(&flags[blockIdx.x], 1u);
  out[blockIdx.x] = 1;
}
/// Chained by static block numbers: completes only if blocks start in order.
__global__ inline void waits_for_the_block_before(unsigned* flags, int* out) {
  if (blockIdx.x > 0)
    while (atomicAdd(&flags[blockIdx.x - 1], 0u) == 0) {
    }
  atomicExch(&flags[blockIdx.x], 1u);
  out[blockIdx.x] = 1;
}
/// Lane 0 reads its own element after lane 31 has read it, and overwrites it without
/// synchronization.
__global__ inline void adds_its_neighbor_in_place(int* out) {
  __shared__ int tile[32];
  unsigned const t = threadIdx.x;
  tile[t] = static_cast<int>(t);
  __syncwarp();
  int const sum = tile[t] + tile[(t + 1) % 32];
  tile[t] = sum;
  __syncwarp();
  out[t] = tile[t];
}
/// Thread 0 waits at the cluster barrier, the others for thread 0.
__global__ inline void waits_for_each_other(int* out) {
  if (threadIdx.x == 0)
    cooperative_groups::this_cluster().sync();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ inline void spins_on_a_plain_load(unsigned* flag, int* out) {
  while (flag[0] == 0) {
  }
  out[0] = 1;
}
/// Polls two flags in turn that are never set.
__global__ inline void spins_on_two_flags(unsigned* flags, int* out) {
  unsigned looks = 0;
  while (flags[looks % 2] == 0) ++looks;
  out[0] = 1;
}
/// A warp that votes on whether each lane has seen both of its flags, which are never set.
__global__ inline void votes_on_two_flags(unsigned* flags, int* out) {
  unsigned seen = 0;
  do {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> first(flags[0]), second(flags[1]);
    seen = first.load(::cuda::memory_order_relaxed) & second.load(::cuda::memory_order_relaxed);
  } while (__any_sync(0xffffffffu, seen == 0));
  out[threadIdx.x] = 1;
}
__global__ inline void adds_up_alone(int const* in, int n, int* out) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  out[0] = sum;
}
__global__ inline void never_ends(int* out) {
  unsigned x = threadIdx.x;
  out[x] = 0;
  while (x != 1000) x = x * 2 % 7;
  out[0] = static_cast<int>(x);
}
__global__ inline void spins_without_a_statement(int* out) {
  out[threadIdx.x] = 1;
  while (true) {
  }
}
__global__ inline void spins_from_the_start(int*) {
  while (true) {
  }
}
/// A chain from the last block to the first; waiting threads call __nanosleep.
__global__ inline void waits_with_nanosleep(unsigned* flags, int* out) {
  if (blockIdx.x + 1 < gridDim.x)
    while (atomicAdd(&flags[blockIdx.x + 1], 0u) == 0) __nanosleep(100);
  atomicExch(&flags[blockIdx.x], 1u);
  out[blockIdx.x] = 1;
}
/// Reads an atomic once, then computes for a long time without any access.
__global__ inline void works_after_one_poll(unsigned* flag, int n, int* out) {
  ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> first(flag[0]);
  unsigned x = first.load(::cuda::memory_order_relaxed) + first.load(::cuda::memory_order_relaxed);
  for (int i = 0; i < n; ++i) x = x % 3 == 0 ? x + 5 : x - 1;
  out[0] = static_cast<int>(x);
}
__global__ inline void votes_without_its_tail(int const* in, int n, int* out) {
  int const i = static_cast<int>(threadIdx.x);
  if (i < n) out[i] = static_cast<int>(__ballot_sync(0xffffffffu, in[i] > 0));
  __syncthreads();
}
__global__ inline void increments(int* count) {
  count[0] += 1;
}
__global__ inline void increments_in_words(int* count) {
  int const before = count[0];
  count[0] = before + 1;
}
__global__ inline void declares_much(int* out) {
  __shared__ int first[10000];
  __shared__ int second[3000];
  first[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
__global__ inline void declares_a_little(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ inline void traps(int*) {
  if (threadIdx.x == 3) __trap();
}
__global__ inline void counts_globally(int* out) {
  atomicAdd(&out[0], 1);
}
__global__ inline void counts_in_its_block(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
__global__ inline void neighbor_blocks_collide(int* out) {
  out[(blockIdx.x + 1) / 2] = static_cast<int>(threadIdx.x);
}

}  // namespace upsweep::sim_test
