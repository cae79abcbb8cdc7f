// A matrix product, right but slow: two loads from global memory for every multiplication.
// README.md says what to do.

constexpr int side = 16;  // a block has 16 x 16 threads and computes as many elements of c

// c = a b, all n x n, row after row.
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  int const row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  if (row >= n || column >= n) return;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
