/// Quicksort's partition: a scan ranks a block's elements on both sides of the pivot, and two
/// atomics reserve the block's positions, from the front for the smaller ones, from the back for
/// the others.
/// Cost: n loads, n stores · 2 atomics and 3 barriers a block · 1 launch
/// Source: ETH P&S, prefix sum: scan applications, partition; Cederman & Tsigas 2009
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

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
  if (lane == 31) totals[warp] = value;
  __syncthreads();  // totals[w] is that of warp w
  if (warp == 0) totals[lane] = warp_scan(lane < threads / 32 ? totals[lane] : 0);
  __syncthreads();  // totals[w] is that of warps 0 to w
  total = totals[threads / 32 - 1];
  return warp == 0 ? value : totals[warp - 1] + value;
}

/// `smaller` counts the elements placed at the front, `others` those placed at the back.
__global__ void partition(int const* in, int* out, unsigned n, int pivot, unsigned* smaller,
                          unsigned* others) {
  __shared__ unsigned front, back;
  unsigned const first = blockIdx.x * threads, i = first + threadIdx.x;
  int const value = i < n ? in[i] : 0;
  unsigned const is_smaller = i < n && value < pivot;
  unsigned total;
  unsigned const smaller_before = block_scan(is_smaller, total) - is_smaller;
  if (threadIdx.x == 0) {
    unsigned const size = n - first < threads ? n - first : threads;
    front = atomicAdd(smaller, total);
    back = n - atomicAdd(others, size - total) - (size - total);
  }
  __syncthreads();  // the block's positions are known
  if (i < n) out[is_smaller ? front + smaller_before : back + threadIdx.x - smaller_before] = value;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  int const pivot = 400;
  std::vector<int> x(n), y(n), front, back;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x) (value < pivot ? front : back).push_back(value);

  int *in, *out;
  unsigned* counts;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&counts, 2 * sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, 2 * sizeof(unsigned));
  partition<<<(n + threads - 1) / threads, threads>>>(in, out, n, pivot, counts, counts + 1);

  unsigned smaller = 0;
  cudaMemcpy(&smaller, counts, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(y.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("partition: %s\n", cudaGetErrorString(error));
    return 1;
  }
  // Both sides hold the right elements, in any order.
  bool right = smaller == front.size();
  if (right) {
    std::sort(front.begin(), front.end());
    std::sort(back.begin(), back.end());
    std::sort(y.begin(), y.begin() + smaller);
    std::sort(y.begin() + smaller, y.end());
    right = std::equal(front.begin(), front.end(), y.begin()) &&
            std::equal(back.begin(), back.end(), y.begin() + smaller);
  }
  std::printf("partition: %u of %u below %d, %s\n", smaller, n, pivot, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  cudaFree(counts);
  return right ? 0 : 1;
}
