/// The laboratory report's reduction: every thread loads two elements into shared memory,
/// a tree with `%` leaves a block's sum,
/// and the CPU adds the blocks' sums.
/// Cost: n loads, 1 store a block · 11 iterations and 11 barriers for 1,024 threads · 2,047
/// additions a block, 1 on the host a block
/// Source: CUDA laboratory report on reduction
///
/// As in the report the data are ones and missing elements zeros. There every thread stores the
/// block's sum, with no barrier after the last addition: a thread of another warp can store the sum
/// as it was before. Here the thread that makes that addition stores it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <vector>

constexpr unsigned threads = 1024;

__global__ void partial_sums(long const* in, long* sums, unsigned n) {
  __shared__ long tile[2 * threads];
  unsigned const t = threadIdx.x, i = 2 * threads * blockIdx.x + 2 * t;
  tile[2 * t] = i < n ? in[i] : 0;
  tile[2 * t + 1] = i + 1 < n ? in[i + 1] : 0;
  for (unsigned stride = 1; stride <= threads; stride *= 2) {
    __syncthreads();  // tile[i] covers the `stride` elements from i on where stride divides i
    if (t % stride == 0) tile[2 * t] += tile[2 * t + stride];
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 5000;
  unsigned const blocks = (n + 2 * threads - 1) / (2 * threads);
  std::vector<long> x(n, 1), partials(blocks);
  auto const start = std::chrono::steady_clock::now();
  long expected = 0;
  for (long value : x) expected += value;
  std::chrono::duration<float, std::milli> const cpu_time =
      std::chrono::steady_clock::now() - start;

  long *in, *sums;
  cudaMalloc(&in, n * sizeof(long));
  cudaMalloc(&sums, blocks * sizeof(long));
  cudaMemcpy(in, x.data(), n * sizeof(long), cudaMemcpyHostToDevice);
  cudaEvent_t before, after;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  cudaEventRecord(before);
  partial_sums<<<blocks, threads>>>(in, sums, n);
  cudaEventRecord(after);
  cudaMemcpy(partials.data(), sums, blocks * sizeof(long), cudaMemcpyDeviceToHost);
  float gpu_time = 0;
  cudaEventElapsedTime(&gpu_time, before, after);
  long sum = 0;
  for (long partial : partials) sum += partial;

  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("report_reduction: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = sum == expected;
  std::printf("report_reduction: %u elements, sum %ld, processor %.3f ms, %s %.3f ms, %s\n", n, sum,
              cpu_time.count(), device.name, gpu_time, right ? "right" : "wrong");
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  cudaFree(in);
  cudaFree(sums);
  return right ? 0 : 1;
}
