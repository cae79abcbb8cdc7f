// Reductions, scans and histograms of public reports, in kernels of our own: each names where it
// was asked, and is followed by one that is right.
#include "cases.cuh"

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
