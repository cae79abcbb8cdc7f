/// Quicksort by segmented scans: all segments are partitioned at once, each around its first key,
/// until every segment holds equal keys. One block, at most 1,024 keys.
/// Cost: n loads, n stores · about 2·log2 n rounds for random keys · 3 + 2·log2 T barriers a round
/// Source: ETH P&S, prefix sum: scan applications; Blelloch 1990, section 1.5
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 1024;

/// Inclusive sums within the segments; `first` is where the segment of this thread begins.
__device__ unsigned segmented_scan(unsigned* tile, unsigned value, unsigned first) {
  unsigned const t = threadIdx.x;
  tile[t] = value;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[t] covers the `stride` elements that end at t, or the segment's first
    unsigned const earlier = t >= first + stride ? tile[t - stride] : 0;
    __syncthreads();  // all have read
    value += earlier;
    tile[t] = value;
  }
  return value;
}

__global__ void quicksort(int* data, unsigned n) {
  __shared__ int keys[threads];
  __shared__ unsigned firsts[threads], tile[threads], totals[threads];
  unsigned const t = threadIdx.x;
  keys[t] = t < n ? data[t] : INT_MAX;
  firsts[t] = 0;
  __syncthreads();  // there is one segment, which holds all keys
  for (;;) {
    int const key = keys[t];
    unsigned const first = firsts[t];
    bool const is_last = t + 1 == threads || firsts[t + 1] == t + 1;
    bool const is_less = key < keys[first], is_equal = key == keys[first];
    if (__syncthreads_and(is_equal)) break;

    unsigned const mine = is_less + (is_equal << 16);  // two counts in one word
    unsigned const sum = segmented_scan(tile, mine, first);
    if (is_last) totals[first] = sum;
    __syncthreads();  // the totals of all segments are stored
    unsigned const less_before = (sum - mine) & 0xffff, equal_before = (sum - mine) >> 16;
    unsigned const greater_before = t - first - less_before - equal_before;
    unsigned const equals = first + (totals[first] & 0xffff),
                   greaters = equals + (totals[first] >> 16);
    unsigned const segment = is_less ? first : is_equal ? equals : greaters;
    unsigned const place = segment + (is_less    ? less_before
                                      : is_equal ? equal_before
                                                 : greater_before);
    keys[place] = key;
    firsts[place] = segment;
    __syncthreads();  // every key is in its new segment
  }
  if (t < n) data[t] = keys[t];
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (n > threads) {
    std::printf("quicksort: %u keys; one block sorts at most %u\n", n, threads);
    return 1;
  }
  std::vector<int> x(n), y(n);
  for (int& key : x) key = std::rand() % 1000;

  int* data;
  cudaMalloc(&data, n * sizeof(int));
  cudaMemcpy(data, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  quicksort<<<1, threads>>>(data, n);

  cudaMemcpy(y.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("quicksort: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::sort(x.begin(), x.end());
  bool const right = y == x;
  std::printf("quicksort: %u keys, %s\n", n, right ? "right" : "wrong");
  cudaFree(data);
  return right ? 0 : 1;
}
