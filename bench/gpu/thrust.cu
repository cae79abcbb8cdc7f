/// Thrust, as its users call it: it allocates on every call, and its reduction waits.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <bench/gpu/line_up.hpp>
#include <cstdint>
#include <cub/version.cuh>

namespace upsweep::gpu_bench {
namespace {

template <class T>
enqueue_function thrust_call(work w, std::size_t n) {
  return [=](cudaStream_t stream, void const* in, void* out) {
    auto const on = thrust::cuda::par_nosync.on(stream);
    auto const* const x = static_cast<T const*>(in);
    auto* const y = static_cast<T*>(out);
    if (w == work::inclusive_scan)
      thrust::inclusive_scan(on, x, x + n, y);
    else if (w == work::exclusive_scan)
      thrust::exclusive_scan(on, x, x + n, y);
    else
      (void)thrust::reduce(on, x, x + n);
  };
}

}  // namespace

void add_thrust(std::vector<competitor>& to, std::string const& type, work w, std::size_t n) {
  if (type != "f32" && type != "i32") return;
  to.push_back({"thrust",
                type == "f32" ? thrust_call<float>(w, n) : thrust_call<std::int32_t>(w, n),
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

}  // namespace upsweep::gpu_bench
