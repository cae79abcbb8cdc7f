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

// Reductions, scans and histograms, each followed by one that is right.

__device__ int sum_of_warp(int value, unsigned mask = 0xffffffff) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(mask, value, offset);
  return value;
}

// NVIDIA/cudf#13485: a block's sum is called in a loop, and the next call overwrites its array.
// EXPECT race in a block: 'sums'; __syncthreads(); with 0
// EXPECT none; prints 2080; with 1
__global__ void block_sum_in_a_loop(int* x, int* y, int ends_with_a_barrier) {
  __shared__ int sums[2];
  int const t = threadIdx.x;
  for (int row = 0; row < 3; ++row) {
    int const sum = sum_of_warp(x[row * 64 + t]);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t == 0) y[row] = sums[0] + sums[1];
    if (ends_with_a_barrier) __syncthreads();
  }
}
CASE(block_sum_in_a_loop, 1, 64)

// NVIDIA/cuda-samples#398: the mask of the last step names one lane, which reads the others.
// EXPECT missing lane: lane 16 does not take part; it is undefined; with 0
// EXPECT none; prints 528; with 32
__global__ void last_step_of_one_lane(int* x, int* y, int lanes) {
  __shared__ int sums[32];
  int const t = threadIdx.x, warps = blockDim.x / 32, last = lanes > 0 ? lanes : warps;
  int sum = sum_of_warp(x[t]);
  sums[t] = t == 0 ? sum : 0;
  __syncthreads();
  unsigned const mask = __ballot_sync(0xffffffff, t < last);
  if (t < last) sum = sum_of_warp(sums[t], mask);
  if (t == 0) y[0] = sum;
}
CASE(last_step_of_one_lane, 1, 32)

// bytedance/lightseq#166: the last warp is not whole, and the shuffle reads lanes that it lacks.
// EXPECT missing lane: does not exist, since the block has 80 threads; with 0
// EXPECT none; prints 3240; with 1
__global__ void last_warp_is_not_whole(int* x, int* y, int rounds_up) {
  __shared__ int sums[32];
  int const t = threadIdx.x, warps = (blockDim.x + (rounds_up ? 31 : 0)) / 32;
  int sum = x[t];
  if (t < 64 || !rounds_up)
    sum = sum_of_warp(sum);
  else
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffff, sum, d, 16);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  sum = t < warps ? sums[t] : 0;
  if (t < 32) sum = sum_of_warp(sum);
  if (t == 0) y[0] = sum;
}
CASE(last_warp_is_not_whole, 1, 80)

// CoffeeBeforeArch/cuda_programming#9: the second launch has as many threads as the first one, not
// as many as there are partial sums.
// EXPECT uninitialized read: of the shared array 'partials'; with 64
// EXPECT none; prints 2080; with 4
__global__ void second_pass_is_too_wide(int* x, int* y, int threads) {
  __shared__ int partials[64];
  int const t = threadIdx.x;
  if (t < 4) {
    partials[t] = 0;
    for (int i = 0; i < 16; ++i) partials[t] += x[16 * t + i];
  }
  for (int s = threads / 2; s > 0; s /= 2) {
    __syncthreads();
    if (t < s) partials[t] += partials[t + s];
  }
  if (t == 0) y[0] = partials[0];
}
CASE(second_pass_is_too_wide, 1, 64)

// dlsys-course/examples#1: the halo after the last elements stays unset, and the barrier is in the
// branch.
// EXPECT uninitialized read: of the shared array 'tile'; with 0
// EXPECT thread gone before a barrier: returned before the barrier; with 0
// EXPECT none; prints 28; with 1
__global__ void sums_of_windows(int* x, int* y, int loads_for_all) {
  __shared__ int tile[64 + 6];
  int const n = 100, i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
  if (loads_for_all) {
    for (int k = t; k < 70; k += 64) tile[k] = blockIdx.x * 64 + k < n + 6 ? x[i - t + k] : 0;
    __syncthreads();
  }
  if (i >= n) return;
  if (!loads_for_all) {
    tile[t + 3] = x[i + 3];
    if (t < 3) {
      tile[t] = x[i];
      tile[t + 67] = x[i + 67];
    }
    __syncthreads();
  }
  y[i] = 0;
  for (int k = 0; k <= 6; ++k) y[i] += tile[t + k];
}
CASE(sums_of_windows, 2, 64)

// lightgbm-org/LightGBM#7401: the first lane of a warp takes the sum before it by its own number.
// EXPECT out of bounds: element -1 of the shared array 'sums'; with 0
// EXPECT none; prints 0; with 1
__global__ void exclusive_scan_by_warps(int* x, int* y, int by_warp) {
  __shared__ int sums[4];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32;
  int mine = x[t];
  for (int d = 1; d < 32; d *= 2) {
    int const before = __shfl_up_sync(0xffffffff, mine, d);
    if (lane >= d) mine += before;
  }
  if (lane == 31) sums[warp] = mine;
  __syncthreads();
  if (t == 0)
    for (int w = 1; w < 4; ++w) sums[w] += sums[w - 1];
  __syncthreads();
  int exclusive = __shfl_up_sync(0xffffffff, mine, 1);
  if (lane == 0)
    exclusive = warp == 0 ? 0 : sums[by_warp ? warp - 1 : lane - 1];
  else if (warp > 0)
    exclusive += sums[warp - 1];
  y[t] = exclusive;
}
CASE(exclusive_scan_by_warps, 1, 128)

// mark-poscablo/gpu-sum-reduction#1: the last warp is unrolled in place, without volatile.
// EXPECT race in a block: __syncwarp(); with 0
// EXPECT none; prints 2080; with 1
__global__ void last_warp_unrolled(int* x, int* y, int waits) {
  __shared__ int s[64];
  int const t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32)
    for (int d = 32; d > 0; d /= 2) {
      int const other = t < d ? s[t + d] : 0;
      if (waits) __syncwarp();
      s[t] += other;
      if (waits) __syncwarp();
    }
  if (t == 0) y[0] = s[0];
}
CASE(last_warp_unrolled, 1, 64)

// ROCm/rocm-libraries#2862: a histogram of sorted keys by the begins and ends of their runs.
// EXPECT race in a block: __syncthreads(); with 0
// EXPECT none; prints 8; with 1
__global__ void histogram_of_sorted_keys(int* x, int* y, int waits) {
  __shared__ int first[8], last[8];
  int const t = threadIdx.x, key = (x[t] - 1) / 8, before = t == 0 ? key : (x[t - 1] - 1) / 8;
  if (t < 8) first[t] = last[t] = 64;
  __syncthreads();
  if (key != before) {
    first[key] = t;
    last[before] = t;
  }
  if (t == 0) first[key] = 0;
  if (waits) __syncthreads();
  if (t < 8) y[t] = last[t] - first[t];
}
CASE(histogram_of_sorted_keys, 1, 64)

int main(int count, char** words) {
  return cases::run(count, words);
}
