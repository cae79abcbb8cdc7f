/// Padding and unpadding of a matrix's rows in place: a block loads its elements into registers,
/// waits until all blocks before it have done so too, and only then stores.
/// Cost: n loads, n stores a direction · 1 launch each · 3 barriers, 1 fence a block
/// Source: ETH P&S, data sliding: padding and unpadding; adjacent block synchronization
///
/// Padding moves elements up, so it begins with the last tile; unpadding moves them down. Tiles are
/// numbered in the order in which blocks start, so no block waits for one that cannot run.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 128, items = 4, tile_size = threads * items;

__device__ unsigned take_tile(unsigned* next) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(next, 1);
  __syncthreads();  // the tile is known
  return tile;
}

/// On return, this tile and all before it are in registers: their elements may be overwritten.
__device__ void wait_for_loads(unsigned tile, unsigned* has_loaded) {
  __syncthreads();  // all threads of the block have loaded
  if (threadIdx.x == 0) {
    while (tile > 0 && atomicAdd(&has_loaded[tile - 1], 0) == 0) {
    }
    __threadfence();  // the loads of the tiles before are done; those of this tile too
    atomicExch(&has_loaded[tile], 1);
  }
  __syncthreads();  // so the block may store
}

__global__ void pad(int* data, unsigned rows, unsigned columns, unsigned pitch,
                    unsigned* has_loaded, unsigned* next) {
  unsigned const n = rows * columns, first = take_tile(next) * tile_size;
  int mine[items];
  for (unsigned k = 0; k < items; ++k) {
    unsigned const from_end = first + k * threads + threadIdx.x;
    if (from_end < n) mine[k] = data[n - 1 - from_end];
  }
  wait_for_loads(first / tile_size, has_loaded);
  for (unsigned k = 0; k < items; ++k) {
    unsigned const from_end = first + k * threads + threadIdx.x, i = n - 1 - from_end;
    if (from_end < n) data[i / columns * pitch + i % columns] = mine[k];
  }
}

__global__ void unpad(int* data, unsigned rows, unsigned columns, unsigned pitch,
                      unsigned* has_loaded, unsigned* next) {
  unsigned const n = rows * columns, first = take_tile(next) * tile_size;
  int mine[items];
  for (unsigned k = 0; k < items; ++k) {
    unsigned const i = first + k * threads + threadIdx.x;
    if (i < n) mine[k] = data[i / columns * pitch + i % columns];
  }
  wait_for_loads(first / tile_size, has_loaded);
  for (unsigned k = 0; k < items; ++k) {
    unsigned const i = first + k * threads + threadIdx.x;
    if (i < n) data[i] = mine[k];
  }
}

int main(int argc, char** argv) {
  unsigned const rows = argc > 1 ? std::atoi(argv[1]) : 60, columns = 50, pitch = 64;
  unsigned const n = rows * columns, tiles = (n + tile_size - 1) / tile_size;
  std::vector<int> x(n), padded(rows * pitch), y(n);
  for (int& value : x) value = std::rand() % 1000;

  int* data;
  unsigned* has_loaded;  // a flag a tile, then the number of the next tile
  cudaMalloc(&data, rows * pitch * sizeof(int));
  cudaMalloc(&has_loaded, (tiles + 1) * sizeof(unsigned));
  cudaMemset(data, 0, rows * pitch * sizeof(int));
  cudaMemcpy(data, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(has_loaded, 0, (tiles + 1) * sizeof(unsigned));
  pad<<<tiles, threads>>>(data, rows, columns, pitch, has_loaded, has_loaded + tiles);
  cudaMemcpy(padded.data(), data, rows * pitch * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemset(has_loaded, 0, (tiles + 1) * sizeof(unsigned));
  unpad<<<tiles, threads>>>(data, rows, columns, pitch, has_loaded, has_loaded + tiles);
  cudaMemcpy(y.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);

  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("padding: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = y == x;
  for (unsigned i = 0; i < n; ++i)
    right = right && padded[i / columns * pitch + i % columns] == x[i];
  std::printf("padding: %u rows from %u to %u elements and back, %s\n", rows, columns, pitch,
              right ? "right" : "wrong");
  cudaFree(data);
  cudaFree(has_loaded);
  return right ? 0 : 1;
}
