/// Segmented scan: a scan of pairs (does a segment begin here, sum), whose operator forgets what
/// precedes a segment's beginning. Tiles are scanned, then their totals by recursion, then added.
/// Cost: T·log2 T - (T - 1) applications and 2·log2 T barriers a tile, 1 application an element to
/// add the totals · 2n loads, 2n stores for more than one tile
/// Source: Blelloch 1990, section 1.5; Tutorial 11, arbitrary array size
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256;

struct segment_sum {
  int begins;  // whether a segment begins among the elements
  int sum;     // of the last segment among them
};

__device__ segment_sum combine(segment_sum earlier, segment_sum later) {
  if (later.begins) return later;
  return {earlier.begins, earlier.sum + later.sum};
}

/// Kogge-Stone inclusive scan of each tile, in place.
__global__ void scan_tiles(segment_sum* data, segment_sum* totals, unsigned n) {
  __shared__ segment_sum tile[threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  segment_sum mine = {0, 0};
  if (i < n) mine = data[i];
  tile[t] = mine;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[t] covers the `stride` elements that end at t
    if (t >= stride) mine = combine(tile[t - stride], mine);
    __syncthreads();  // all have read
    tile[t] = mine;
  }
  if (i < n) data[i] = mine;
  if (t == threads - 1) totals[blockIdx.x] = mine;
}

__global__ void add_totals(segment_sum* data, segment_sum const* totals, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) data[i] = combine(totals[blockIdx.x - 1], data[i]);
}

void scan(segment_sum* data, unsigned n) {
  unsigned const tiles = (n + threads - 1) / threads;
  segment_sum* totals;
  cudaMalloc(&totals, tiles * sizeof(segment_sum));
  scan_tiles<<<tiles, threads>>>(data, totals, n);
  if (tiles > 1) {
    scan(totals, tiles);
    add_totals<<<tiles, threads>>>(data, totals, n);
  }
  cudaFree(totals);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<segment_sum> x(n), y(n);
  for (segment_sum& element : x) element = {std::rand() % 40 == 0, std::rand() % 10};

  segment_sum* data;
  cudaMalloc(&data, n * sizeof(segment_sum));
  cudaMemcpy(data, x.data(), n * sizeof(segment_sum), cudaMemcpyHostToDevice);
  scan(data, n);

  cudaMemcpy(y.data(), data, n * sizeof(segment_sum), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("segmented_scan: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  int sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    sum = x[i].begins ? x[i].sum : sum + x[i].sum;
    right = right && y[i].sum == sum;
  }
  std::printf("segmented_scan: %u elements, %s\n", n, right ? "right" : "wrong");
  cudaFree(data);
  return right ? 0 : 1;
}
