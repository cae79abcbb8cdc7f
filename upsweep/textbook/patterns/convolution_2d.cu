/// 2-D convolution with a 5 × 5 mask in constant memory: straight from global memory, and from a
/// tile with its halo in shared memory.
/// Cost: at most 25 loads and 1 store an element · tiled: at most 400 loads and 1 barrier a block
/// of 256 · one load of the mask a multiplication
/// Source: ETH P&S, convolution: 2-D example; PMPP 4th ed., ch. 7
///
/// Beyond its borders the image counts as zeros.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int side = 16, radius = 2, mask_side = 2 * radius + 1, tile_side = side + 2 * radius;

__constant__ int mask[mask_side][mask_side];

__global__ void direct(int const* in, int* out, int width, int height) {
  int const column = blockIdx.x * side + threadIdx.x, row = blockIdx.y * side + threadIdx.y;
  if (column >= width || row >= height) return;
  int sum = 0;
  for (int r = 0; r < mask_side; ++r)
    for (int c = 0; c < mask_side; ++c) {
      int const y = row + r - radius, x = column + c - radius;
      if (y >= 0 && y < height && x >= 0 && x < width) sum += mask[r][c] * in[y * width + x];
    }
  out[row * width + column] = sum;
}

__global__ void tiled(int const* in, int* out, int width, int height) {
  __shared__ int tile[tile_side][tile_side];
  int const left = blockIdx.x * side - radius, top = blockIdx.y * side - radius;
  for (int r = threadIdx.y; r < tile_side; r += side)
    for (int c = threadIdx.x; c < tile_side; c += side) {
      int const y = top + r, x = left + c;
      bool const is_inside = y >= 0 && y < height && x >= 0 && x < width;
      tile[r][c] = is_inside ? in[y * width + x] : 0;
    }
  __syncthreads();  // the tile and its halo are loaded
  int sum = 0;
  for (int r = 0; r < mask_side; ++r)
    for (int c = 0; c < mask_side; ++c) sum += mask[r][c] * tile[threadIdx.y + r][threadIdx.x + c];
  int const column = blockIdx.x * side + threadIdx.x, row = blockIdx.y * side + threadIdx.y;
  if (column < width && row < height) out[row * width + column] = sum;
}

int main(int argc, char** argv) {
  int const width = argc > 1 ? std::atoi(argv[1]) : 50, height = width / 2 + 1, n = width * height;
  int weights[mask_side][mask_side];
  for (auto& row : weights)
    for (int& weight : row) weight = std::rand() % 9;
  std::vector<int> image(n), y(n), expected(n, 0);
  for (int& value : image) value = std::rand() % 256;
  for (int i = 0; i < n; ++i)  // every element is added to its neighbors
    for (int r = -radius; r <= radius; ++r)
      for (int c = -radius; c <= radius; ++c) {
        int const row = i / width + r, column = i % width + c;
        if (row >= 0 && row < height && column >= 0 && column < width)
          expected[row * width + column] += weights[radius - r][radius - c] * image[i];
      }

  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, image.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(mask, weights, sizeof(weights));
  dim3 const blocks((width + side - 1) / side, (height + side - 1) / side), threads(side, side);
  direct<<<blocks, threads>>>(in, out, width, height);
  cudaMemcpy(y.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  bool right = y == expected;
  cudaMemset(out, 0, n * sizeof(int));
  tiled<<<blocks, threads>>>(in, out, width, height);
  cudaMemcpy(y.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  right = right && y == expected;

  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("convolution_2d: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("convolution_2d: %d x %d, %s\n", width, height, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  return right ? 0 : 1;
}
