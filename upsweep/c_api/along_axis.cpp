/// The functions of c_api/axis.h.
#include <upsweep/c_api/axis.h>
#include <upsweep/by_name/verbs/lines.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::c_api {
namespace {

using dynamic::verb;

/// The product, or SIZE_MAX if that is less.
std::size_t times(std::size_t a, std::size_t b) {
  return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/// The products of the extents before and after an axis, and its own.
struct extents {
  std::size_t outer = 1, size = 0, inner = 1;

  extents(char const* function, std::size_t const* shape, std::size_t dimensions, int axis) {
    if (!shape && dimensions > 0)
      refuse(function, "`shape` is NULL, but dimensions is " + std::to_string(dimensions));
    if (dimensions > most_dimensions)
      refuse(function, "dimensions is " + std::to_string(dimensions) + "; it is at most " +
                           std::to_string(most_dimensions));
    int const rank = static_cast<int>(dimensions), at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank)
      refuse(function, "there is no axis " + std::to_string(axis) + " in an array of " +
                           std::to_string(rank) + " dimensions" +
                           (rank == 0 ? std::string()
                                      : "; give 0 to " + std::to_string(rank - 1) + ", or -" +
                                            std::to_string(rank) + " to -1"));
    size = shape[at];
    for (int d = 0; d < at; ++d) outer = times(outer, shape[d]);
    for (int d = at + 1; d < rank; ++d) inner = times(inner, shape[d]);
  }

 private:
  static constexpr std::size_t most_dimensions = 1024;
};

upsweep_status run_along_axis(char const* function, verb v, upsweep_type type, upsweep_operator op,
                              void const* in, std::size_t const* shape, std::size_t dimensions,
                              int axis, upsweep_options const* options, void* out) {
  return guarded([&] {
    dynamic::call_entry const& e = entry_of(function, type, op);
    dynamic::request const how = request_of(function, options, e, flags_of(v));
    extents const x(function, shape, dimensions, axis);
    std::size_t const lines = times(x.outer, x.inner), n = times(lines, x.size),
                      results = v == verb::reduce ? lines : n;
    require_array(function, "in", type, in, "the number of elements", n);
    require_array(function, "out", type_of(e.result), out, "the number of results", results);
    dynamic::expect_apart(function, in, n * dynamic::bytes_in(e), out,
                          results * dynamic::bytes_out(e),
                          v != verb::reduce && e.element == e.result);
    if (results == 0) return;
    auto const from = dynamic::lines_of_array(in, dynamic::bytes_in(e), x.outer, x.size, x.inner);
    if (v == verb::reduce)
      dynamic::reduce_lines(e, from, how, out);
    else
      dynamic::scan_lines(
          v, e, from, how,
          dynamic::lines_of_array(out, dynamic::bytes_out(e), x.outer, x.size, x.inner));
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_reduce_along_axis(upsweep_type type, upsweep_operator op, void const* in,
                                         size_t const* shape, size_t dimensions, int axis,
                                         upsweep_options const* options, void* out) {
  return c_api::run_along_axis("upsweep_reduce_along_axis", dynamic::verb::reduce, type, op, in,
                               shape, dimensions, axis, options, out);
}

upsweep_status upsweep_inclusive_scan_along_axis(upsweep_type type, upsweep_operator op,
                                                 void const* in, size_t const* shape,
                                                 size_t dimensions, int axis,
                                                 upsweep_options const* options, void* out) {
  return c_api::run_along_axis("upsweep_inclusive_scan_along_axis", dynamic::verb::inclusive_scan,
                               type, op, in, shape, dimensions, axis, options, out);
}

upsweep_status upsweep_exclusive_scan_along_axis(upsweep_type type, upsweep_operator op,
                                                 void const* in, size_t const* shape,
                                                 size_t dimensions, int axis,
                                                 upsweep_options const* options, void* out) {
  return c_api::run_along_axis("upsweep_exclusive_scan_along_axis", dynamic::verb::exclusive_scan,
                               type, op, in, shape, dimensions, axis, options, out);
}
