// The kinds of the other files in other dress: other types, functions, shapes of blocks, loops.
#include "cases.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct totals {
  double sum;
  int count;
};

__device__ __forceinline__ void add_to(float& total, float value) {
  total += value;
}

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void sum_by_a_function(int* x, int* y, int) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  add_to(total, static_cast<float>(x[threadIdx.x]));
  __syncthreads();
  y[threadIdx.x] = static_cast<int>(total);
}
CASE(sum_by_a_function, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void __launch_bounds__(128) members(int* x, int* y, int) {
  __shared__ totals all;
  if (threadIdx.x == 0 && threadIdx.y == 0) all = {0, 0};
  __syncthreads();
  int const t = threadIdx.y * blockDim.x + threadIdx.x;
  all.sum += x[t];
  __syncthreads();
  y[t] = static_cast<int>(all.sum);
}
CASE(members, 1, dim3(16, 8))

// EXPECT race in a block: atomic; not __syncthreads
__global__ void flags_by_or(int* x, int* y, int) {
  __shared__ unsigned mask;
  if (threadIdx.x == 0) mask = 0;
  __syncthreads();
  mask |= 1u << (x[threadIdx.x] % 31);
  __syncthreads();
  y[threadIdx.x] = static_cast<int>(mask);
}
CASE(flags_by_or, 1, 64)

// EXPECT race in a block: atomic; not __syncthreads
__global__ void place_in_a_list(int* x, int* y, int) {
  __shared__ int size, list[64];
  if (threadIdx.x == 0) size = 0;
  __syncthreads();
  if (x[threadIdx.x] % 2 == 0) list[size++] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < size) y[threadIdx.x] = list[threadIdx.x];
}
CASE(place_in_a_list, 1, 64)

// EXPECT race between blocks: atomicAdd(); not split
__global__ void grid_stride_sum(int* x, int* y, int) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 256; i += blockDim.x * gridDim.x)
    y[0] = x[i] + y[0];
}
CASE(grid_stride_sum, 2, 32)

// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void totals_by_groups(int* x, int* y, int) {
  __shared__ int sums[4];
  cg::thread_block const block = cg::this_thread_block();
  cg::thread_block_tile<32> const warp = cg::tiled_partition<32>(block);
  int value = x[block.thread_rank()];
  for (int round = 0; round < 2; ++round) {
    for (int d = warp.size() / 2; d > 0; d /= 2) value += warp.shfl_down(value, d);
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = value;
    block.sync();
    value = x[block.thread_rank()] * (sums[0] + sums[1] + sums[2] + sums[3]);
  }
  y[block.thread_rank()] = value;
}
CASE(totals_by_groups, 1, 128)

// EXPECT none; with 20; prints 20
// EXPECT none; with 31
__global__ void largest_of_a_tail(int* x, int* y, int n) {
  int const t = threadIdx.x;
  unsigned const mask = __ballot_sync(0xffffffff, t < n);
  if (t < n) {
    int best = x[t];
    for (int d = 16; d >= 1; d >>= 1) {
      int const other = __shfl_down_sync(mask, best, d);
      best = max(best, t + d < n ? other : best);
    }
    if (t == 0) y[0] = best;
  }
}
CASE(largest_of_a_tail, 1, 32)

// EXPECT none; with 20; prints 1
// EXPECT none; with 5
__global__ void scan_of_a_tail(int* x, int* y, int n) {
  int const t = threadIdx.x;
  unsigned const mask = __ballot_sync(0xffffffff, t < n);
  if (t >= n) return;
  int sum = x[t];
  for (int d = 1; d < 32; d *= 2) {
    int const other = __shfl_up_sync(mask, sum, d);
    if (t >= d) sum += other;
  }
  y[t] = sum;
}
CASE(scan_of_a_tail, 1, 32)

// EXPECT none; with 12; prints 78
__global__ void half_a_warp(int* x, int* y, int n) {
  int const t = threadIdx.x;
  unsigned const mask = __ballot_sync(0xffffffff, t < n);
  if (t >= n) return;
  int sum = x[t];
  for (int d = 8; d > 0; d /= 2) {
    int const other = __shfl_down_sync(mask, sum, d, 16);
    if (t + d < n) sum += other;
  }
  if (t == 0) y[0] = sum;
}
CASE(half_a_warp, 1, 32)

// EXPECT no progress: comes back to the barrier; on in-order
__global__ void stride_stays_one(int* x, int* y, int) {
  for (int s = 1; s < blockDim.x; s *= 1) {
    if (threadIdx.x % 2 == 0) y[threadIdx.x] += x[threadIdx.x];
    __syncthreads();
  }
}
CASE(stride_stays_one, 1, 32)

// EXPECT no progress: comes back to the barrier; on in-order
__global__ void halves_by_a_while(int* x, int* y, int) {
  cg::thread_block const block = cg::this_thread_block();
  unsigned s = blockDim.x / 2;
  while (s != 0) {
    if (threadIdx.x < s) y[threadIdx.x] += 1;
    block.sync();
    s << 1;
  }
}
CASE(halves_by_a_while, 1, 32)

// EXPECT race between blocks: of the block's scope
__global__ void floats_of_a_block(int* x, int* y, int) {
  atomicAdd_block(reinterpret_cast<float*>(y), static_cast<float>(x[threadIdx.x]));
}
CASE(floats_of_a_block, 2, 32)

// EXPECT race between blocks: of the block's scope
__global__ void long_max_of_a_block(int* x, int* y, int) {
  atomicMax_block(reinterpret_cast<unsigned long long*>(y), 1ull * x[threadIdx.x]);
}
CASE(long_max_of_a_block, 3, 32)

// EXPECT out of bounds: of its own array 'best'; which has 4 elements; with 4
// EXPECT none; with 3
__global__ void doubles_of_its_own(int* x, int* y, int n) {
  double best[4] = {};
  for (int i = 0; i <= n; ++i) best[i] = 0.5 * x[i];
  y[0] = static_cast<int>(best[0] + best[3]);
}
CASE(doubles_of_its_own, 1, 1)

struct point {
  float x, y;
};
// EXPECT out of bounds: of its own array 'corners'; which has 3 elements; with 3
// EXPECT none; with 2; prints 3
__global__ void structs_of_its_own(int* x, int* y, int n) {
  point corners[3] = {};
  corners[n].x = static_cast<float>(x[2]);
  y[0] = static_cast<int>(corners[2].x);
}
CASE(structs_of_its_own, 1, 1)

__device__ int third_largest(int const* x, int from) {
  int top[3] = {0, 0, 0};
  for (int i = from; i < from + 8; ++i) {
    int at = 3;
    while (at > 0 && top[at - 1] < x[i]) --at;
    for (int k = 3; k > at; --k) top[k] = top[k - 1];
    if (at < 3) top[at] = x[i];
  }
  return top[2];
}
// EXPECT out of bounds: of its own array 'top'; which has 3 elements
__global__ void in_a_function(int* x, int* y, int) {
  y[threadIdx.x] = third_largest(x, threadIdx.x);
}
CASE(in_a_function, 1, 32)

// EXPECT undefined use: by __ldg(); which this kernel has written
__global__ void ldg_of_floats(int* x, int* y, int) {
  float* const f = reinterpret_cast<float*>(y);
  f[threadIdx.x] = static_cast<float>(x[threadIdx.x]);
  __syncthreads();
  f[threadIdx.x + 64] = __ldg(f + 63 - threadIdx.x);
}
CASE(ldg_of_floats, 1, 64)

__device__ volatile int calls;
// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void volatile_variable(int* x, int* y, int) {
  calls = calls + 1;
  __syncthreads();
  y[threadIdx.x] = calls;
}
CASE(volatile_variable, 1, 64)

// EXPECT race between blocks: atomicAdd(); not split
__global__ void volatile_floats(int* x, int* y, int) {
  volatile float* const sum = reinterpret_cast<volatile float*>(y);
  if (threadIdx.x == 0) *sum += static_cast<float>(x[blockIdx.x]);
}
CASE(volatile_floats, 4, 32)

// EXPECT undefined use: shifts 32 bits by 32; with 32
// EXPECT none; with 8; prints 0
__global__ void shifts_and_assigns(int* x, int* y, int n) {
  unsigned v = x[0];
  v >>= n;
  y[0] = static_cast<int>(v);
}
CASE(shifts_and_assigns, 1, 1)

// EXPECT undefined use: shifts 32 bits by 33; with 33
__global__ void bytes_are_promoted(int* x, int* y, int n) {
  unsigned char const one = x[0];
  y[0] = one << n;
}
CASE(bytes_are_promoted, 1, 1)

// EXPECT undefined use: divides an integer by 0; with 0
// EXPECT none; with 2; prints 0
__global__ void divides_and_assigns(int* x, int* y, int n) {
  int v = x[0];
  v /= n;
  y[0] = v;
}
CASE(divides_and_assigns, 1, 1)

template <typename T>
__device__ T mean_of(T sum, T count) {
  return sum / count;
}
// EXPECT undefined use: divides an integer by 0; with 0
__global__ void mean_in_a_template(int* x, int* y, int n) {
  y[0] = static_cast<int>(mean_of<unsigned short>(x[3], n) + mean_of<unsigned long>(x[3], n));
}
CASE(mean_in_a_template, 1, 1)

// EXPECT undefined use: to unsigned int
// EXPECT none; with 3; prints 3
__global__ void bin_by_floor(int* x, int* y, int n) {
  float const place = floorf((n - 0.5f) / 1.0f + 0.5f) - (n == 0 ? 2.0f : 0.0f);
  unsigned const bin = place;
  y[0] = static_cast<int>(bin);
}
CASE(bin_by_floor, 1, 1)

// The intrinsics saturate, on a GPU too.
// EXPECT none; prints 0
__global__ void saturates(int* x, int* y, int) {
  float const below = -4.0f * x[0];
  y[0] = static_cast<int>(__float2uint_rz(below));
}
CASE(saturates, 1, 1)

int main(int count, char** words) {
  return cases::run(count, words);
}
