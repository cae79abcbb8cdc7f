/// Sum with a pipeline of bulk copies: one thread asks the copy engine for a tile to come, whose
/// bytes a transaction barrier counts, while the block adds up the tile that has arrived.
/// Cost: n loads, all by the copy engine, 1 request a tile · 1 barrier a tile, 1 a block · 5
/// shuffles and 1 atomic a warp
/// Source: ETH P&S, H100: TMA and asynchronous transaction barriers; CUDA C++ Programming Guide,
/// asynchronous data copies (compute capability 9.0)
///
/// The input is padded with zeros to whole tiles, because a bulk copy moves multiples of 16 bytes.
#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 128, tile_size = 512, stages = 2;

using barrier = cuda::barrier<cuda::thread_scope_block>;

/// Starts the copy of a tile; `arrived` completes its phase once all bytes have come.
__device__ void fetch(unsigned* tile, unsigned const* from, barrier& arrived) {
  auto const bytes = cuda::aligned_size_t<16>(tile_size * sizeof(unsigned));
  cuda::device::memcpy_async_tx(tile, from, bytes, arrived);
  (void)cuda::device::barrier_arrive_tx(arrived, 1, tile_size * sizeof(unsigned));
}

__global__ void sum(unsigned const* in, unsigned tiles, unsigned* total) {
  alignas(16) __shared__ unsigned tile[stages][tile_size];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier arrived[stages];
  unsigned const t = threadIdx.x;
  unsigned const count = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;  // of this block
  if (t == 0) {
    for (unsigned s = 0; s < stages; ++s) init(&arrived[s], 1);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // the copy engine sees the barriers
    for (unsigned k = 0; k < stages && k < count; ++k)
      fetch(tile[k], in + (blockIdx.x + k * gridDim.x) * tile_size, arrived[k]);
  }
  __syncthreads();  // the barriers are initialized

  unsigned mine = 0;
  for (unsigned k = 0; k < count; ++k) {
    unsigned const s = k % stages, next = k + stages;
    arrived[s].wait_parity(k / stages % 2);  // tile k has arrived
    for (unsigned i = t; i < tile_size; i += threads) mine += tile[s][i];
    __syncthreads();  // all have read it: its slot is free
    if (t == 0 && next < count)
      fetch(tile[s], in + (blockIdx.x + next * gridDim.x) * tile_size, arrived[s]);
  }
  for (unsigned stride = 16; stride > 0; stride /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, stride);
  if (t % 32 == 0) atomicAdd(total, mine);
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 5000, tiles = (n + tile_size - 1) / tile_size;
  unsigned const blocks = tiles < 3 ? tiles : 3;
  std::vector<unsigned> x(n);
  unsigned expected = 0, result = 0;
  for (unsigned& value : x) value = std::rand() % 1000;
  for (unsigned value : x) expected += value;

  unsigned *in, *total;
  cudaMalloc(&in, tiles * tile_size * sizeof(unsigned));
  cudaMalloc(&total, sizeof(unsigned));
  cudaMemset(in, 0, tiles * tile_size * sizeof(unsigned));
  cudaMemcpy(in, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(unsigned));
  sum<<<blocks, threads>>>(in, tiles, total);

  cudaMemcpy(&result, total, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("pipeline_bulk: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = result == expected;
  std::printf("pipeline_bulk: %u elements, sum %u, %s\n", n, result, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(total);
  return right ? 0 : 1;
}
