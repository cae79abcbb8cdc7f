// Patterns of public reports, in kernels of our own: each names where it was asked.
#include "cases.cuh"

// numba/numba#2655: some threads jump over the barrier.
// EXPECT thread gone before a barrier: returned before the barrier; with 300
// EXPECT none; with 0
__global__ void jumps_over_the_barrier(int* x, int* y, int n) {
  int const t = threadIdx.x;
  if (t < 14) {
    if (x[t] < n) goto end;
    y[t] = x[t];
  }
  __syncthreads();
  if (t == 17) y[20] = y[0];
end:;
}
CASE(jumps_over_the_barrier, 1, 64)

// 1bit-MONSTER/1bit-MONSTER#1262: a loop that some threads leave, with barriers in it.
// EXPECT thread gone before a barrier: returned before the barrier; with 3
// EXPECT none; with 1000
__global__ void breaks_by_data(int* x, int* y, int n) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    if (x[t] > n * 16) break;
    tile[t] = x[t] + k;
    __syncthreads();
    y[t] += tile[63 - t];
    __syncthreads();
  }
}
CASE(breaks_by_data, 1, 64)

// "Race conditions in a cumulative sum": __syncthreads() is taken to order all blocks.
// EXPECT race between blocks: split the kernel
__global__ void one_thread_sums_all_blocks(int* x, int* y, int) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  y[1 + i] = x[i] * x[i];
  __syncthreads();
  if (i == 0)
    for (int k = 0; k < 128; ++k) y[0] += y[1 + k];
}
CASE(one_thread_sums_all_blocks, 2, 64)

// gtcasl/gpuocelot#36: a butterfly in shared memory, without its second barrier.
// EXPECT race in a block: __syncthreads(); not atomicAdd
__global__ void butterfly_with_one_barrier(int* x, int* y, int) {
  __shared__ int sum[64];
  int const t = threadIdx.x;
  sum[t] = x[t];
  for (int bit = 32; bit > 0; bit /= 2) {
    __syncthreads();
    int const both = sum[t] + sum[t ^ bit];
    sum[t] = both;
  }
  __syncthreads();
  y[t] = sum[t];
}
CASE(butterfly_with_one_barrier, 1, 64)

// EXPECT none; prints 2080
__global__ void butterfly(int* x, int* y, int) {
  __shared__ int sum[64];
  int const t = threadIdx.x;
  sum[t] = x[t];
  for (int bit = 32; bit > 0; bit /= 2) {
    __syncthreads();
    int const both = sum[t] + sum[t ^ bit];
    __syncthreads();
    sum[t] = both;
  }
  __syncthreads();
  y[t] = sum[t];
}
CASE(butterfly, 1, 64)

__device__ void sum_of_warp(int* part) {
  for (int s = 16; s > 0; s /= 2) {
    if (threadIdx.x % 32 < s) part[0] += part[s];
    __syncthreads();
  }
}

// victorprad/InfiniTAM#75: a function with a barrier that one warp calls.
// EXPECT thread gone before a barrier: returned before the barrier
__global__ void one_warp_calls_a_barrier(int* x, int* y, int) {
  __shared__ int part[64];
  int const t = threadIdx.x;
  part[t] = x[t];
  __syncthreads();
  if (t < 32) sum_of_warp(part + t);
  if (t == 0) y[0] = part[0];
}
CASE(one_warp_calls_a_barrier, 1, 64)

// brucefan1983/CUDA-Programming#51: a thread that the mask does not name.
// EXPECT missing lane: its own bit is not in the mask
__global__ void mask_without_the_caller(int* x, int* y, int) {
  int const t = threadIdx.x;
  y[t] = __shfl_sync(0x0000ffff, x[t], 0);
}
CASE(mask_without_the_caller, 1, 32)

// forums.developer.nvidia.com/t/9202: a lock that nobody gives back.
// EXPECT no progress: polls element 0 of the shared array 'lock'
__global__ void lock_is_kept(int* x, int* y, int) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  while (atomicExch(&lock, 1) != 0) {
  }
  y[threadIdx.x] = x[threadIdx.x];
}
CASE(lock_is_kept, 1, 64)

// A dot product of several blocks whose every thread stores the total (seen in public courses): the
// last block wins.
// EXPECT race between blocks: of buffer 'y'
__global__ void every_block_stores_the_total(int* x, int* y, int) {
  __shared__ int products[64];
  int const t = threadIdx.x, i = blockIdx.x * 64 + t;
  products[t] = x[i] * x[i];
  __syncthreads();
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) products[t] += products[t + stride];
    __syncthreads();
  }
  y[0] = products[0];
}
CASE(every_block_stores_the_total, 2, 64)

// Run-length encoders: the flags are added up in place, between one barrier and the next.
// EXPECT race in a block: __syncthreads()
__global__ void scan_in_place_by_pushing(int* x, int* y, int) {
  int const t = threadIdx.x;
  y[t] = t == 0 || x[t] / 3 != x[t - 1] / 3 ? 1 : 0;
  for (int offset = 1; offset < 64; offset *= 2) {
    __syncthreads();
    if (t + offset < 64) y[t + offset] = y[t] + y[t + offset];
  }
}
CASE(scan_in_place_by_pushing, 1, 64)

__device__ void add_up(int* part) {
  int const t = threadIdx.x;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0 && t + s < blockDim.x) part[t] += part[t + s];
    __syncthreads();
  }
}
// Second passes over the totals of blocks: the reduction is called by the threads that have one.
// EXPECT none; with 64; prints 2080
// EXPECT thread gone before a barrier: returned before the barrier; with 40
__global__ void barrier_in_a_guarded_call(int* x, int* y, int n) {
  __shared__ int part[64];
  int const t = threadIdx.x;
  if (t < n) {
    part[t] = x[t];
    add_up(part);
    if (t == 0) y[0] = part[0];
  }
}
CASE(barrier_in_a_guarded_call, 1, 64)

// A work-efficient scan whose way down has its barrier after the loop.
// EXPECT race in a block: __syncthreads()
__global__ void way_down_without_barriers(int* x, int* y, int) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  for (int offset = 1; offset < 64; offset <<= 1) {
    int const at = (t + 1) * offset * 2 - 1;
    if (at < 64) tile[at] += tile[at - offset];
    __syncthreads();
  }
  if (t == 0) tile[63] = 0;
  __syncthreads();
  for (int offset = 32; offset > 0; offset >>= 1) {
    int const at = (t + 1) * offset * 2 - 1;
    if (at < 64) {
      int const left = tile[at - offset];
      tile[at - offset] = tile[at];
      tile[at] += left;
    }
  }
  __syncthreads();
  y[t] = tile[t];
}
CASE(way_down_without_barriers, 1, 64)

// A summed area whose last steps, within one warp, have lost their barriers.
// EXPECT race in a block: __syncwarp()
__global__ void last_steps_without_barriers(int* x, int* y, int) {
  __shared__ int tile[256];
  int const t = threadIdx.x;
  tile[2 * t] = x[2 * t];
  tile[2 * t + 1] = x[2 * t + 1];
  tile[2 * t] += tile[2 * t + 1];
  __syncthreads();
  if (t < 64) tile[4 * t] += tile[4 * t + 2];
  __syncthreads();
  if (t < 32) tile[8 * t] += tile[8 * t + 4];
  if (t < 16) tile[16 * t] += tile[16 * t + 8];
  if (t < 8) tile[32 * t] += tile[32 * t + 16];
  __syncthreads();
  if (t == 0)
    for (int k = 0; k < 256; k += 32) y[0] += tile[k];
}
CASE(last_steps_without_barriers, 1, 128)

int main(int count, char** words) {
  return cases::run(count, words);
}
