/// A loop that only reads: the limit of reductions, which also displaces what is in the cache.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::bench {

inline constexpr unsigned read_threads = 512, blocks_per_processor = 4;

/// Reads `count` vectors of 16 bytes, `vectors` at a time in each thread. Combines the words so
/// that the compiler cannot remove a load. Does not read up to 15 bytes at the end.
template <unsigned vectors>
__global__ void __launch_bounds__(read_threads, blocks_per_processor)
    read_loop(uint4 const* in, std::size_t count, std::uint32_t* out) {
  std::uint32_t word = 0;
  constexpr std::size_t tile = std::size_t{read_threads} * vectors;
  for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
    std::size_t const at = begin + threadIdx.x;
    if (begin + tile <= count) {
      uint4 v[vectors];
#pragma unroll
      for (unsigned j = 0; j < vectors; ++j) v[j] = in[at + j * read_threads];
#pragma unroll
      for (unsigned j = 0; j < vectors; ++j) word ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
    } else {
      for (std::size_t i = at; i < count; i += read_threads)
        word ^= in[i].x ^ in[i].y ^ in[i].z ^ in[i].w;
    }
  }
  if (word == 0x5eed5eedu) *out = word;  // practically never true, but it keeps the loads alive
}

inline unsigned processors() {
  static int const count = [] {
    int device = 0, found = 0;
    check_cuda(cudaGetDevice(&device), "find a GPU");
    check_cuda(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device),
               "query the GPU's properties");
    return found;
  }();
  return static_cast<unsigned>(count);
}

/// Launches that loop over all of the `bytes` at `in`. `out` is practically never written.
template <unsigned vectors>
void launch_read(cudaStream_t stream, void const* in, std::size_t bytes, void* out) {
  std::size_t const count = bytes / sizeof(uint4), tile = std::size_t{read_threads} * vectors;
  std::size_t const tiles = std::max<std::size_t>(1, (count + tile - 1) / tile);
  auto const blocks =
      static_cast<unsigned>(std::min<std::size_t>(tiles, processors() * blocks_per_processor));
  read_loop<vectors><<<blocks, read_threads, 0, stream>>>(static_cast<uint4 const*>(in), count,
                                                          static_cast<std::uint32_t*>(out));
  check_cuda(cudaGetLastError(), "launch the read loop");
}

}  // namespace upsweep::bench
