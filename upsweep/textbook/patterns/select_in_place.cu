/// Selection in place and in order: a block loads its elements, scans their flags, takes the number
/// kept so far from the block before it and hands its own on, and only then stores.
/// Cost: n loads, k stores for k kept elements · 1 launch · 3 barriers, 1 fence a block
/// Source: ETH P&S, data sliding: SELECT; adjacent block synchronization
///
/// Tiles are numbered in the order in which blocks start, so no block waits for one that cannot
/// run.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

__host__ __device__ bool is_kept(int value) {
  return value % 3 != 0;
}

/// words[t] is 0 until tile t and all before it are in registers, then 1 + the number they keep.
__global__ void select_in_place(int* data, unsigned n, unsigned* words, unsigned* next) {
  __shared__ unsigned tile, first, warp_counts[threads / 32];
  unsigned const t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(next, 1);
  __syncthreads();  // the tile is known
  unsigned const i = tile * threads + t;
  int const value = i < n ? data[i] : 0;
  bool const keep = i < n && is_kept(value);
  unsigned const kept = __ballot_sync(all_lanes, keep);
  if (lane == 0) warp_counts[warp] = __popc(kept);
  unsigned const count = __syncthreads_count(keep);  // all have loaded; the counts are stored
  if (t == 0) {
    unsigned before = tile == 0 ? 1 : 0;
    while (before == 0) before = atomicAdd(&words[tile - 1], 0);
    __threadfence();  // the tiles before are in registers, and so is this one
    atomicExch(&words[tile], before + count);
    first = before - 1;
  }
  __syncthreads();  // the first position is known, and the block may store
  unsigned place = first + __popc(kept & ((1u << lane) - 1));
  for (unsigned w = 0; w < warp; ++w) place += warp_counts[w];
  if (keep) data[place] = value;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, tiles = (n + threads - 1) / threads;
  std::vector<int> x(n), expected;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x)
    if (is_kept(value)) expected.push_back(value);

  int* data;
  unsigned* words;
  cudaMalloc(&data, n * sizeof(int));
  cudaMalloc(&words, (tiles + 1) * sizeof(unsigned));
  cudaMemcpy(data, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(words, 0, (tiles + 1) * sizeof(unsigned));
  select_in_place<<<tiles, threads>>>(data, n, words, words + tiles);

  unsigned kept = 0;
  cudaMemcpy(&kept, words + tiles - 1, sizeof(unsigned), cudaMemcpyDeviceToHost);
  kept -= 1;
  cudaMemcpy(x.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("select_in_place: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = kept == expected.size();
  for (unsigned i = 0; right && i < kept; ++i) right = x[i] == expected[i];
  std::printf("select_in_place: %u of %u kept, %s\n", kept, n, right ? "right" : "wrong");
  cudaFree(data);
  cudaFree(words);
  return right ? 0 : 1;
}
