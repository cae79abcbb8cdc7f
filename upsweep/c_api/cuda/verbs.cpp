/// The selections, histograms and verbs over segments of upsweep_cuda.h. They call the library's
/// compiled kernels as any file does that is compiled without nvcc.
#include <upsweep/c_api/cuda/calls.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::c_api {
namespace {

using compared_elements = dynamic::join<dynamic::integers, dynamic::wide_floats>;

/// The executor of a call that takes no initial value, and stores its counts at `counts`.
gpu counting_executor(char const* function, upsweep_cuda_options const* options, unsigned flags,
                      char const* flag_names, char const* name, void* counts, CUstream_st* stream) {
  require_pointer(function, name, counts);
  require_array(function, name, UPSWEEP_U64, counts, "its size", 1);
  gpu on = executor_of(checked_options(function, options, flags, flag_names, {}), stream);
  on.count_to = static_cast<std::uint64_t*>(counts);
  return on;
}
gpu counting_executor(char const* function, upsweep_cuda_options const* options, char const* name,
                      void* counts, CUstream_st* stream) {
  return counting_executor(function, options, 0, "flag is UPSWEEP_CUDA_ANY_BLOCK_ORDER", name,
                           counts, stream);
}

/// The histogram in the bins that make_bins() returns after the checks.
template <class F>
upsweep_status run_histogram(char const* function, upsweep_type type, void const* in, std::size_t n,
                             std::size_t bins, upsweep_cuda_options const* options,
                             std::uint64_t* counts, upsweep_outside_counts* outside,
                             CUstream_st* stream, F const& make_bins) {
  static_assert(sizeof(upsweep_outside_counts) == 3 * sizeof(std::uint64_t));
  return guarded_on_device([&] {
    with_type(function, type, device::histogram_elements(), [&]<class T>() {
      gpu const on =
          counting_executor(function, options, UPSWEEP_CLOSED_RIGHT,
                            "flags are UPSWEEP_CLOSED_RIGHT and UPSWEEP_CUDA_ANY_BLOCK_ORDER",
                            "outside", outside, stream);
      require_array(function, "in", type, in, "n", n);
      require_array(function, "counts", UPSWEEP_U64, counts, "bins", bins);
      bool const closed = options && (options->flags & UPSWEEP_CLOSED_RIGHT) != 0;
      upsweep::histogram(on, elements<T>(in, n), std::span(counts, bins), make_bins(),
                         {.closed_right = closed});
    });
  });
}

/// Checks the arguments of a verb over segments, and calls
/// f(executor, elements, offsets, options) with the elements' type.
template <class F>
upsweep_status run_segments(char const* function, upsweep_type type, upsweep_operator op,
                            void const* in, std::size_t n, std::uint64_t const* offsets,
                            std::size_t segments, upsweep_cuda_options const* options,
                            CUstream_st* stream, F const& f) {
  return guarded_on_device([&] {
    require_known(function, type, op);
    if (op != UPSWEEP_SUM)
      refuse(function,
             "the library has no CUDA kernel for segments by " + name_of(op) +
                 ", only by UPSWEEP_SUM; upsweep.h has it on the CPU",
             UPSWEEP_UNSUPPORTED);
    with_type(function, type, dynamic::four_widest(), [&]<class T>() {
      using A = accumulator_t<plus, T>;
      auto const o = checked_options(function, options, 0, "flag is UPSWEEP_CUDA_ANY_BLOCK_ORDER",
                                     type_of(dynamic::dtype_of<A>));
      require_array(function, "in", type, in, "n", n);
      require_pointer(function, "offsets", offsets);
      require_array(function, "offsets", UPSWEEP_U64, offsets, "segments", segments);
      upsweep::options<A> how;
      if (o.initial) how.initial = *static_cast<A const*>(o.initial);
      f(executor_of(o, stream), elements<T>(in, n), std::span(offsets, segments + 1), how);
    });
  });
}

/// The scan of segments that scan(executor, elements, offsets, results, plus, options) makes.
template <class Scan>
upsweep_status run_scans(char const* function, upsweep_type type, upsweep_operator op,
                         void const* in, std::size_t n, std::uint64_t const* offsets,
                         std::size_t segments, upsweep_cuda_options const* options, void* out,
                         CUstream_st* stream, Scan const& scan) {
  return run_segments(function, type, op, in, n, offsets, segments, options, stream,
                      [&]<class T, class A>(gpu const& on, std::span<T const> x, auto borders,
                                            upsweep::options<A> const& how) {
                        require_array(function, "out", type, out, "n", n);
                        scan(on, x, borders, elements<T>(out, n), plus{}, how);
                      });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_cuda_select(upsweep_type type, void const* in, uint8_t const* flags,
                                   size_t n, upsweep_cuda_options const* options, void* out,
                                   size_t capacity, uint64_t* count, CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const function = "upsweep_cuda_select";
    c_api::with_type(function, type, upsweep::dynamic::numbers(), [&]<class T>() {
      auto const on = c_api::counting_executor(function, options, "count", count, stream);
      c_api::require_array(function, "in", type, in, "n", n);
      c_api::require_array(function, "flags", UPSWEEP_U8, flags, "n", n);
      c_api::require_array(function, "out", type, out, "capacity", capacity);
      upsweep::select(on, c_api::elements<T>(in, n), std::span(flags, n),
                      c_api::elements<T>(out, capacity));
    });
  });
}

upsweep_status upsweep_cuda_select_positions(uint8_t const* flags, size_t n,
                                             upsweep_cuda_options const* options, uint64_t* out,
                                             size_t capacity, uint64_t* count,
                                             CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const function = "upsweep_cuda_select_positions";
    auto const on = c_api::counting_executor(function, options, "count", count, stream);
    c_api::require_array(function, "flags", UPSWEEP_U8, flags, "n", n);
    c_api::require_array(function, "out", UPSWEEP_U64, out, "capacity", capacity);
    upsweep::select_positions(on, std::span(flags, n), std::span(out, capacity));
  });
}

upsweep_status upsweep_cuda_unique(upsweep_type type, void const* in, size_t n,
                                   upsweep_cuda_options const* options, void* out, size_t capacity,
                                   uint64_t* count, CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const function = "upsweep_cuda_unique";
    c_api::with_type(function, type, c_api::compared_elements(), [&]<class T>() {
      auto const on = c_api::counting_executor(function, options, "count", count, stream);
      c_api::require_array(function, "in", type, in, "n", n);
      c_api::require_array(function, "out", type, out, "capacity", capacity);
      upsweep::unique(on, c_api::elements<T>(in, n), c_api::elements<T>(out, capacity));
    });
  });
}

upsweep_status upsweep_cuda_histogram(upsweep_type type, void const* in, size_t n, double low,
                                      double high, size_t bins, upsweep_cuda_options const* options,
                                      uint64_t* counts, upsweep_outside_counts* outside,
                                      CUstream_st* stream) {
  return c_api::run_histogram("upsweep_cuda_histogram", type, in, n, bins, options, counts, outside,
                              stream, [&] { return upsweep::even{low, high}; });
}

upsweep_status upsweep_cuda_histogram_levels(upsweep_type type, void const* in, size_t n,
                                             double const* levels, size_t bins,
                                             upsweep_cuda_options const* options, uint64_t* counts,
                                             upsweep_outside_counts* outside, CUstream_st* stream) {
  char const* const function = "upsweep_cuda_histogram_levels";
  return c_api::run_histogram(function, type, in, n, bins, options, counts, outside, stream, [&] {
    c_api::require_array(function, "levels", UPSWEEP_F64, levels, "bins", bins);
    return std::span(levels, levels ? bins + 1 : 0);
  });
}

upsweep_status upsweep_cuda_count_indices(upsweep_type type, void const* in, size_t n,
                                          upsweep_cuda_options const* options, uint64_t* counts,
                                          size_t size, uint64_t* refused, CUstream_st* stream) {
  return c_api::guarded_on_device([&] {
    char const* const function = "upsweep_cuda_count_indices";
    c_api::with_type(function, type, upsweep::device::index_elements(), [&]<class T>() {
      auto const on = c_api::counting_executor(function, options, "refused", refused, stream);
      c_api::require_array(function, "in", type, in, "n", n);
      c_api::require_array(function, "counts", UPSWEEP_U64, counts, "size", size);
      upsweep::count_indices(on, c_api::elements<T>(in, n), std::span(counts, size));
    });
  });
}

upsweep_status upsweep_cuda_reduce_segments(upsweep_type type, upsweep_operator op, void const* in,
                                            size_t n, uint64_t const* offsets, size_t segments,
                                            upsweep_cuda_options const* options, void* out,
                                            CUstream_st* stream) {
  char const* const function = "upsweep_cuda_reduce_segments";
  return c_api::run_segments(
      function, type, op, in, n, offsets, segments, options, stream,
      [&]<class T, class A>(upsweep::gpu const& on, std::span<T const> x, auto borders,
                            upsweep::options<A> const& how) {
        c_api::require_array(function, "out", c_api::type_of(upsweep::dynamic::dtype_of<A>), out,
                             "segments", segments);
        upsweep::reduce_segments(on, x, borders, c_api::elements<A>(out, segments), upsweep::plus{},
                                 how);
      });
}

upsweep_status upsweep_cuda_inclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                                    void const* in, size_t n,
                                                    uint64_t const* offsets, size_t segments,
                                                    upsweep_cuda_options const* options, void* out,
                                                    CUstream_st* stream) {
  return c_api::run_scans(
      "upsweep_cuda_inclusive_scan_segments", type, op, in, n, offsets, segments, options, out,
      stream, [](auto const&... arguments) { upsweep::inclusive_scan_segments(arguments...); });
}

upsweep_status upsweep_cuda_exclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                                    void const* in, size_t n,
                                                    uint64_t const* offsets, size_t segments,
                                                    upsweep_cuda_options const* options, void* out,
                                                    CUstream_st* stream) {
  return c_api::run_scans(
      "upsweep_cuda_exclusive_scan_segments", type, op, in, n, offsets, segments, options, out,
      stream, [](auto const&... arguments) { upsweep::exclusive_scan_segments(arguments...); });
}
