// RIGHT padded tiles
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side + 1], above[side][side + 1];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  int sum = 0;
  for (int first = 0; first < n; first += side) {
    left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < side; ++k) sum += left[y][k] * above[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// RIGHT two pairs of tiles and one barrier a round
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[2][side][side], above[2][side][side];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  int sum = 0, half = 0;
  for (int first = 0; first < n; first += side, half = 1 - half) {
    left[half][y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    above[half][y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += left[half][y][k] * above[half][k][x];
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// RIGHT only as many products as there are
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side], above[side][side];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  int sum = 0;
  for (int tile = 0; tile < (n + side - 1) / side; ++tile) {
    int const first = tile * side;
    if (row < n && first + x < n) left[y][x] = a[row * n + first + x];
    if (first + y < n && column < n) above[y][x] = b[(first + y) * n + column];
    __syncthreads();
    if (row < n && column < n)
      for (int k = 0; k < min(side, n - first); ++k) sum += left[y][k] * above[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// POINTLESS a tile of the left matrix only
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  int sum = 0;
  for (int first = 0; first < n; first += side) {
    left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    __syncthreads();
    for (int k = 0; k < side && first + k < n; ++k)
      if (column < n) sum += left[y][k] * b[(first + k) * n + column];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// POINTLESS one thread multiplies the tiles
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side], above[side][side], sums[side][side];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  sums[y][x] = 0;
  for (int first = 0; first < n; first += side) {
    left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    if (x == 0 && y == 0)
      for (int r = 0; r < side; ++r)
        for (int s = 0; s < side; ++s)
          for (int k = 0; k < side; ++k) sums[r][s] += left[r][k] * above[k][s];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sums[y][x];
}

// POINTLESS one thread of each row
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side], above[side][side];
  int const x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y,
            column = blockIdx.x * side + x;
  int sums[side] = {};
  for (int first = 0; first < n; first += side) {
    left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    if (x == 0)
      for (int s = 0; s < side; ++s)
        for (int k = 0; k < side; ++k) sums[s] += left[y][k] * above[k][s];
    __syncthreads();
  }
  if (x == 0 && row < n)
    for (int s = 0; s < side && column + s < n; ++s) c[row * n + column + s] = sums[s];
}

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
