/// Generates, combines and checks elements of one type: with Upsweep as a user calls it, and with
/// CUB on the same memory.
#pragma once

#include <bench/gpu/decoupled.hpp>
#include <bench/gpu/kinds.hpp>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <upsweep/cuda.cuh>
#include <upsweep/scan_stream.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::bench {

/// Small pseudo-random integers. Their sums, and compositions of maps x -> ±x + b, are exact in
/// every type and order.
__device__ inline std::uint32_t noise(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>(x >> 32);
}
__device__ inline int small_integer(std::uint32_t bits) {
  return static_cast<int>(bits % 7) - 3;
}

template <class S>
__global__ void fill_kernel(typename S::element* to, std::size_t n) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    to[i] = S::element_from(noise(i));
}
template <class S>
void fill(void* to, std::size_t n, cudaStream_t stream) {
  fill_kernel<S><<<1024, 256, 0, stream>>>(static_cast<typename S::element*>(to), n);
  check_cuda(cudaGetLastError(), "fill the input");
}

/// Upsweep as a user calls it. Plain calls use the workspace of the stream; recorded ones have
/// their own, as docs/cuda.md requires.
template <class S>
enqueue_function our_call(verb v, std::size_t n, std::shared_ptr<cuda_workspace> workspace) {
  using T = typename S::element;
  using Op = typename S::op;
  using R = result_t<Op, T>;
  return [=](cudaStream_t stream, void const* in, void* out) {
    gpu const on{stream, workspace.get()};
    std::span<T const> const x(static_cast<T const*>(in), n);
    std::span<T> const y(static_cast<T*>(out), n);
    if (v == verb::reduce) return upsweep::reduce_into(on, x, static_cast<R*>(out), Op{});
    if (v == verb::inclusive_scan)
      upsweep::inclusive_scan(on, x, y, Op{});
    else
      upsweep::exclusive_scan(on, x, y, Op{});
  };
}

/// One call of CUB; with temp == nullptr it only sets `bytes` to the size of the temporary storage.
template <class S>
cudaError_t call_cub(verb v, void* temp, std::size_t& bytes, void const* in, void* out, int n,
                     cudaStream_t stream) {
  auto const* const x = static_cast<typename S::cub_element const*>(in);
  auto* const y = static_cast<typename S::cub_element*>(out);
  typename S::cub_op const op{};
  if (v == verb::inclusive_scan)
    return cub::DeviceScan::InclusiveScan(temp, bytes, x, y, op, n, stream);
  if (v == verb::exclusive_scan)
    return cub::DeviceScan::ExclusiveScan(temp, bytes, x, y, op, S::cub_identity(), n, stream);
  if constexpr (S::has_cub_reduce) {
    using total = typename S::cub_total;
    return cub::DeviceReduce::Reduce(temp, bytes, x, static_cast<total*>(out), n, op,
                                     static_cast<total>(S::cub_identity()), stream);
  }
  return cudaErrorNotSupported;
}
/// n is an int, for which CUB's offset computation is fastest. The temporary storage is allocated
/// before anything is timed.
template <class S>
enqueue_function cub_call(verb v, std::size_t n) {
  int const count = static_cast<int>(n);
  std::size_t needed = 0;
  check_cuda(call_cub<S>(v, nullptr, needed, nullptr, nullptr, count, nullptr),
             "query the memory that CUB needs");
  auto const temp = std::make_shared<device_memory>(needed);
  return [=](cudaStream_t stream, void const* in, void* out) {
    std::size_t bytes = temp->size();
    check_cuda(call_cub<S>(v, temp->data(), bytes, in, out, count, stream), "run CUB");
  };
}

template <class S>
expected_result expected_from_cub(verb v, std::size_t n) {
  bool const scans = v == verb::reduce && !S::has_cub_reduce;
  return {cub_call<S>(scans ? verb::inclusive_scan : v, n), scans};
}

template <class S>
bool is_same_total(void const* ours, void const* theirs) {
  using R = result_t<typename S::op, typename S::element>;
  R mine{};
  typename S::cub_total other{};
  check_cuda(cudaMemcpy(&mine, ours, sizeof mine, cudaMemcpyDeviceToHost),
             "copy a total to the host");
  check_cuda(cudaMemcpy(&other, theirs, sizeof other, cudaMemcpyDeviceToHost),
             "copy a total to the host");
  if constexpr (sizeof mine == sizeof other && !std::is_arithmetic_v<R>)
    return std::memcmp(&mine, &other, sizeof mine) == 0;
  else
    return mine == static_cast<R>(other);
}

/// The inclusive scan with decoupled look-back, for sizes whose plan is the ring.
template <class S>
void add_decoupled(std::vector<gpu_call>& to, std::size_t n) {
  using T = typename S::element;
  using from = device::element_source<T, T const*, detail::as_is, typename S::op, false>;
  using into = device::element_sink<T, T*, typename S::op, false>;
  using A = typename from::accumulator;
  using shape = device::ring_shape<T, A>;
  cuda_device const device = cuda_device::current();
  cuda_plan const plan = device::pick_scan<from, T>(n, true, true, device);
  if (plan.algorithm != cuda_algorithm::scan_ring) return;
  auto const ring = device::ring_plan_for<shape, from>(device, n);
  auto const scratch = std::make_shared<device_memory>(plan.workspace_bytes);
  check_cuda(cudaMemset(scratch->data(), 0, scratch->size()), "clear a workspace");
  to.push_back(
      {"decoupled", [=](cudaStream_t stream, void const* in, void* out) {
         constexpr auto kernel =
             device::scan_ring<scan_kind::inclusive, shape, from, into, device::decoupled_parts>;
         device::launch<kernel>(
             plan, gpu{stream}, device, from{static_cast<T const*>(in), n, {}, {}, true},
             into{static_cast<T*>(out),
                  n,
                  {},
                  true,
                  device::output_leaves_cache_first(n * sizeof(T))},
             n, device::scan_start<A>{},
             device::workspace_words{reinterpret_cast<device::word*>(scratch->data())}, ring,
             device::whole_array<A, typename S::op, device::decoupled_parts>{});
       }});
}

/// Our inclusive scan as chunks of a stream that continues from call to call: one chunk, or four,
/// three of which begin inside a tile.
template <class S>
void add_streams(std::vector<gpu_call>& to, std::size_t n, cudaStream_t stream) {
  using T = typename S::element;
  using sums = scan_stream<T, typename S::op, gpu>;
  for (std::size_t const chunks : {std::size_t{1}, std::size_t{4}}) {
    auto const running = std::make_shared<sums>(gpu{stream});
    auto const enqueue = [=](cudaStream_t, void const* in, void* out) {
      for (std::size_t c = 0, begin = 0, end = 0; c < chunks; ++c, begin = end) {
        end = c + 1 == chunks ? n : n / chunks * (c + 1) + 17;
        running->inclusive(std::span(static_cast<T const*>(in) + begin, end - begin),
                           std::span(static_cast<T*>(out) + begin, end - begin));
      }
    };
    to.push_back({chunks == 1 ? "chunk" : "four_chunks", enqueue, {}, false});
  }
}

template <class S>
std::vector<gpu_call> all_calls(verb v, std::size_t n, cudaStream_t stream) {
  std::vector<gpu_call> all;
  all.push_back({"upsweep", our_call<S>(v, n, nullptr),
                 our_call<S>(v, n, std::make_shared<cuda_workspace>(stream))});
  if (v != verb::reduce || S::has_cub_reduce) all.push_back({cub_name(), cub_call<S>(v, n)});
  add_thrust(all, {v, S::combined_by, S::type}, n);
  if constexpr (requires { S::compares_look_backs; })
    if (v == verb::inclusive_scan) add_decoupled<S>(all, n);
  if constexpr (requires { S::comes_in_chunks; })
    if (v == verb::inclusive_scan && n >= 1024) add_streams<S>(all, n, stream);
  add_limits(all, {v, S::combined_by, S::type}, n);
  return all;
}

template <class S>
element_kind kind_for() {
  static_assert(sizeof(typename S::element) == sizeof(typename S::cub_element));
  return {S::combined_by, S::type, fill<S>, is_same_total<S>, expected_from_cub<S>, all_calls<S>};
}

/// Sums of numbers. `Cub` is CUB's type for the same number, `Total` the type of its total.
template <class T, class Cub = T, class Total = T, class CubOp = ::cuda::std::plus<>>
struct sums {
  using element = T;
  using op = plus;
  using cub_element = Cub;
  using cub_total = Total;
  using cub_op = CubOp;
  static constexpr operation combined_by = operation::sum;
  static constexpr bool has_cub_reduce = true;
  __device__ static T element_from(std::uint32_t bits) {
    return static_cast<T>(static_cast<float>(small_integer(bits)));
  }
  static auto cub_identity() { return Cub{}; }
};

}  // namespace upsweep::bench
