/// Stream compaction in a single pass: a tile publishes how many elements it keeps, and finds its
/// first position by looking back over the tiles before it, 32 at a time.
/// Cost: n loads, k stores for k kept elements · 1 launch · 3 barriers a tile
/// Source: ETH P&S, data sliding: SELECT; Merrill & Garland 2016
///
/// State and count share one word, so relaxed atomics suffice: nobody reads anything else through
/// them. Tiles are numbered in the order in which blocks start, so no block waits for one that
/// cannot run.
#include <cuda/atomic>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;
constexpr unsigned has_count = 1u << 30, has_prefix = 2u << 30, count_bits = (1u << 30) - 1;

__host__ __device__ bool is_kept(int value) {
  return value % 3 == 0;
}

using device_word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

/// How many elements the tiles before `tile` keep. A whole warp calls it; lane 0 looks at the
/// nearest tile.
__device__ unsigned look_back(unsigned tile, unsigned* words) {
  unsigned const lane = threadIdx.x;
  unsigned before = 0;
  for (unsigned end = tile;; end -= 32) {
    unsigned word = has_prefix;  // before tile 0 nothing is kept
    do {
      if (lane < end) word = device_word(words[end - 1 - lane]).load(cuda::memory_order_relaxed);
    } while (__any_sync(all_lanes, word == 0));
    unsigned const prefixes = __ballot_sync(all_lanes, word >= has_prefix);
    bool const is_needed = (prefixes & ((1u << lane) - 1)) == 0;  // no nearer tile has a prefix
    before += __reduce_add_sync(all_lanes, is_needed ? word & count_bits : 0);
    if (prefixes != 0) return before;
  }
}

__global__ void compact(int const* in, int* out, unsigned* words, unsigned* next, unsigned n) {
  __shared__ unsigned tile, first, warp_counts[threads / 32];
  unsigned const t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(next, 1);
  __syncthreads();  // the tile is known
  unsigned const i = tile * threads + t;
  int const value = i < n ? in[i] : 0;
  bool const keep = i < n && is_kept(value);
  unsigned const kept = __ballot_sync(all_lanes, keep);
  if (lane == 0) warp_counts[warp] = __popc(kept);
  unsigned const count = __syncthreads_count(keep);  // and the counts of the warps are stored
  if (warp == 0) {
    if (t == 0)
      device_word(words[tile])
          .store((tile == 0 ? has_prefix : has_count) | count, cuda::memory_order_relaxed);
    unsigned const before = tile == 0 ? 0 : look_back(tile, words);
    if (t == 0) {
      device_word(words[tile]).store(has_prefix | (before + count), cuda::memory_order_relaxed);
      first = before;
    }
  }
  __syncthreads();  // the first position is known
  unsigned place = first + __popc(kept & ((1u << lane) - 1));
  for (unsigned w = 0; w < warp; ++w) place += warp_counts[w];
  if (keep) out[place] = value;
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, tiles = (n + threads - 1) / threads;
  std::vector<int> x(n), expected;
  for (int& value : x) value = std::rand() % 1000;
  for (int value : x)
    if (is_kept(value)) expected.push_back(value);

  int *in, *out;
  unsigned *words, *next;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&words, tiles * sizeof(unsigned));
  cudaMalloc(&next, sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(words, 0, tiles * sizeof(unsigned));
  cudaMemset(next, 0, sizeof(unsigned));
  compact<<<tiles, threads>>>(in, out, words, next, n);

  unsigned kept = 0;
  cudaMemcpy(&kept, words + tiles - 1, sizeof(unsigned), cudaMemcpyDeviceToHost);
  kept &= count_bits;
  std::vector<int> y(kept);
  cudaMemcpy(y.data(), out, kept * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("compact_lookback: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = y == expected;
  std::printf("compact_lookback: %u of %u kept, %s\n", kept, n, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  cudaFree(words);
  cudaFree(next);
  return right ? 0 : 1;
}
