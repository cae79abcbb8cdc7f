/// Upper bounds for the speed: the driver's copy for scans, and read loops for reductions.
#include <bench/gpu/kinds.hpp>
#include <bench/gpu/read_loop.cuh>

#include <cstddef>
#include <vector>

namespace upsweep::bench {
namespace {

template <class Word>
__global__ void count_kernel(Word const* x, Word const* y, std::size_t n,
                             unsigned long long* count) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if constexpr (sizeof(Word) == 16)
      mine += x[i].x != y[i].x || x[i].y != y[i].y || x[i].z != y[i].z || x[i].w != y[i].w;
    else
      mine += x[i] != y[i];
  }
  if (mine > 0) atomicAdd(count, mine);
}

}  // namespace

void add_limits(std::vector<gpu_call>& to, work const& w, std::size_t n) {
  std::size_t const bytes = n * element_bytes(w);
  if (w.verb == verb::reduce) {
    to.push_back({"read_4", [=](cudaStream_t s, void const* in, void* out) {
                    launch_read<4>(s, in, bytes, out);
                  }});
    to.push_back({"read_8", [=](cudaStream_t s, void const* in, void* out) {
                    launch_read<8>(s, in, bytes, out);
                  }});
  } else {
    to.push_back({"memcpy", [=](cudaStream_t s, void const* in, void* out) {
                    check_cuda(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, s),
                               "copy");
                  }});
  }
}

void read_all(cudaStream_t stream, void const* memory, std::size_t bytes) {
  launch_read<8>(stream, memory, bytes, const_cast<void*>(memory));
}

std::size_t count_differences(void const* x, void const* y, std::size_t bytes) {
  device_memory const count(sizeof(unsigned long long));
  auto* const place = reinterpret_cast<unsigned long long*>(count.data());
  check_cuda(cudaMemset(place, 0, sizeof *place), "clear a counter");
  std::size_t const whole = bytes / sizeof(uint4);
  count_kernel<<<1024, 256>>>(static_cast<uint4 const*>(x), static_cast<uint4 const*>(y), whole,
                              place);
  auto const past_line = [&](void const* p) {
    return static_cast<unsigned char const*>(p) + whole * sizeof(uint4);
  };
  count_kernel<<<1, 16>>>(past_line(x), past_line(y), bytes % sizeof(uint4), place);
  check_cuda(cudaGetLastError(), "compare results");
  unsigned long long found = 0;
  check_cuda(cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost), "compare results");
  return found;
}

}  // namespace upsweep::bench
