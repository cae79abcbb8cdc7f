/// Thrust as its users call it: it allocates memory on every call, and its reduction waits.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <bench/gpu/kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <cub/version.cuh>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

template <class T>
enqueue_function thrust_call(verb v, std::size_t n) {
  return [=](cudaStream_t stream, void const* in, void* out) {
    auto const on = thrust::cuda::par_nosync.on(stream);
    auto const* const x = static_cast<T const*>(in);
    auto* const y = static_cast<T*>(out);
    if (v == verb::inclusive_scan)
      thrust::inclusive_scan(on, x, x + n, y);
    else if (v == verb::exclusive_scan)
      thrust::exclusive_scan(on, x, x + n, y);
    else
      (void)thrust::reduce(on, x, x + n);
  };
}

}  // namespace

void add_thrust(std::vector<gpu_call>& to, work const& w, std::size_t n) {
  if (w.op != operation::sum || (w.type != element::f32 && w.type != element::i32)) return;
  to.push_back({"thrust",
                w.type == element::f32 ? thrust_call<float>(w.verb, n)
                                       : thrust_call<std::int32_t>(w.verb, n),
                {},
                false});
}

char const* cub_name() {
  return UPSWEEP_GPU_BENCH_CUB;
}

std::string cub_title() {
  std::string const version = std::to_string(CUB_VERSION / 100000) + "." +
                              std::to_string(CUB_VERSION / 100 % 1000) + "." +
                              std::to_string(CUB_VERSION % 100);
  return (UPSWEEP_GPU_BENCH_CUB == std::string("cccl") ? "cccl " : "CUB ") + version;
}

}  // namespace upsweep::bench
