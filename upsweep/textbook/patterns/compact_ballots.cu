/// Stream compaction by warp ballots: a lane counts the kept lanes before it in a ballot, and the
/// warp reserves its positions with one atomic addition.
/// Cost: n loads, k stores for k kept elements · 1 ballot, 1 shuffle, 1 atomic a warp · no barrier
/// Source: ETH P&S, prefix sum: scan applications and warp functions
///
/// The kept elements of a warp stay in order; warps come in the order in which they reserve.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

__host__ __device__ bool is_kept(int value) {
  return value % 3 == 0;
}

__global__ void compact(int const* in, int* out, unsigned* count, unsigned n) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int const value = i < n ? in[i] : 0;
  bool const keep = i < n && is_kept(value);
  unsigned const kept = __ballot_sync(all_lanes, keep);  // also the lanes beyond n vote
  unsigned first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(all_lanes, first, 0);
  unsigned const before = kept & ((1u << lane) - 1);
  if (keep) out[first + __popc(before)] = value;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<int> x(n), expected;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x)
    if (is_kept(value)) expected.push_back(value);

  int *in, *out;
  unsigned* count;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&count, sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(unsigned));
  compact<<<(n + threads - 1) / threads, threads>>>(in, out, count, n);

  unsigned kept = 0;
  cudaMemcpy(&kept, count, sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::vector<int> y(kept);
  cudaMemcpy(y.data(), out, kept * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("compact_ballots: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::sort(y.begin(), y.end());
  std::sort(expected.begin(), expected.end());
  bool const right = y == expected;
  std::printf("compact_ballots: %u of %u kept, %s\n", kept, n, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  cudaFree(count);
  return right ? 0 : 1;
}
