/// Reduction with thread coarsening: each thread first adds `2 · factor` elements in a register, so
/// that fewer blocks go through the tree with its barriers and idle threads.
/// Cost: n loads, 1 atomic a block · n / (2·factor·T) blocks · 2·factor - 1 additions a thread
/// without a barrier, then log2 T steps with log2 T barriers
/// Source: PMPP 4th ed., ch. 10, figs. 10.14-10.16; reduction-and-scan notes
///
/// Arguments: size, factor. With 1,024 elements, factor 1 makes 2 blocks with 16 barriers and
/// factor 2 makes 1 block with 8, which is the comparison of fig. 10.16.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256;

__global__ void coarsened_sum(int const* in, int* total, unsigned n, unsigned factor) {
  __shared__ int tile[threads];
  unsigned const t = threadIdx.x, first = 2 * factor * threads * blockIdx.x;
  int sum = 0;
  for (unsigned k = 0; k < 2 * factor; ++k) {
    unsigned const i = first + k * threads + t;
    if (i < n) sum += in[i];
  }
  tile[t] = sum;
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the first 2 · stride elements cover all
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) atomicAdd(total, tile[0]);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 3000;
  unsigned const factor = argc > 2 ? std::atoi(argv[2]) : 2, tile = 2 * factor * threads;
  unsigned const blocks = (n + tile - 1) / tile;
  std::vector<int> x(n);
  int expected = 0, sum = 0;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x) expected += value;

  int *in, *total;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(int));
  coarsened_sum<<<blocks, threads>>>(in, total, n, factor);

  cudaMemcpy(&sum, total, sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("coarsening: %s\n", cudaGetErrorString(error));
    return 1;
  }
  unsigned barriers = 0;
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) barriers += blocks;
  bool const right = sum == expected;
  std::printf("coarsening: %u elements, factor %u: %u blocks, %u barriers, %s\n", n, factor, blocks,
              barriers, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(total);
  return right ? 0 : 1;
}
