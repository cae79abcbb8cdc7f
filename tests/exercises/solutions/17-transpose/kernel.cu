// Transposition through shared memory, right but slow: it has bank conflicts. README.md says what
// to do.

constexpr int side = 32, rows = 8;  // a block has 32 x 8 threads and moves a tile of 32 x 32

// out[x * height + y] = in[y * width + x].
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];  // rows begin in different banks
  int const x = blockIdx.x * side + threadIdx.x;
  for (int r = threadIdx.y; r < side; r += rows) {
    int const y = blockIdx.y * side + r;
    if (x < width && y < height) tile[r][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();  // the tile is loaded
  int const y = blockIdx.y * side + threadIdx.x;
  for (int r = threadIdx.y; r < side; r += rows) {
    int const column = blockIdx.x * side + r;
    if (column < width && y < height) out[column * height + y] = tile[threadIdx.x][r];
  }
}
