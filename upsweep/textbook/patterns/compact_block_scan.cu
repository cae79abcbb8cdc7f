/// Stream compaction by block scans: blocks count what they keep, a scan turns the counts into
/// positions, and a scan of the flags in each block gives its elements their positions, all in
/// order.
/// Cost: 2n + k loads, k stores for k kept elements · 3 launches · 4 barriers a block, 3 for each
/// 256 counts
/// Source: ETH P&S, prefix sum: scan applications, per-block hierarchical scan
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

__host__ __device__ bool is_kept(int value) {
  return value % 3 == 0;
}

__device__ unsigned warp_scan(unsigned value) {
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    unsigned const earlier = __shfl_up_sync(all_lanes, value, stride);
    if (threadIdx.x % 32 >= stride) value += earlier;
  }
  return value;
}

/// Inclusive scan of one value per thread; `total` is that of the whole block.
__device__ unsigned block_scan(unsigned value, unsigned& total) {
  __shared__ unsigned totals[32];
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_scan(value);
  __syncthreads();  // all have read the totals of the previous call
  if (lane == 31) totals[warp] = value;
  __syncthreads();  // totals[w] is that of warp w
  if (warp == 0) totals[lane] = warp_scan(lane < threads / 32 ? totals[lane] : 0);
  __syncthreads();  // totals[w] is that of warps 0 to w
  total = totals[threads / 32 - 1];
  return warp == 0 ? value : totals[warp - 1] + value;
}

__global__ void count_kept(int const* in, unsigned* counts, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const kept = __syncthreads_count(i < n && is_kept(in[i]));
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

/// One block: counts[b] becomes the sum of the counts before it, counts[blocks] the total.
__global__ void scan_counts(unsigned* counts, unsigned blocks) {
  unsigned carry = 0;
  for (unsigned first = 0; first < blocks; first += threads) {
    unsigned const b = first + threadIdx.x;
    unsigned const mine = b < blocks ? counts[b] : 0;
    unsigned total;
    unsigned const sum = block_scan(mine, total);
    if (b < blocks) counts[b] = carry + sum - mine;
    carry += total;
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}

__global__ void place_kept(int const* in, int* out, unsigned const* firsts, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  int const value = i < n ? in[i] : 0;
  unsigned const keep = i < n && is_kept(value);
  unsigned total;
  unsigned const rank = block_scan(keep, total);
  if (keep) out[firsts[blockIdx.x] + rank - 1] = value;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, blocks = (n + threads - 1) / threads;
  std::vector<int> x(n), expected;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x)
    if (is_kept(value)) expected.push_back(value);

  int *in, *out;
  unsigned* counts;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&counts, (blocks + 1) * sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  count_kept<<<blocks, threads>>>(in, counts, n);
  scan_counts<<<1, threads>>>(counts, blocks);
  place_kept<<<blocks, threads>>>(in, out, counts, n);

  unsigned kept = 0;
  cudaMemcpy(&kept, counts + blocks, sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::vector<int> y(kept);
  cudaMemcpy(y.data(), out, kept * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("compact_block_scan: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = y == expected;
  std::printf("compact_block_scan: %u of %u kept, %s\n", kept, n, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  cudaFree(counts);
  return right ? 0 : 1;
}
