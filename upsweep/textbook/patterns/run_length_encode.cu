/// Run-length encoding: an element that differs from the one before it begins a run, a scan of
/// these flags numbers the runs, and a run's length is the distance to the next run's beginning.
/// Cost: 4n loads, as both passes read an element and its neighbor; 3 loads and 3 stores a run · 4
/// launches · 4 barriers a block, 3 for each 256 counts
/// Source: ETH P&S, prefix sum: scan applications, unique
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256, all_lanes = 0xffffffff;

__device__ bool begins_run(int const* in, unsigned i, unsigned n) {
  return i < n && (i == 0 || in[i] != in[i - 1]);
}

__device__ unsigned warp_scan(unsigned value) {
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    unsigned const earlier = __shfl_up_sync(all_lanes, value, stride);
    if (threadIdx.x % 32 >= stride) value += earlier;
  }
  return value;
}

/// Inclusive scan of one value per thread; `total` is that of the whole block.
__device__ unsigned block_scan(unsigned value, unsigned& total) {
  __shared__ unsigned totals[32];
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_scan(value);
  __syncthreads();  // all have read the totals of the previous call
  if (lane == 31) totals[warp] = value;
  __syncthreads();  // totals[w] is that of warp w
  if (warp == 0) totals[lane] = warp_scan(lane < threads / 32 ? totals[lane] : 0);
  __syncthreads();  // totals[w] is that of warps 0 to w
  total = totals[threads / 32 - 1];
  return warp == 0 ? value : totals[warp - 1] + value;
}

__global__ void count_runs(int const* in, unsigned* counts, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const runs = __syncthreads_count(begins_run(in, i, n));
  if (threadIdx.x == 0) counts[blockIdx.x] = runs;
}

/// One block: counts[b] becomes the sum of the counts before it, counts[blocks] the total.
__global__ void scan_counts(unsigned* counts, unsigned blocks) {
  unsigned carry = 0;
  for (unsigned first = 0; first < blocks; first += threads) {
    unsigned const b = first + threadIdx.x;
    unsigned const mine = b < blocks ? counts[b] : 0;
    unsigned total;
    unsigned const sum = block_scan(mine, total);
    if (b < blocks) counts[b] = carry + sum - mine;
    carry += total;
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}

__global__ void store_runs(int const* in, int* values, unsigned* starts, unsigned const* counts,
                           unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  unsigned const begins = begins_run(in, i, n);
  unsigned total;
  unsigned const run = counts[blockIdx.x] + block_scan(begins, total) - begins;
  if (begins) {
    values[run] = in[i];
    starts[run] = i;
  }
}

__global__ void find_lengths(unsigned const* starts, unsigned* lengths, unsigned runs, unsigned n) {
  unsigned const run = blockIdx.x * threads + threadIdx.x;
  if (run < runs) lengths[run] = (run + 1 < runs ? starts[run + 1] : n) - starts[run];
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, blocks = (n + threads - 1) / threads;
  std::vector<int> x(n), expected_values, values;
  std::vector<unsigned> expected_lengths, lengths;
  for (unsigned i = 0; i < n; ++i) x[i] = i > 0 && std::rand() % 4 > 0 ? x[i - 1] : std::rand() % 9;
  for (unsigned i = 0; i < n; ++i) {
    if (i == 0 || x[i] != x[i - 1]) {
      expected_values.push_back(x[i]);
      expected_lengths.push_back(0);
    }
    ++expected_lengths.back();
  }

  int *in, *out_values;
  unsigned *starts, *out_lengths, *counts, runs = 0;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out_values, n * sizeof(int));
  cudaMalloc(&starts, n * sizeof(unsigned));
  cudaMalloc(&out_lengths, n * sizeof(unsigned));
  cudaMalloc(&counts, (blocks + 1) * sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  count_runs<<<blocks, threads>>>(in, counts, n);
  scan_counts<<<1, threads>>>(counts, blocks);
  cudaMemcpy(&runs, counts + blocks, sizeof(unsigned), cudaMemcpyDeviceToHost);
  store_runs<<<blocks, threads>>>(in, out_values, starts, counts, n);
  find_lengths<<<runs / threads + 1, threads>>>(starts, out_lengths, runs, n);

  values.resize(runs);
  lengths.resize(runs);
  cudaMemcpy(values.data(), out_values, runs * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(lengths.data(), out_lengths, runs * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("run_length_encode: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = values == expected_values && lengths == expected_lengths;
  std::printf("run_length_encode: %u runs of %u elements, %s\n", runs, n,
              right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out_values);
  cudaFree(starts);
  cudaFree(out_lengths);
  cudaFree(counts);
  return right ? 0 : 1;
}
