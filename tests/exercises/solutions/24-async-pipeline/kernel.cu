// A pipeline of asynchronous copies that waits for nothing. README.md says what is wrong and what
// to do.

#include <cuda_pipeline.h>

constexpr int threads = 128, grid = 2;

// Reverses the elements within every tile of 128; a block takes every second tile. While it writes
// one tile, the next is on its way to the other half of the shared memory.
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int half) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));
    __pipeline_commit();  // a group for each tile, which may be empty
  };
  int half = 0;
  fetch(blockIdx.x, half);
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    fetch(tile + grid, 1 - half);
    __pipeline_wait_prior(1);  // all groups but the newest have arrived
    __syncthreads();           // for every thread of the block
    out[tile * threads + t] = stage[half][threads - 1 - t];
    __syncthreads();  // nobody needs this half any more
    half = 1 - half;
  }
}
