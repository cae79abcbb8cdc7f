/// Histogram in four ways: atomics on global memory; a private histogram per block in shared
/// memory; the same with a fixed grid that strides over the input; one atomic per distinct bin in a
/// warp.
/// Cost: n loads · atomics on global memory: n; at most `bins` a block; the same, of fewer blocks;
/// 1 a warp and distinct bin · private histograms: n atomics on shared memory, 2 barriers
/// Source: ETH P&S, histogram: striding and privatization
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, bins = 64;

__global__ void global_atomics(unsigned char const* in, unsigned* histogram, unsigned n) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[in[i]], 1);
}

/// Every thread takes the elements i, i + all threads, i + 2 · all threads, ...
__global__ void privatised(unsigned char const* in, unsigned* histogram, unsigned n) {
  __shared__ unsigned mine[bins];
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();  // the private histogram is empty
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], 1);
  __syncthreads();  // it holds all elements of the block
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&histogram[b], mine[b]);
}

__global__ void warp_aggregated(unsigned char const* in, unsigned* histogram, unsigned n) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned const bin = i < n ? in[i] : bins;                 // beyond n: a bin of its own
  unsigned const peers = __match_any_sync(0xffffffff, bin);  // the lanes with this bin
  bool const is_first = (peers & ((1u << lane) - 1)) == 0;
  if (is_first && i < n) atomicAdd(&histogram[bin], __popc(peers));
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 3000, blocks = (n + threads - 1) / threads;
  unsigned const fixed_grid = 4;
  std::vector<unsigned char> x(n);
  std::vector<unsigned> expected(bins, 0);
  for (unsigned char& value : x) value = std::rand() % bins * (std::rand() % bins) / bins;
  for (unsigned char value : x) ++expected[value];

  unsigned char* in;
  unsigned* histogram;
  cudaMalloc(&in, n);
  cudaMalloc(&histogram, bins * sizeof(unsigned));
  cudaMemcpy(in, x.data(), n, cudaMemcpyHostToDevice);
  bool right = true;
  for (int way = 0; way < 4; ++way) {
    cudaMemset(histogram, 0, bins * sizeof(unsigned));
    if (way == 0) global_atomics<<<blocks, threads>>>(in, histogram, n);
    if (way == 1) privatised<<<blocks, threads>>>(in, histogram, n);
    if (way == 2) privatised<<<fixed_grid, threads>>>(in, histogram, n);
    if (way == 3) warp_aggregated<<<blocks, threads>>>(in, histogram, n);
    std::vector<unsigned> y(bins);
    cudaMemcpy(y.data(), histogram, bins * sizeof(unsigned), cudaMemcpyDeviceToHost);
    right = right && y == expected;
  }
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("histogram: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("histogram: %u elements, %u bins, 4 ways, %s\n", n, bins, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(histogram);
  return right ? 0 : 1;
}
