/// The selections of upsweep.h.
#include <upsweep/c_api/requests.hpp>
#include <upsweep/dynamic/verbs/selections.hpp>

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_select(upsweep_type type, void const* in, uint8_t const* flags, size_t n,
                              upsweep_options const* options, void* out, size_t capacity,
                              size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_select";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "flags", UPSWEEP_U8, flags, "n", n);
    c_api::require_array(function, "out", type, out, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "out", dynamic::select(on, element, in, flags, n, out, capacity),
                       capacity, count);
  });
}

upsweep_status upsweep_select_positions(uint8_t const* flags, size_t n,
                                        upsweep_options const* options, uint64_t* out,
                                        size_t capacity, size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_select_positions";
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "flags", UPSWEEP_U8, flags, "n", n);
    c_api::require_array(function, "out", UPSWEEP_U64, out, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "out", dynamic::select_positions(on, flags, n, out, capacity),
                       capacity, count);
  });
}

upsweep_status upsweep_partition(upsweep_type type, void const* in, uint8_t const* flags, size_t n,
                                 upsweep_options const* options, void* yes, size_t yes_capacity,
                                 void* no, size_t no_capacity, size_t* yes_count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partition";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "flags", UPSWEEP_U8, flags, "n", n);
    c_api::require_array(function, "yes", type, yes, "yes_capacity", yes_capacity);
    c_api::require_array(function, "no", type, no, "no_capacity", no_capacity);
    c_api::require_pointer(function, "yes_count", yes_count);
    std::size_t const count =
        dynamic::partition(on, element, in, flags, n, yes, yes_capacity, no, no_capacity);
    c_api::store_count(function, "yes", count, yes_capacity, yes_count);
    c_api::require_room(function, "no", n - count, no_capacity);
  });
}

upsweep_status upsweep_unique(upsweep_type type, void const* in, size_t n,
                              upsweep_options const* options, void* out, size_t capacity,
                              size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_unique";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", type, out, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "out", dynamic::unique(on, element, in, n, out, capacity),
                       capacity, count);
  });
}

upsweep_status upsweep_runs(upsweep_type type, void const* in, size_t n,
                            upsweep_options const* options, void* values, uint64_t* lengths,
                            size_t capacity, size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_runs";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "values", type, values, "capacity", capacity);
    c_api::require_array(function, "lengths", UPSWEEP_U64, lengths, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "values",
                       dynamic::runs(on, element, in, n, values, lengths, capacity), capacity,
                       count);
  });
}
