/// Reduction by a tree in shared memory down to 64 elements, which one warp finishes: by five
/// shuffles, or by the hardware's reduction of a warp.
/// Cost: n loads, 1 store a block · log2 T - 5 barriers · log2 T - 6 steps in shared memory, then 5
/// shuffles, or 1 instruction (compute capability 8.0)
/// Source: ETH P&S, prefix sum: reduction with warp shuffle, reduction with warp reduce
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

/// The sums of 64 elements of the block's 2 · threads, one a lane of warp 0, two elements each.
__device__ int tree_to_warp(int const* in, unsigned n) {
  __shared__ int tile[threads];
  unsigned const t = threadIdx.x, i = 2 * threads * blockIdx.x + t;
  tile[t] = (i < n ? in[i] : 0) + (i + threads < n ? in[i + threads] : 0);
  __syncthreads();  // tile[t] covers two elements
  for (unsigned stride = threads / 2; stride > 32; stride /= 2) {
    if (t < stride) tile[t] += tile[t + stride];
    __syncthreads();  // the first `stride` elements cover all
  }
  return t < 32 ? tile[t] + tile[t + 32] : 0;
}

__global__ void with_shuffles(int const* in, int* sums, unsigned n) {
  int sum = tree_to_warp(in, n);
  if (threadIdx.x >= 32) return;
  for (unsigned stride = 16; stride > 0; stride /= 2)
    sum += __shfl_down_sync(all_lanes, sum, stride);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void with_reduce(int const* in, int* sums, unsigned n) {
  int sum = tree_to_warp(in, n);
  if (threadIdx.x >= 32) return;
  sum = __reduce_add_sync(all_lanes, sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  unsigned const blocks = (n + 2 * threads - 1) / (2 * threads);
  std::vector<int> x(n), y(blocks);
  long expected = 0;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x) expected += value;

  int *in, *sums;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  bool right = true;
  for (int way = 0; way < 2; ++way) {
    cudaMemset(sums, 0, blocks * sizeof(int));
    if (way == 0) with_shuffles<<<blocks, threads>>>(in, sums, n);
    if (way == 1) with_reduce<<<blocks, threads>>>(in, sums, n);
    cudaMemcpy(y.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int partial : y) sum += partial;
    right = right && sum == expected;
  }
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("reduce_tree_warp: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("reduce_tree_warp: %u elements, sum %ld, 2 ways, %s\n", n, expected,
              right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(sums);
  return right ? 0 : 1;
}
