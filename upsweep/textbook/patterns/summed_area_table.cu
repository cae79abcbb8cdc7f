/// Summed-area table: a block scans each row, then each thread runs down a column, so that an
/// element becomes the sum of the rectangle up to it.
/// Cost: 2n loads, 2n stores · 2 launches · 2·log2 T + 2 barriers a tile of a row, log2 T additions
/// an element for the rows and 1 for the columns
/// Source: Crow 1984; GPU Gems 3, ch. 39
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 128;

/// Kogge-Stone inclusive scan of a row, tile by tile.
__global__ void scan_rows(unsigned* data, unsigned width) {
  __shared__ unsigned tile[threads];
  unsigned* const row = data + blockIdx.x * width;
  unsigned const t = threadIdx.x;
  unsigned carry = 0;
  for (unsigned first = 0; first < width; first += threads) {
    unsigned mine = first + t < width ? row[first + t] : 0;
    tile[t] = mine;
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      __syncthreads();  // tile[t] covers the `stride` elements that end at t
      if (t >= stride) mine += tile[t - stride];
      __syncthreads();  // all have read
      tile[t] = mine;
    }
    if (first + t < width) row[first + t] = carry + mine;
    __syncthreads();  // the last element is the tile's total
    carry += tile[threads - 1];
    __syncthreads();  // all have read it
  }
}

/// The threads of a warp read and write neighbors in a row.
__global__ void scan_columns(unsigned* data, unsigned width, unsigned height) {
  unsigned const column = blockIdx.x * threads + threadIdx.x;
  if (column >= width) return;
  unsigned sum = 0;
  for (unsigned row = 0; row < height; ++row) {
    sum += data[row * width + column];
    data[row * width + column] = sum;
  }
}

int main(int argc, char** argv) {
  unsigned const width = argc > 1 ? std::atoi(argv[1]) : 150, height = width / 2 + 1;
  unsigned const n = width * height;
  std::vector<unsigned> x(n), y(n);
  for (unsigned& value : x) value = std::rand() % 256;

  unsigned* data;
  cudaMalloc(&data, n * sizeof(unsigned));
  cudaMemcpy(data, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  scan_rows<<<height, threads>>>(data, width);
  scan_columns<<<(width + threads - 1) / threads, threads>>>(data, width, height);

  cudaMemcpy(y.data(), data, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("summed_area_table: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  for (unsigned row = 0; row < height; ++row)
    for (unsigned column = 0; column < width; ++column) {  // two neighbors less their overlap
      unsigned const i = row * width + column;
      unsigned expected = x[i];
      if (row > 0) expected += y[i - width];
      if (column > 0) expected += y[i - 1];
      if (row > 0 && column > 0) expected -= y[i - width - 1];
      right = right && y[i] == expected;
    }
  std::printf("summed_area_table: %u x %u, %s\n", width, height, right ? "right" : "wrong");
  cudaFree(data);
  return right ? 0 : 1;
}
