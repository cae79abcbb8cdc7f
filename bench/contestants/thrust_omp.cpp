/// Thrust's OpenMP backend, compiled by the host compiler.
#include <bench/contestants/thrust_calls.hpp>

#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/unique.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::bench {
namespace {

// Pointers, because Thrust's dispatch does not know std::span's iterators as contiguous.

template <class T>
void thrust_select(call& c) {
  auto const* const x = input<T>(c);
  T* const out = output<T>(c);
  auto const* const end =
      thrust::copy_if(thrust::omp::par, x, x + c.n, out,
                      [level = static_cast<T>(c.level)](T v) { return v < level; });
  c.count = static_cast<std::size_t>(end - out);
}

template <class T>
void thrust_select_by_flags(call& c) {
  auto const* const x = input<T>(c);
  T* const out = output<T>(c);
  auto const* const end = thrust::copy_if(thrust::omp::par, x, x + c.n, flags_in(c).data(), out,
                                          [](std::uint8_t flag) { return flag != 0; });
  c.count = static_cast<std::size_t>(end - out);
}

template <class T>
void thrust_partition(call& c) {
  auto const* const x = input<T>(c);
  T* const out = output<T>(c);
  auto const ends =
      thrust::stable_partition_copy(thrust::omp::par, x, x + c.n, out, static_cast<T*>(c.more),
                                    [level = static_cast<T>(c.level)](T v) { return v < level; });
  c.count = static_cast<std::size_t>(ends.first - out);
}

template <class T>
void thrust_unique(call& c) {
  auto const* const x = input<T>(c);
  T* const out = output<T>(c);
  c.count = static_cast<std::size_t>(thrust::unique_copy(thrust::omp::par, x, x + c.n, out) - out);
}

template <class T>
void thrust_reduce_runs(call& c) {
  T* const out = output<T>(c);
  auto const ends = thrust::reduce_by_key(thrust::omp::par, c.keys, c.keys + c.n, input<T>(c),
                                          static_cast<std::uint32_t*>(c.more), out);
  c.count = static_cast<std::size_t>(ends.second - out);
}

template <class T>
void thrust_scan_runs(call& c) {
  thrust::inclusive_scan_by_key(thrust::omp::par, c.keys, c.keys + c.n, input<T>(c), output<T>(c));
  c.count = c.n;
}

template <class T>
void thrust_sort(call& c) {
  thrust::sort(thrust::omp::par, output<T>(c), output<T>(c) + c.n);
  c.count = c.n;
}

void thrust_sort_by_key(call& c) {
  auto* const keys = output<std::uint32_t>(c);
  thrust::stable_sort_by_key(thrust::omp::par, keys, keys + c.n,
                             static_cast<std::uint32_t*>(c.more));
  c.count = c.n;
}

void thrust_sort_by_order(call& c) {
  auto* const x = output<ordered_pair>(c);
  thrust::stable_sort(thrust::omp::par, x, x + c.n, by_first{});
  c.count = c.n;
}

constexpr verb_entry calls[] = {
    {"select f32", thrust_select<float>},
    {"select u32", thrust_select<std::uint32_t>},
    {"select f64", thrust_select<double>},
    {"select flags f32", thrust_select_by_flags<float>},
    {"partition f32", thrust_partition<float>},
    {"partition u32", thrust_partition<std::uint32_t>},
    {"partition f64", thrust_partition<double>},
    {"unique f32", thrust_unique<float>},
    {"unique u32", thrust_unique<std::uint32_t>},
    {"unique f64", thrust_unique<double>},
    {"reduce_runs sum f32", thrust_reduce_runs<float>},
    {"reduce_runs sum f64", thrust_reduce_runs<double>},
    {"scan_runs sum f32", thrust_scan_runs<float>},
    {"scan_runs sum f64", thrust_scan_runs<double>},
    {"sort f32", thrust_sort<float>},
    {"sort u32", thrust_sort<std::uint32_t>},
    {"sort u64", thrust_sort<std::uint64_t>},
    {"sort_by_key u32", thrust_sort_by_key},
    {"sort_by_order pair", thrust_sort_by_order},
};

}  // namespace

registration const thrust_omp_registration{
    {"thrust-omp", "Thrust on OpenMP", true,
     find_in<thrust_on<std::remove_cvref_t<decltype(thrust::omp::par)>>::calls>, calls}};

}  // namespace upsweep::bench
