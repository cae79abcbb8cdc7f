/// 1-D convolution with a mask of five elements in constant memory: straight from global memory,
/// and from a tile with its halo in shared memory.
/// Cost: 5n - 6 loads of the input, n stores · tiled: n + 4(B - 1) loads, 1 barrier a block · one
/// load of the mask a multiplication
/// Source: ETH P&S, convolution: 1-D example with a mask of five; PMPP 4th ed., ch. 7
///
/// Beyond its ends the input counts as zeros. With size 7 the input is 1 2 3 4 5 6 7 and P[2]
/// is 57.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int threads = 128, radius = 2;

__constant__ int mask[2 * radius + 1];

__global__ void direct(int const* in, int* out, int n) {
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < n) sum += mask[k + radius] * in[i + k];
  out[i] = sum;
}

__global__ void tiled(int const* in, int* out, int n) {
  __shared__ int tile[threads + 2 * radius];
  int const first = blockIdx.x * threads - radius, t = threadIdx.x;
  for (int j = t; j < threads + 2 * radius; j += threads)
    tile[j] = first + j >= 0 && first + j < n ? in[first + j] : 0;
  __syncthreads();  // the tile and its halo are loaded
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += mask[k] * tile[t + k];
  int const i = blockIdx.x * threads + t;
  if (i < n) out[i] = sum;
}

int main(int argc, char** argv) {
  int const n = argc > 1 ? std::atoi(argv[1]) : 1000, blocks = (n + threads - 1) / threads;
  int const weights[2 * radius + 1] = {3, 4, 5, 4, 3};
  std::vector<int> x(n), y(n), expected(n, 0);
  for (int i = 0; i < n; ++i) x[i] = i % 100 + 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (std::abs(j - i) <= radius) expected[i] += weights[j - i + radius] * x[j];

  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(mask, weights, sizeof(weights));
  direct<<<blocks, threads>>>(in, out, n);
  cudaMemcpy(y.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  bool right = y == expected;
  cudaMemset(out, 0, n * sizeof(int));
  tiled<<<blocks, threads>>>(in, out, n);
  cudaMemcpy(y.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  right = right && y == expected;

  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("convolution_1d: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("convolution_1d: %d elements, P[2] = %d, %s\n", n, n > 2 ? y[2] : 0,
              right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  return right ? 0 : 1;
}
