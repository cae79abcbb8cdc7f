/// Value of a polynomial: a scan by multiplication gives the powers of x, which the coefficients
/// weight in a reduction. Each block scans its own powers and starts them with its first one.
/// Cost: n loads, 1 atomic a block · for a thread's power 5 multiplications and 1 for each warp
/// before its own, for the block's at most 2·log2 n · 5 shuffles a warp and 2 barriers a block more
/// Source: ETH P&S, prefix sum: polynomial evaluation; Blelloch 1990
///
/// Unsigned integers wrap, so the result is exact.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

/// Inclusive scan by multiplication over the block.
__device__ unsigned product_scan(unsigned value) {
  __shared__ unsigned totals[threads / 32];
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    unsigned const earlier = __shfl_up_sync(all_lanes, value, stride);
    if (lane >= stride) value *= earlier;
  }
  if (lane == 31) totals[warp] = value;
  __syncthreads();  // totals[w] is the product of warp w
  for (unsigned w = 0; w < warp; ++w) value *= totals[w];
  return value;
}

__device__ unsigned power(unsigned x, unsigned exponent) {
  unsigned result = 1;
  for (; exponent > 0; exponent /= 2, x *= x)
    if (exponent % 2 == 1) result *= x;
  return result;
}

__global__ void evaluate(unsigned const* coefficients, unsigned n, unsigned x, unsigned* value) {
  __shared__ unsigned sum;
  unsigned const t = threadIdx.x, i = blockIdx.x * threads + t;
  if (t == 0) sum = 0;
  unsigned const start = power(x, blockIdx.x * threads);     // of the block
  unsigned const x_to_i = product_scan(t == 0 ? start : x);  // its barrier also follows `sum = 0`
  unsigned term = i < n ? coefficients[i] * x_to_i : 0;
  for (unsigned stride = 16; stride > 0; stride /= 2)
    term += __shfl_down_sync(all_lanes, term, stride);
  if (t % 32 == 0) atomicAdd(&sum, term);
  __syncthreads();  // the sum has the terms of all warps
  if (t == 0) atomicAdd(value, sum);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, x = 3;
  std::vector<unsigned> a(n);
  for (unsigned& coefficient : a) coefficient = std::rand() % 10;
  unsigned expected = 0;  // Horner's rule
  for (unsigned i = n; i > 0; --i) expected = expected * x + a[i - 1];

  unsigned *coefficients, *value;
  cudaMalloc(&coefficients, n * sizeof(unsigned));
  cudaMalloc(&value, sizeof(unsigned));
  cudaMemcpy(coefficients, a.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(value, 0, sizeof(unsigned));
  evaluate<<<(n + threads - 1) / threads, threads>>>(coefficients, n, x, value);

  unsigned result = 0;
  cudaMemcpy(&result, value, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("polynomial: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = result == expected;
  std::printf("polynomial: %u coefficients, p(%u) = %u modulo 2^32, %s\n", n, x, result,
              right ? "right" : "wrong");
  cudaFree(coefficients);
  cudaFree(value);
  return right ? 0 : 1;
}
