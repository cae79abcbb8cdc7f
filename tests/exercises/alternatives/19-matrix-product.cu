// POINTLESS one warp of each block
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side], above[side][side];
  int const x = threadIdx.x;
  if (threadIdx.y >= 2) return;
  int sums[side / 2] = {};
  int const column = blockIdx.x * side + x;
  for (int first = 0; first < n; first += side) {
    for (int y = threadIdx.y; y < side; y += 2) {
      int const row = blockIdx.y * side + y;
      left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
      above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    }
    __syncwarp();
    for (int y = threadIdx.y; y < side; y += 2)
      for (int k = 0; k < side; ++k) sums[y / 2] += left[y][k] * above[k][x];
    __syncwarp();
  }
  for (int y = threadIdx.y; y < side; y += 2)
    if (int const row = blockIdx.y * side + y; row < n && column < n)
      c[row * n + column] = sums[y / 2];
}

// POINTLESS no tiles
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  int const row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  int sum = 0;
  if (row >= n || column >= n) return;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
