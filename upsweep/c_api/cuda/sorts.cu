/// The sorts of upsweep_cuda.h, by those that the library has compiled.
#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/cuda/calls.hpp>
#include <upsweep/cuda.hpp>
#include <upsweep/cuda/check.cuh>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::c_api {
namespace {

using key_types =
    dynamic::types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

/// Calls f(less) with the order of the options.
template <class F>
void with_order(char const* verb, upsweep_cuda_options const* given, F const& f) {
  auto const o = known_options<upsweep_cuda_options>(verb, given, UPSWEEP_CUDA_OPTIONS_INIT,
                                                     "UPSWEEP_CUDA_OPTIONS_INIT");
  require_mode_and_flags(verb, o.mode, o.flags, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE");
  if ((o.flags & UPSWEEP_REVERSE) != 0)
    f(descending{});
  else
    f(ascending{});
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_cuda_sort(upsweep_type type, void const* in, size_t n,
                                 upsweep_cuda_options const* options, void* out,
                                 CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const verb = "upsweep_cuda_sort";
    c_api::with_type(verb, type, c_api::key_types(), [&]<class T>() {
      c_api::require_arrays(verb, type, in, n, type, out, n > 0);
      c_api::with_order(verb, options, [&](auto less) {
        auto const x = c_api::elements<T>(out, n);
        upsweep::detail::expect_apart<true>(verb, c_api::elements<T>(in, n), x);
        if (in != out && n > 0)
          upsweep::check_cuda(
              cudaMemcpyAsync(out, in, n * sizeof(T), cudaMemcpyDeviceToDevice, stream),
              "copy the elements");
        upsweep::sort(upsweep::gpu{stream}, x, less);
      });
    });
  });
}

upsweep_status upsweep_cuda_argsort(upsweep_type type, void const* in, size_t n,
                                    upsweep_cuda_options const* options, uint64_t* out,
                                    CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const verb = "upsweep_cuda_argsort";
    c_api::with_type(verb, type, c_api::key_types(), [&]<class T>() {
      c_api::require_arrays(verb, type, in, n, UPSWEEP_U64, out, n > 0);
      c_api::with_order(verb, options, [&](auto less) {
        upsweep::argsort(upsweep::gpu{stream}, c_api::elements<T>(in, n), std::span(out, n), less);
      });
    });
  });
}

upsweep_status upsweep_cuda_sort_by_key(upsweep_type key_type, void* keys, upsweep_type type,
                                        void* values, size_t n, upsweep_cuda_options const* options,
                                        CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const verb = "upsweep_cuda_sort_by_key";
    c_api::require_known(verb, type, UPSWEEP_SUM);
    std::size_t const size = upsweep_type_size(type);
    if (size < 4)
      c_api::refuse(verb,
                    "values of a CUDA sort must have 4 or 8 bytes, unlike " + c_api::name_of(type),
                    UPSWEEP_UNSUPPORTED);
    c_api::with_type(verb, key_type, c_api::key_types(), [&]<class T>() {
      c_api::require_arrays(verb, key_type, keys, n, type, values, n > 0);
      c_api::with_order(verb, options, [&](auto less) {
        auto const sorted = [&]<class V>(V) {
          upsweep::sort_by_key(upsweep::gpu{stream}, c_api::elements<T>(keys, n),
                               c_api::elements<V>(values, n), less);
        };
        if (size == 4)
          sorted(std::uint32_t{});
        else
          sorted(std::uint64_t{});
      });
    });
  });
}
