/// The same work on the processor and on the GPU, behind pointers: what measure() times.
#pragma once

#include <bench/harness/work.hpp>
#include <upsweep/cuda.hpp>

#include <cstddef>

namespace upsweep::cli::gpu {

/// One pair. Arrays hold n elements; a reduction's result lies where `out` points.
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

/// Throws usage_error when there is no such pair.
[[nodiscard]] functions const& functions_for(bench::operation op, bench::element type);

}  // namespace upsweep::cli::gpu
