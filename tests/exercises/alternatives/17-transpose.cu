// RIGHT the tile is written in columns
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side * (side + 1)];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
#pragma unroll
  for (int k = 0; k < side / rows; ++k) {
    int const r = threadIdx.y + k * rows, row = blockIdx.y * side + r;
    if (x < width && row < height) tile[t * (side + 1) + r] = in[row * width + x];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < side / rows; ++k) {
    int const r = threadIdx.y + k * rows, column = blockIdx.x * side + r;
    if (column < width && y < height) out[column * height + y] = tile[r * (side + 1) + t];
  }
}

// RIGHT rotated rows
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const row = blockIdx.y * side + r; x < width && row < height)
      tile[r][(t + r) % side] = in[row * width + x];
  __syncthreads();
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][(r + t) % side];
}

// POINTLESS no shared memory
__global__ void transpose(float const* in, float* out, int width, int height) {
  int const x = blockIdx.x * side + threadIdx.x;
  for (int r = threadIdx.y; r < side; r += rows) {
    int const y = blockIdx.y * side + r;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}

// POINTLESS one warp of each block
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  if (threadIdx.y != 0) return;
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int r = 0; r < side; ++r)
    if (int const row = blockIdx.y * side + r; x < width && row < height)
      tile[r][t] = in[row * width + x];
  __syncwarp();
  for (int r = 0; r < side; ++r)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][r];
}

// POINTLESS one thread
__global__ void transpose(float const* in, float* out, int width, int height) {
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c)
      if (int const x = blockIdx.x * side + c, y = blockIdx.y * side + r; x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

// POINTLESS one block for the grid
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  if (blockIdx.x != 0 || blockIdx.y != 0) return;
  int const t = threadIdx.x;
  for (int down = 0; down < height; down += side)
    for (int across = 0; across < width; across += side) {
      for (int r = threadIdx.y; r < side; r += rows)
        if (across + t < width && down + r < height)
          tile[r][t] = in[(down + r) * width + across + t];
      __syncthreads();
      for (int r = threadIdx.y; r < side; r += rows)
        if (across + r < width && down + t < height)
          out[(across + r) * height + down + t] = tile[t][r];
      __syncthreads();
    }
}

// POINTLESS padding, but the tile is read twice from global memory
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int again = 0; again < 2; ++again)
    for (int r = threadIdx.y; r < side; r += rows)
      if (int const row = blockIdx.y * side + r; x < width && row < height)
        tile[r][t] = in[row * width + x];
  __syncthreads();
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][r];
}
