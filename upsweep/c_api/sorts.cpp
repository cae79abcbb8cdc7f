/// The sorts and order statistics of upsweep.h.
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>

namespace upsweep::c_api {
namespace {

dynamic::request sort_request(char const* function, upsweep_options const* options) {
  return request_of(function, options, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE", {});
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_sort(upsweep_type type, void const* in, size_t n,
                            upsweep_options const* options, void* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_sort";
    auto const element = c_api::element_of(function, type);
    auto const how = c_api::sort_request(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", type, out, "n", n);
    dynamic::sort(how.on, element, in, n, how.reverse, out);
  });
}

upsweep_status upsweep_argsort(upsweep_type type, void const* in, size_t n,
                               upsweep_options const* options, uint64_t* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_argsort";
    auto const element = c_api::element_of(function, type);
    auto const how = c_api::sort_request(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", UPSWEEP_U64, out, "n", n);
    dynamic::argsort(how.on, element, in, n, how.reverse, out);
  });
}

upsweep_status upsweep_sort_by_key(upsweep_type key_type, void* keys, upsweep_type type,
                                   void* values, size_t n, upsweep_options const* options) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_sort_by_key";
    auto const key = c_api::element_of(function, key_type);
    auto const value = c_api::element_of(function, type);
    auto const how = c_api::sort_request(function, options);
    c_api::require_array(function, "keys", key_type, keys, "n", n);
    c_api::require_array(function, "values", type, values, "n", n);
    dynamic::sort_by_key(how.on, key, keys, value, values, n, how.reverse);
  });
}

upsweep_status upsweep_top(upsweep_type type, void const* in, size_t n, size_t k,
                           upsweep_options const* options, void* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_top";
    auto const element = c_api::element_of(function, type);
    auto const how = c_api::sort_request(function, options);
    std::size_t const count = k < n ? k : n;
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", type, out, "the number of results", count);
    dynamic::top(how.on, element, in, n, !how.reverse, out, count);
  });
}

upsweep_status upsweep_quantile(upsweep_type type, void const* in, size_t n, double const* q,
                                size_t count, upsweep_options const* options, double* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_quantile";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "q", UPSWEEP_F64, q, "count", count);
    c_api::require_array(function, "out", UPSWEEP_F64, out, "count", count);
    dynamic::quantiles(on, element, in, n, q, count, out);
  });
}
