/// The selections of upsweep.h, and pad and unpad.
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>
#include <string>

namespace upsweep::c_api {
namespace {

void require_rows(char const* function, upsweep_type type, void const* x, std::size_t rows,
                  std::size_t columns, std::size_t padded) {
  if (columns > padded)
    refuse(function, "columns is " + std::to_string(columns) + ", but padded is only " +
                         std::to_string(padded));
  if (padded > 0 && rows > SIZE_MAX / 16 / padded)
    refuse(function, std::to_string(rows) + " rows of " + std::to_string(padded) +
                         " are more elements than memory can hold");
  require_array(function, "x", type, x, "rows * padded", rows * padded);
}

}  // namespace
}  // namespace upsweep::c_api

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

upsweep_status upsweep_partition_three_way(upsweep_type type, void const* in, uint8_t const* parts,
                                           size_t n, upsweep_options const* options,
                                           void* const out[3], size_t const capacity[3],
                                           size_t count[3]) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partition_three_way";
    static constexpr char const *outputs[3] = {"out[0]", "out[1]", "out[2]"},
                                *rooms[3] = {"capacity[0]", "capacity[1]", "capacity[2]"};
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "parts", UPSWEEP_U8, parts, "n", n);
    c_api::require_pointer(function, "out", out);
    c_api::require_pointer(function, "capacity", capacity);
    c_api::require_pointer(function, "count", count);
    for (int k = 0; k < 3; ++k)
      c_api::require_array(function, outputs[k], type, out[k], rooms[k], capacity[k]);
    auto const found =
        dynamic::partition(on, element, in, parts, n,
                           {{{out[0], capacity[0]}, {out[1], capacity[1]}, {out[2], capacity[2]}}});
    for (std::size_t k = 0; k < 3; ++k) count[k] = found[k];
    for (std::size_t k = 0; k < 3; ++k)
      c_api::require_room(function, outputs[k], found[k], capacity[k]);
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

upsweep_status upsweep_pad(upsweep_type type, void* x, size_t rows, size_t columns, size_t padded,
                           void const* fill, upsweep_options const* options) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_pad";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_rows(function, type, x, rows, columns, padded);
    if (c_api::misaligned(fill, upsweep_type_size(type)))
      c_api::refuse(function, "`fill` is not aligned to its type, " + c_api::name_of(type));
    dynamic::pad(on, element, x, {rows, columns, padded}, fill);
  });
}

upsweep_status upsweep_unpad(upsweep_type type, void* x, size_t rows, size_t columns, size_t padded,
                             upsweep_options const* options) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_unpad";
    auto const element = c_api::element_of(function, type);
    auto const on = c_api::executor_of(function, options);
    c_api::require_rows(function, type, x, rows, columns, padded);
    dynamic::unpad(on, element, x, {rows, columns, padded});
  });
}
