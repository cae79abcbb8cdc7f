/// Sum with a pipeline of asynchronous copies (cp.async): while a thread adds up what has arrived
/// in its slot of shared memory, its next elements are on their way to other slots.
/// Cost: n loads, 16 bytes a copy · no barrier, because threads read only what they copied · 5
/// shuffles and 1 atomic a warp
/// Source: CUDA C++ Programming Guide, cuda::pipeline (compute capability 8.0)
///
/// The input is padded with zeros to whole copies of four elements.
#include <cuda/pipeline>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 128, stages = 3, grid = 3;

__global__ void sum(uint4 const* in, unsigned count, unsigned* total) {
  __shared__ uint4 slots[stages][threads];
  unsigned const t = threadIdx.x, all_threads = gridDim.x * blockDim.x;
  unsigned const first = blockIdx.x * blockDim.x + t;
  cuda::pipeline<cuda::thread_scope_thread> copies = cuda::make_pipeline();
  unsigned fetched = first;
  unsigned stage_to_fill = 0;
  auto const fetch = [&] {
    copies.producer_acquire();
    if (fetched < count)
      cuda::memcpy_async(&slots[stage_to_fill][t], &in[fetched],
                         cuda::aligned_size_t<16>(sizeof(uint4)), copies);
    copies.producer_commit();  // a stage may be empty
    fetched += all_threads;
    stage_to_fill = (stage_to_fill + 1) % stages;
  };
  for (unsigned s = 0; s + 1 < stages; ++s) fetch();

  unsigned mine = 0, stage = 0;
  for (unsigned i = first; i < count; i += all_threads) {
    fetch();
    cuda::pipeline_consumer_wait_prior<stages - 1>(copies);  // all but the newest have arrived
    uint4 const four = slots[stage][t];
    mine += four.x + four.y + four.z + four.w;
    copies.consumer_release();
    stage = (stage + 1) % stages;
  }
  for (unsigned stride = 16; stride > 0; stride /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, stride);
  if (t % 32 == 0) atomicAdd(total, mine);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 5000, count = (n + 3) / 4;
  std::vector<unsigned> x(n);
  unsigned expected = 0, result = 0;
  for (unsigned& value : x) value = std::rand() % 1000;
  for (unsigned value : x) expected += value;

  uint4* in;
  unsigned* total;
  cudaMalloc(&in, count * sizeof(uint4));
  cudaMalloc(&total, sizeof(unsigned));
  cudaMemset(in, 0, count * sizeof(uint4));
  cudaMemcpy(in, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(unsigned));
  sum<<<grid, threads>>>(in, count, total);

  cudaMemcpy(&result, total, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("pipeline_async: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = result == expected;
  std::printf("pipeline_async: %u elements, sum %u, %s\n", n, result, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(total);
  return right ? 0 : 1;
}
