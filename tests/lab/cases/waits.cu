// What nobody has waited for: data that a flag announces without a fence, fences that barriers hand
// on to other threads, lanes that other masks name, asynchronous copies.
#include <cuda_pipeline.h>

#include "cases.cuh"

// EXPECT missing fence: of buffer 'y'; a flag, element 1 of buffer 'y'; __threadfence()
__global__ void volatile_data_without_a_fence(int*, int* out, int) {
  int volatile* const y = out;
  if (blockIdx.x == 0) {
    y[0] = 42;
    y[1] = 1;
  } else {
    while (y[1] == 0) {
    }
    y[2] = y[0];
  }
}
CASE(volatile_data_without_a_fence, 2, 1)

// EXPECT none; prints 42
__global__ void volatile_data_with_a_fence(int*, int* out, int) {
  int volatile* const y = out;
  if (blockIdx.x == 0) {
    y[0] = 42;
    __threadfence();
    y[1] = 1;
  } else {
    while (y[1] == 0) {
    }
    __threadfence();
    y[2] = y[0];
  }
}
CASE(volatile_data_with_a_fence, 2, 1)

// The last block of a sum whose partial sums are volatile, as in old listings.
// EXPECT missing fence: of buffer 'y'; a flag, element 100 of buffer 'y'
__global__ void last_block_of_volatile_sums(int* x, int* y, int) {
  int volatile* const partials = y + 1;
  __shared__ bool is_last;
  if (threadIdx.x < 4) partials[4 * blockIdx.x + threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&y[100], 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 4 * gridDim.x; ++i) sum += partials[i];
  y[0] = sum;
}
CASE(last_block_of_volatile_sums, 4, 32)

// One word holds the state and the sum of a block, so no fence is needed.
// EXPECT none; prints 36
__global__ void lookback_of_single_words(int* x, int* y, int) {
  unsigned volatile* const words = reinterpret_cast<unsigned*>(y) + 1;
  int const b = atomicAdd(&y[100], 1);
  words[b] = 1u << 30 | static_cast<unsigned>(x[b]);
  unsigned sum = static_cast<unsigned>(x[b]);
  for (int j = b - 1; j >= 0; --j) {
    unsigned w;
    do w = words[j];
    while (w == 0);
    sum += w & 0xffff;
    if (w >> 31 != 0) break;
  }
  words[b] = 1u << 31 | sum;
  if (b == 7) y[0] = static_cast<int>(sum);
}
CASE(lookback_of_single_words, 8, 1)

// riptutorial.com/cuda/example/17567: thread 0 counts its block before the others have written.
// EXPECT missing fence: __syncthreads() between the first fence and the flag
__global__ void counts_before_the_others(int* x, int* y, int) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  y[1 + i] = x[i];
  __threadfence();
  int last = 0;
  if (threadIdx.x == 0) last = atomicAdd(&y[200], 1);
  if (__syncthreads_or(last == gridDim.x - 1) == 0) return;
  __threadfence();
  if (threadIdx.x == 0)
    for (int k = 0; k < 128; ++k) y[0] += y[1 + k];
}
CASE(counts_before_the_others, 2, 64)

// Every thread fences what it has written, and thread 0 counts the block after a barrier.
// EXPECT none; prints 8256
__global__ void counts_after_the_fences_of_others(int* x, int* y, int) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  y[1 + i] = x[i];
  __threadfence();
  __syncthreads();
  int last = 0;
  if (threadIdx.x == 0) last = atomicAdd(&y[200], 1);
  if (__syncthreads_or(last == gridDim.x - 1) == 0) return;
  __threadfence();
  if (threadIdx.x == 5)
    for (int k = 0; k < 128; ++k) y[0] += y[1 + k];
}
CASE(counts_after_the_fences_of_others, 2, 64)

// EXPECT missing lane: with the mask 0xffffffff, which names thread; 0x0000000; the same mask
__global__ void each_lane_alone(int*, int* y, int) {
  int const t = threadIdx.x;
  __syncwarp(t == 0 ? 0xffffffffu : 1u << t);
  y[t] = t;
}
CASE(each_lane_alone, 1, 32)

// EXPECT none; prints 1
__global__ void each_half_alone(int*, int* y, int) {
  int const t = threadIdx.x;
  unsigned const half = t < 16 ? 0xffffu : 0xffff0000u;
  y[t] = __shfl_down_sync(half, t, 1, 16);
  if (t >= 16) return;
  __syncwarp(0xffff);
}
CASE(each_half_alone, 1, 32)

// EXPECT uninitialized read: the asynchronous copy started at waits.cu:; __pipeline_wait_prior(0)
__global__ void copy_without_a_wait(int* x, int* y, int) {
  __shared__ int tile[32];
  int const t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &x[t], 4);
  __pipeline_commit();
  __syncthreads();
  y[t] = tile[31 - t];
}
CASE(copy_without_a_wait, 1, 32)

// The tile holds the numbers of the first turn when the second one does not wait.
// EXPECT uninitialized read: the asynchronous copy started at waits.cu:; with 1
// EXPECT none; prints 96; with 2
__global__ void copies_into_one_tile(int* x, int* y, int waits) {
  __shared__ int tile[32];
  int const t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    __pipeline_memcpy_async(&tile[t], &x[32 * k + t], 4);
    __pipeline_commit();
    if (k < waits) __pipeline_wait_prior(0);
    __syncthreads();
    y[t] += tile[31 - t];
    __syncthreads();
  }
}
CASE(copies_into_one_tile, 1, 32)

int main(int count, char** words) {
  return cases::run(count, words);
}
