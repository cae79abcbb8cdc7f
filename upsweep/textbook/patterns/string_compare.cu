/// Comparison of two strings: a block finds its first mismatch by ballots, and an atomic minimum
/// keeps the first of all blocks, which decides.
/// Cost: 2n loads · 1 ballot a warp, at most 1 shared atomic a warp and 1 global atomic a block ·
/// 2 barriers
/// Source: ETH P&S, prefix sum: string comparison
#include <cstdio>
#include <cstdlib>
#include <string>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

__global__ void first_mismatch(char const* a, char const* b, unsigned n, unsigned* where) {
  __shared__ unsigned first;
  if (threadIdx.x == 0) first = n;
  __syncthreads();  // there is no mismatch yet
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const differing = __ballot_sync(all_lanes, i < n && a[i] != b[i]);
  if (threadIdx.x % 32 == 0 && differing != 0) atomicMin(&first, i + __ffs(differing) - 1);
  __syncthreads();  // the first mismatch of all warps is known
  if (threadIdx.x == 0 && first < n) atomicMin(where, first);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::string x(n, ' '), y;
  for (char& character : x) character = static_cast<char>('a' + std::rand() % 26);

  char *a, *b;
  unsigned* where;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  cudaMalloc(&where, sizeof(unsigned));
  cudaMemcpy(a, x.data(), n, cudaMemcpyHostToDevice);
  bool right = true;
  for (unsigned mismatch : {n, n - 1, n / 2, 0u}) {  // at n: the strings are equal
    y = x;
    for (unsigned i = mismatch; i < n; i += 3) y[i] = i % 2 == 0 ? 'A' : '~';
    cudaMemcpy(b, y.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(where, &n, sizeof(unsigned), cudaMemcpyHostToDevice);
    first_mismatch<<<(n + threads - 1) / threads, threads>>>(a, b, n, where);
    unsigned found = 0;
    cudaMemcpy(&found, where, sizeof(unsigned), cudaMemcpyDeviceToHost);
    int const order = found == n ? 0 : x[found] < y[found] ? -1 : 1;
    int const expected = x.compare(y) == 0 ? 0 : x < y ? -1 : 1;
    right = right && found == mismatch && order == expected;
  }
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("string_compare: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("string_compare: %u characters, 4 pairs, %s\n", n, right ? "right" : "wrong");
  cudaFree(a);
  cudaFree(b);
  cudaFree(where);
  return right ? 0 : 1;
}
