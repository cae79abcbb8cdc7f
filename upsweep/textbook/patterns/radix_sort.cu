/// Radix sort by splits: a pass moves the keys whose bit is 0 to the front and keeps their order; a
/// scan of the zeros gives each key its position.
/// Cost: for each bit 2n loads of keys and 2 of counts a thread, n stores, 3 launches,
/// 4 barriers a block
/// Source: ETH P&S, prefix sum: scan applications; Blelloch 1990
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff, bits = 16;

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

__global__ void count_zeros(unsigned const* keys, unsigned* counts, unsigned n, unsigned bit) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const zeros = __syncthreads_count(i < n && (keys[i] >> bit & 1) == 0);
  if (threadIdx.x == 0) counts[blockIdx.x] = zeros;
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

__global__ void split(unsigned const* in, unsigned* out, unsigned const* counts, unsigned n,
                      unsigned bit) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const key = i < n ? in[i] : 0;
  unsigned const is_zero = i < n && (key >> bit & 1) == 0;
  unsigned total;
  unsigned const rank = block_scan(is_zero, total);
  unsigned const zeros_before = counts[blockIdx.x] + rank - is_zero, all_zeros = counts[gridDim.x];
  if (i < n) out[is_zero ? zeros_before : all_zeros + (i - zeros_before)] = key;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, blocks = (n + threads - 1) / threads;
  std::vector<unsigned> x(n), y(n);
  for (unsigned& key : x) key = std::rand() % (1u << bits);

  unsigned *keys, *other, *counts;
  cudaMalloc(&keys, n * sizeof(unsigned));
  cudaMalloc(&other, n * sizeof(unsigned));
  cudaMalloc(&counts, (blocks + 1) * sizeof(unsigned));
  cudaMemcpy(keys, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  for (unsigned bit = 0; bit < bits; ++bit) {
    count_zeros<<<blocks, threads>>>(keys, counts, n, bit);
    scan_counts<<<1, threads>>>(counts, blocks);
    split<<<blocks, threads>>>(keys, other, counts, n, bit);
    std::swap(keys, other);
  }

  cudaMemcpy(y.data(), keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("radix_sort: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::sort(x.begin(), x.end());
  bool const right = y == x;
  std::printf("radix_sort: %u keys of %u bits, %s\n", n, bits, right ? "right" : "wrong");
  cudaFree(keys);
  cudaFree(other);
  cudaFree(counts);
  return right ? 0 : 1;
}
