/// The same reduction or scan on the CPU and on the GPU, as function pointers for measure().
#pragma once

#include <bench/rows/work.hpp>
#include <upsweep/cuda.hpp>

#include <cstddef>

namespace upsweep::cli::gpu {

/// The functions of one pair of operation and type. Arrays have n elements; a reduction stores its
/// result at `out`.
struct functions {
  bench::operation op;
  bench::element type;
  std::size_t element_bytes, result_bytes;
  void (*fill)(void* x, std::size_t n);
  void (*reduce_on_cpu)(int threads, void const* x, std::size_t n, void* out);
  void (*scan_on_cpu)(int threads, void const* x, std::size_t n, void* out);
  void (*reduce_on_gpu)(upsweep::gpu const& on, void const* x, std::size_t n, void* out);
  void (*scan_on_gpu)(upsweep::gpu const& on, void const* x, std::size_t n, void* out);
};

/// Throws usage_error if there is no such pair.
[[nodiscard]] functions const& functions_for(bench::operation op, bench::element type);

}  // namespace upsweep::cli::gpu
