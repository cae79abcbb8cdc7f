/// The functions of upsweep.h over segments, runs and windows.
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::c_api {
namespace {

using dynamic::verb;

upsweep_status run_segments(char const* function, verb v, upsweep_type type, upsweep_operator op,
                            void const* in, std::size_t n, std::uint64_t const* offsets,
                            std::size_t segments, upsweep_options const* options, void* out) {
  return guarded([&] {
    dynamic::call_entry const& e = entry_of(function, type, op);
    dynamic::request const how = request_of(function, options, e, 0);
    require_array(function, "in", type, in, "n", n);
    require_array(function, "offsets", UPSWEEP_U64, offsets, "segments", segments);
    require_pointer(function, "offsets", offsets);
    if (v == verb::reduce)
      require_array(function, "out", type_of(e.result), out, "segments", segments);
    else
      require_array(function, "out", type_of(e.result), out, "n", n);
    dynamic::run_segments(v, e, {in, n, offsets, segments}, how, out);
  });
}

upsweep_status scan_runs(char const* function, verb v, upsweep_type key_type, void const* keys,
                         upsweep_type type, upsweep_operator op, void const* in, std::size_t n,
                         upsweep_options const* options, void* out) {
  return guarded([&] {
    dynamic::dtype const key = element_of(function, key_type);
    dynamic::call_entry const& e = entry_of(function, type, op);
    dynamic::request const how = request_of(function, options, e, 0);
    require_array(function, "keys", key_type, keys, "n", n);
    require_array(function, "in", type, in, "n", n);
    require_array(function, "out", type_of(e.result), out, "n", n);
    dynamic::scan_runs(v, e, {key, keys, in, n}, how, out);
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_reduce_segments(upsweep_type type, upsweep_operator op, void const* in,
                                       size_t n, uint64_t const* offsets, size_t segments,
                                       upsweep_options const* options, void* out) {
  return c_api::run_segments("upsweep_reduce_segments", dynamic::verb::reduce, type, op, in, n,
                             offsets, segments, options, out);
}

upsweep_status upsweep_inclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                               void const* in, size_t n, uint64_t const* offsets,
                                               size_t segments, upsweep_options const* options,
                                               void* out) {
  return c_api::run_segments("upsweep_inclusive_scan_segments", dynamic::verb::inclusive_scan, type,
                             op, in, n, offsets, segments, options, out);
}

upsweep_status upsweep_exclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                               void const* in, size_t n, uint64_t const* offsets,
                                               size_t segments, upsweep_options const* options,
                                               void* out) {
  return c_api::run_segments("upsweep_exclusive_scan_segments", dynamic::verb::exclusive_scan, type,
                             op, in, n, offsets, segments, options, out);
}

upsweep_status upsweep_reduce_runs(upsweep_type key_type, void const* keys, upsweep_type type,
                                   upsweep_operator op, void const* in, size_t n,
                                   upsweep_options const* options, void* keys_out, void* out,
                                   size_t capacity, size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_reduce_runs";
    dynamic::dtype const key = c_api::element_of(function, key_type);
    dynamic::call_entry const& e = c_api::entry_of(function, type, op);
    dynamic::request const how = c_api::request_of(function, options, e, 0);
    c_api::require_array(function, "keys", key_type, keys, "n", n);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "keys_out", key_type, keys_out, "capacity", capacity);
    c_api::require_array(function, "out", c_api::type_of(e.result), out, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "out",
                       dynamic::reduce_runs(e, {key, keys, in, n}, how, keys_out, out, capacity),
                       capacity, count);
  });
}

upsweep_status upsweep_inclusive_scan_runs(upsweep_type key_type, void const* keys,
                                           upsweep_type type, upsweep_operator op, void const* in,
                                           size_t n, upsweep_options const* options, void* out) {
  return c_api::scan_runs("upsweep_inclusive_scan_runs", dynamic::verb::inclusive_scan, key_type,
                          keys, type, op, in, n, options, out);
}

upsweep_status upsweep_exclusive_scan_runs(upsweep_type key_type, void const* keys,
                                           upsweep_type type, upsweep_operator op, void const* in,
                                           size_t n, upsweep_options const* options, void* out) {
  return c_api::scan_runs("upsweep_exclusive_scan_runs", dynamic::verb::exclusive_scan, key_type,
                          keys, type, op, in, n, options, out);
}

upsweep_status upsweep_windowed(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                                size_t width, upsweep_options const* options, void* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_windowed";
    dynamic::call_entry const& e = c_api::entry_of(function, type, op);
    dynamic::request const how = c_api::request_of(function, options, e, 0);
    if (width == 0) c_api::refuse(function, "the width is 0; it must be at least 1");
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", c_api::type_of(e.result), out, "the number of windows",
                         n < width ? 0 : n - width + 1);
    dynamic::windowed(e, in, n, width, how, out);
  });
}
