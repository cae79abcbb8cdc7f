/// Matrix product in two ways: straight from global memory, and through tiles of both factors in
/// shared memory, from which each element is used 16 times.
/// Cost: rows · columns · inner multiplications · straight: 2 loads each · tiled: 1/8 load each, 2
/// barriers a pair of tiles
/// Source: PMPP 4th ed., ch. 5
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned side = 16;

__global__ void straight(float const* a, float const* b, float* c, unsigned rows, unsigned inner,
                         unsigned columns) {
  unsigned const row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (unsigned k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

__global__ void tiled(float const* a, float const* b, float* c, unsigned rows, unsigned inner,
                      unsigned columns) {
  __shared__ float tile_a[side][side], tile_b[side][side];
  unsigned const x = threadIdx.x, y = threadIdx.y;
  unsigned const row = blockIdx.y * side + y, column = blockIdx.x * side + x;
  float sum = 0;
  for (unsigned first = 0; first < inner; first += side) {
    tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
    tile_b[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : 0;
    __syncthreads();  // both tiles are loaded, with zeros beyond the matrices
    for (unsigned k = 0; k < side; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();  // all have read the tiles
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
  unsigned const rows = argc > 1 ? std::atoi(argv[1]) : 50, inner = rows / 2 + 3;
  unsigned const columns = rows + 5;
  std::vector<float> x(rows * inner), y(inner * columns), z(rows * columns), expected = z;
  for (float& value : x)
    value = static_cast<float>(std::rand() % 10);  // sums of integers are exact
  for (float& value : y) value = static_cast<float>(std::rand() % 10);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned k = 0; k < inner; ++k)
      for (unsigned column = 0; column < columns; ++column)
        expected[row * columns + column] += x[row * inner + k] * y[k * columns + column];

  float *a, *b, *c;
  cudaMalloc(&a, x.size() * sizeof(float));
  cudaMalloc(&b, y.size() * sizeof(float));
  cudaMalloc(&c, z.size() * sizeof(float));
  cudaMemcpy(a, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 const blocks((columns + side - 1) / side, (rows + side - 1) / side), threads(side, side);
  straight<<<blocks, threads>>>(a, b, c, rows, inner, columns);
  cudaMemcpy(z.data(), c, z.size() * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = z == expected;
  cudaMemset(c, 0, z.size() * sizeof(float));
  tiled<<<blocks, threads>>>(a, b, c, rows, inner, columns);
  cudaMemcpy(z.data(), c, z.size() * sizeof(float), cudaMemcpyDeviceToHost);
  right = right && z == expected;

  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("matrix_product: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("matrix_product: %u x %u x %u, %s\n", rows, inner, columns,
              right ? "right" : "wrong");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return right ? 0 : 1;
}
