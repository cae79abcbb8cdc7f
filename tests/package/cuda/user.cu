/// User code for GPUs, compiled to check for warnings: verbs and streams with operators of the
/// library and user-defined ones.
#include <upsweep/cuda.cuh>
#include <upsweep/ops/segmented.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <span>

/// Its comparison is not constexpr, and its function is for nvcc alone.
struct point {
  int x = 0, y = 0;
  __host__ __device__ bool operator==(point const& other) const {
    return x == other.x && y == other.y;
  }
};
struct join_points {
  __host__ __device__ point operator()(point const& a, point const& b) const {
    return {a.x + b.x, a.y > b.y ? a.y : b.y};
  }
};

/// Makes every call; `memory` is device memory.
template <class T, class Op>
void every_call(upsweep::gpu const& on, void* memory, std::size_t n, Op const& op) {
  using R = upsweep::result_t<Op, T>;
  std::span<T const> const in(static_cast<T const*>(memory), n);
  std::span<R> const out(static_cast<R*>(memory), n);
  (void)upsweep::reduce(on, in, op);
  upsweep::inclusive_scan(on, in, out, op);
  upsweep::scan_stream<T, Op, upsweep::gpu> sums(on, op);
  sums.inclusive(in, out);
  upsweep::reduce_stream<T, Op, upsweep::gpu> total(on, op);
  total.push(in);
  (void)total.result();
}

void everything(upsweep::gpu const& on, void* memory, std::size_t n);
void everything(upsweep::gpu const& on, void* memory, std::size_t n) {
  every_call<upsweep::flagged<point>>(on, memory, n, upsweep::segmented(join_points{}));
  every_call<std::int8_t>(on, memory, n, upsweep::plus{});
}

// The names of libcu++ and the library's beside each other.
using namespace upsweep;
__global__ void count(int* n) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*n).fetch_add(1, cuda::memory_order_relaxed);
}
void running_total(float* x, std::size_t n);
void running_total(float* x, std::size_t n) {
  inclusive_scan(gpu{}, std::span<float const>(x, n), std::span<float>(x, n));
}
