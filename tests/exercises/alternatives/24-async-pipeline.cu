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
