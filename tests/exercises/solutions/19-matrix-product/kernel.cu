// A matrix product, right but slow: two loads from global memory for every multiplication.
// README.md says what to do.

constexpr int side = 16;  // a block has 16 x 16 threads and computes as many elements of c

// c = a b, all n x n, row after row.
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  int const row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  int const y = threadIdx.y, x = threadIdx.x;
  __shared__ int left[side][side], above[side][side];
  int sum = 0;
  for (int first = 0; first < n; first += side) {
    left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();  // both tiles are loaded, zero outside of the matrices
    for (int k = 0; k < side; ++k) sum += left[y][k] * above[k][x];
    __syncthreads();  // nobody needs the tiles any more
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
