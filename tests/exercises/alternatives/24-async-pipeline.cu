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
