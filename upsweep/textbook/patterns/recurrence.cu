/// A linear recurrence x[i] = a[i] · x[i - 1] + b[i] by a scan of affine maps, whose composition is
/// associative but does not commute.
/// Cost: T·log2 T - (T - 1) compositions and 2·log2 T barriers a tile, 1 composition an element to
/// apply the totals · 2n loads, 2n stores for more than one tile
/// Source: ETH P&S, prefix sum: solving recurrences; Blelloch 1990, section 1.4
///
/// Unsigned integers wrap, so the result is exact.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256;

struct linear_step {
  unsigned a, b;  // x becomes a · x + b
};

__device__ linear_step compose(linear_step first, linear_step second) {
  return {second.a * first.a, second.a * first.b + second.b};
}

/// Kogge-Stone inclusive scan of each tile, in place.
__global__ void scan_tiles(linear_step* maps, linear_step* totals, unsigned n) {
  __shared__ linear_step tile[threads];
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  linear_step mine = {1, 0};  // the identity
  if (i < n) mine = maps[i];
  tile[t] = mine;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[t] composes the `stride` maps that end at t
    if (t >= stride) mine = compose(tile[t - stride], mine);
    __syncthreads();  // all have read
    tile[t] = mine;
  }
  if (i < n) maps[i] = mine;
  if (t == threads - 1) totals[blockIdx.x] = mine;
}

__global__ void apply_totals(linear_step* maps, linear_step const* totals, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) maps[i] = compose(totals[blockIdx.x - 1], maps[i]);
}

void scan(linear_step* maps, unsigned n) {
  unsigned const tiles = (n + threads - 1) / threads;
  linear_step* totals;
  cudaMalloc(&totals, tiles * sizeof(linear_step));
  scan_tiles<<<tiles, threads>>>(maps, totals, n);
  if (tiles > 1) {
    scan(totals, tiles);
    apply_totals<<<tiles, threads>>>(maps, totals, n);
  }
  cudaFree(totals);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, start = 7;
  std::vector<linear_step> x(n), y(n);
  for (linear_step& map : x) map = {std::rand() % 100u, std::rand() % 100u};

  linear_step* maps;
  cudaMalloc(&maps, n * sizeof(linear_step));
  cudaMemcpy(maps, x.data(), n * sizeof(linear_step), cudaMemcpyHostToDevice);
  scan(maps, n);

  cudaMemcpy(y.data(), maps, n * sizeof(linear_step), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("recurrence: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  unsigned expected = start;
  for (unsigned i = 0; i < n; ++i) {
    expected = x[i].a * expected + x[i].b;
    right = right && y[i].a * start + y[i].b == expected;
  }
  std::printf("recurrence: %u steps, x[n - 1] = %u, %s\n", n, expected, right ? "right" : "wrong");
  cudaFree(maps);
  return right ? 0 : 1;
}
