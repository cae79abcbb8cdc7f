// Updates that are lost, and what only looks like them.
#include "cases.cuh"

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void assigns(int* x, int* y, int) {
  __shared__ int sum[1];
  if (threadIdx.x == 0) sum[0] = 0;
  __syncthreads();
  sum[0] = sum[0] + x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sum[0];
}
CASE(assigns, 1, 128)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void adds(int* x, int* y, int) {
  __shared__ int sum[1];
  if (threadIdx.x == 0) sum[0] = 0;
  __syncthreads();
  sum[0] += x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sum[0];
}
CASE(adds, 1, 128)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void subtracts_product(int* x, int* y, int) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  sum -= 0.5f * x[threadIdx.x] * x[threadIdx.x + 1];
  __syncthreads();
  y[threadIdx.x] = static_cast<int>(sum);
}
CASE(subtracts_product, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void increments_bytes(int* x, int* y, int) {
  __shared__ unsigned char bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[x[threadIdx.x] % 4]++;
  __syncthreads();
  if (threadIdx.x < 4) y[threadIdx.x] = bins[threadIdx.x];
}
CASE(increments_bytes, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void increments_rows(int* x, int* y, int) {
  __shared__ int bins[2][4];
  if (threadIdx.x < 8) bins[threadIdx.x / 4][threadIdx.x % 4] = 0;
  __syncthreads();
  ++bins[threadIdx.x / 32][x[threadIdx.x] % 4];
  __syncthreads();
  if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x / 4][threadIdx.x % 4];
}
CASE(increments_rows, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void in_three_lines(int* x, int* y, int) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int const old = sum;
  int const mine = x[threadIdx.x] * x[threadIdx.x];
  sum = old + mine;
  __syncthreads();
  y[threadIdx.x] = sum;
}
CASE(in_three_lines, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void larger_is_stored(int* x, int* y, int) {
  __shared__ int largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  if (x[threadIdx.x] > largest) largest = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = largest;
}
CASE(larger_is_stored, 1, 64)

// EXPECT race between blocks: atomicAdd(); not split
__global__ void of_all_blocks(int* x, int* y, int) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  y[0] = y[0] + x[i] * x[i];
}
CASE(of_all_blocks, 2, 32)

// EXPECT race between blocks: atomicAdd(); not split
__global__ void totals_of_blocks(int* x, int* y, int) {
  __shared__ int tile[32];
  int const t = threadIdx.x;
  tile[t] = x[blockIdx.x * 32 + t];
  __syncthreads();
  for (int s = 16; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads();
  }
  if (t == 0) *y += tile[0];
}
CASE(totals_of_blocks, 4, 32)

// Sums of warps that are used again before all threads have read them.
// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void sums_are_reused(int* x, int* y, int) {
  __shared__ int sums[4];
  int const t = threadIdx.x;
  int value = x[t];
  for (int round = 0; round < 2; ++round) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    int total = 0;
    for (int w = 0; w < 4; ++w) total += sums[w];
    value = x[t] * total;
  }
  y[t] = value;
}
CASE(sums_are_reused, 1, 128)

// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void sums_are_reused_by_a_warp(int* x, int* y, int) {
  __shared__ int sums[4];
  int const t = threadIdx.x;
  int value = x[t];
  for (int round = 0; round < 2; ++round) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    value = t < 4 ? sums[t] : 0;
    for (int d = 2; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    value += x[t];
  }
  y[t] = value;
}
CASE(sums_are_reused_by_a_warp, 1, 128)

// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void is_cleared_while_others_read(int* x, int* y, int) {
  __shared__ int total;
  if (threadIdx.x == 0) total = x[0];
  __syncthreads();
  y[threadIdx.x] = total;
  if (threadIdx.x == 0) total = 0;
}
CASE(is_cleared_while_others_read, 1, 64)

// EXPECT none; prints 8256
__global__ void one_after_the_other(int* x, int* y, int) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  for (int t = 0; t < 128; ++t) {
    __syncthreads();
    if (threadIdx.x == t) sum += x[t];
  }
  __syncthreads();
  y[threadIdx.x] = sum;
}
CASE(one_after_the_other, 1, 128)

// Shared memory and global memory alike: volatile orders nothing within a block.
// EXPECT race in a block: __syncwarp()
__global__ void last_warp_of_global_memory(int* x, int* y, int) {
  int volatile* const v = y;
  int const t = threadIdx.x;
  v[t] = x[t];
  __syncthreads();
  if (t >= 32) return;
  v[t] += v[t + 32];
  v[t] += v[t + 16];
  v[t] += v[t + 8];
  v[t] += v[t + 4];
  v[t] += v[t + 2];
  v[t] += v[t + 1];
}
CASE(last_warp_of_global_memory, 1, 64)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void volatile_counter(int* x, int* y, int) {
  int volatile* const count = y;
  *count = *count + x[threadIdx.x];
}
CASE(volatile_counter, 1, 64)

// EXPECT race between blocks: atomicAdd(); not split
__global__ void volatile_counter_of_blocks(int* x, int* y, int) {
  int volatile* const count = y;
  if (threadIdx.x == 0) ++*count;
}
CASE(volatile_counter_of_blocks, 3, 32)

// A flag between blocks, which volatile is for.
// EXPECT none; prints 7
__global__ void volatile_flag(int* x, int* y, int) {
  int volatile* const flag = y + 1;
  if (blockIdx.x == 1) {
    if (threadIdx.x != 0) return;
    y[2] = 7;
    __threadfence();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
    y[0] = y[2];
  }
}
CASE(volatile_flag, 2, 32)

// EXPECT none; prints 64
__global__ void volatile_counter_under_a_lock(int* x, int* y, int) {
  int volatile* const count = y;
  if (threadIdx.x != 0) return;
  while (atomicCAS(y + 1, 0, 1) != 0) {
  }
  __threadfence();
  *count = *count + 16;
  __threadfence();
  atomicExch(y + 1, 0);
}
CASE(volatile_counter_under_a_lock, 4, 32)

// EXPECT race between blocks: atomicAdd_block()
__global__ void scope_of_a_block(int* x, int* y, int) {
  atomicAdd_block(y, x[threadIdx.x]);
}
CASE(scope_of_a_block, 2, 32)

// EXPECT race between blocks: of the block's scope
__global__ void scopes_are_mixed(int* x, int* y, int) {
  if (blockIdx.x == 0)
    atomicMax_block(y, x[threadIdx.x]);
  else
    atomicMax(y, x[threadIdx.x]);
}
CASE(scopes_are_mixed, 2, 32)

// EXPECT race between blocks: of the block's scope
__global__ void swaps_of_a_block(int* x, int* y, int) {
  if (threadIdx.x == 0) atomicCAS_block(y, blockIdx.x, blockIdx.x + 1);
}
CASE(swaps_of_a_block, 2, 32)

// EXPECT none; prints 528
__global__ void counters_of_their_own(int* x, int* y, int) {
  atomicAdd_block(y + blockIdx.x, x[threadIdx.x]);
}
CASE(counters_of_their_own, 3, 32)

// EXPECT none; prints 256
__global__ void swap_loop(int* x, int* y, int) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *y;
  while (old < x[i]) {
    int const seen = atomicCAS(y, old, x[i]);
    if (seen == old) break;
    old = seen;
  }
}
CASE(swap_loop, 4, 64)

// EXPECT race between blocks: split the kernel
__global__ void reads_what_others_add(int* x, int* y, int) {
  atomicAdd(y, x[threadIdx.x]);
  if (threadIdx.x == 0) y[1 + blockIdx.x] = y[0];
}
CASE(reads_what_others_add, 2, 32)

// EXPECT race between blocks: two threads have the same index; not atomicExch
__global__ void index_of_16_bits(int* x, int* y, int) {
  unsigned short const i = (blockIdx.x * blockDim.x + threadIdx.x) * 4096;
  y[i / 4096] = x[i / 4096];
}
CASE(index_of_16_bits, 2, 16)

// EXPECT race in a block: two threads have the same index; not atomicExch
__global__ void rows_by_the_wrong_extent(int* x, int* y, int) {
  int const i = threadIdx.y * blockDim.y + threadIdx.x;
  y[i] = x[i] + 1;
}
CASE(rows_by_the_wrong_extent, 1, dim3(32, 4))

// EXPECT race in a block: let one thread write it
__global__ void all_set_one_flag(int* x, int* y, int) {
  if (x[threadIdx.x] > 3) y[0] = 1;
}
CASE(all_set_one_flag, 1, 64)

// Other updates in one line, and two that lack a barrier instead.
// EXPECT race in a block: atomicMax(); not __syncthreads
__global__ void maximum(int* x, int* y, int) {
  __shared__ int largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  largest = max(largest, x[threadIdx.x]);
  __syncthreads();
  y[threadIdx.x] = largest;
}
CASE(maximum, 1, 64)

// EXPECT race in a block: atomicMax(); not __syncthreads
__global__ void chosen_minimum(int* x, int* y, int) {
  __shared__ int least;
  if (threadIdx.x == 0) least = 99;
  __syncthreads();
  least = x[threadIdx.x] < least ? x[threadIdx.x] : least;
  __syncthreads();
  y[threadIdx.x] = least;
}
CASE(chosen_minimum, 1, 64)

// EXPECT race in a block: atomicCAS(); not __syncthreads
__global__ void product(int* x, int* y, int) {
  __shared__ float all;
  if (threadIdx.x == 0) all = 1;
  __syncthreads();
  all *= x[threadIdx.x] % 3 + 1;
  __syncthreads();
  y[threadIdx.x] = static_cast<int>(all);
}
CASE(product, 1, 64)

// EXPECT race in a block: atomicCAS(); not __syncthreads
__global__ void bits_by_pointer(int* x, int* y, int) {
  __shared__ unsigned seen[2];
  if (threadIdx.x < 2) seen[threadIdx.x] = 0;
  __syncthreads();
  unsigned* const word = &seen[threadIdx.x / 64];
  *word |= 1u << x[threadIdx.x] % 32;
  __syncthreads();
  y[threadIdx.x] = static_cast<int>(seen[0]);
}
CASE(bits_by_pointer, 1, 128)

// EXPECT race in a block: atomicAdd(); not __syncthreads
__global__ void appends(int* x, int* y, int) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (x[threadIdx.x] % 8 == 0) y[count++] = x[threadIdx.x];
}
CASE(appends, 1, 64)

// EXPECT race in a block: atomicCAS(); not __syncthreads
__global__ void first_one_sets(int* x, int* y, int) {
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (done == 0) done = x[threadIdx.x];
}
CASE(first_one_sets, 1, 64)

// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void adds_the_next(int* x, int* y, int) {
  __shared__ int all[65];
  int const t = threadIdx.x;
  all[t] = x[t];
  if (t == 0) all[64] = 0;
  __syncthreads();
  all[t] += all[t + 1];
  __syncthreads();
  y[t] = all[t];
}
CASE(adds_the_next, 1, 64)

// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void adds_the_one_before(int* x, int* y, int) {
  __shared__ int all[65];
  int const t = threadIdx.x;
  all[t + 1] = x[t];
  if (t == 0) all[0] = 0;
  __syncthreads();
  all[t + 1] = all[t + 1] + all[t];
  __syncthreads();
  y[t] = all[t];
}
CASE(adds_the_one_before, 1, 64)

int main(int count, char** words) {
  return cases::run(count, words);
}
