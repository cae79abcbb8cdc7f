// RIGHT the barrier is before the copy of the next tile
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  int half = 0;
  if (blockIdx.x < tiles)
    __pipeline_memcpy_async(&stage[0][t], &in[blockIdx.x * threads + t], sizeof(int));
  __pipeline_commit();
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (tile + grid < tiles)
      __pipeline_memcpy_async(&stage[1 - half][t], &in[(tile + grid) * threads + t], sizeof(int));
    __pipeline_commit();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// RIGHT three stages
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[3][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int to) {
    if (tile < tiles) __pipeline_memcpy_async(stage[to] + t, in + tile * threads + t, sizeof(int));
    __pipeline_commit();
  };
  fetch(blockIdx.x, 0);
  fetch(blockIdx.x + grid, 1);
  int now = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(tile + 2 * grid, (now + 2) % 3);
    out[tile * threads + t] = stage[now][threads - 1 - t];
    now = (now + 1) % 3;
  }
}

// RIGHT four elements at once
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ alignas(16) int stage[2][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles && t < threads / 4)
      __pipeline_memcpy_async(&stage[half][4 * t], &in[tile * threads + 4 * t], 16);
    __pipeline_commit();
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    __pipeline_wait_prior(1);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();
    half = 1 - half;
  }
}

// RIGHT the copies of cooperative groups
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  auto const block = cooperative_groups::this_thread_block();
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles)
      cooperative_groups::memcpy_async(block, stage[half], in + tile * threads,
                                       threads * sizeof(int));
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    if (tile + grid < tiles)
      cooperative_groups::wait_prior<1>(block);
    else
      cooperative_groups::wait(block);
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();
    half = 1 - half;
  }
}

// RIGHT a pipeline of the block
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto const block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    pipe.producer_acquire();
    if (tile < tiles)
      cuda::memcpy_async(block, stage[half], in + tile * threads, threads * sizeof(int), pipe);
    pipe.producer_commit();
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    pipe.consumer_wait();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    pipe.consumer_release();
    half = 1 - half;
  }
}

// POINTLESS no asynchronous copy
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  int half = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    stage[half][t] = in[tile * threads + t];
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// POINTLESS one thread copies
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles && t == 0)
      for (int k = 0; k < threads; ++k)
        __pipeline_memcpy_async(&stage[half][k], &in[tile * threads + k], sizeof(int));
    __pipeline_commit();
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    __pipeline_wait_prior(1);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();
    half = 1 - half;
  }
}

// POINTLESS one thread writes
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    __pipeline_wait_prior(1);
    __syncthreads();
    if (t == 0)
      for (int k = 0; k < threads; ++k) out[tile * threads + k] = stage[half][threads - 1 - k];
    __syncthreads();
    half = 1 - half;
  }
}

// POINTLESS one block for the grid
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  if (blockIdx.x != 0) return;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();
  };
  int half = 0;
  fetch(0, half);
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 1, 1 - half);
    __pipeline_wait_prior(1);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();
    half = 1 - half;
  }
}

// POINTLESS one copy for show
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads], shown;
  int const t = threadIdx.x;
  if (blockIdx.x == 0 && t == 0 && tiles > 0) {
    __pipeline_memcpy_async(&shown, in, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  int half = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    stage[half][t] = in[tile * threads + t];
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// POINTLESS waits for each copy at once
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  int half = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// POINTLESS a barrier between the copy and the wait
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  int half = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// POINTLESS waits for all copies, also the one that it has just started
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    __pipeline_wait_prior(0);
    __syncthreads();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();
    half = 1 - half;
  }
}
