/// The histograms of upsweep.h.
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::c_api {
namespace {

struct histogram_request {
  cpu on;
  bool closed_right;
};
histogram_request histogram_options_of(char const* function, upsweep_options const* options) {
  bool const closed_right = (known_options<upsweep_options>(function, options, UPSWEEP_OPTIONS_INIT,
                                                            "UPSWEEP_OPTIONS_INIT")
                                 .flags &
                             UPSWEEP_CLOSED_RIGHT) != 0;
  return {
      request_of(function, options, UPSWEEP_CLOSED_RIGHT, "flag is UPSWEEP_CLOSED_RIGHT", {}).on,
      closed_right};
}

/// Checks the arguments of a histogram, and calls count(executor, type, closed_right), which
/// returns the counts outside.
template <class F>
void run_histogram(char const* function, upsweep_type type, void const* in, std::size_t n,
                   std::size_t bins, upsweep_options const* options, std::uint64_t const* counts,
                   upsweep_outside_counts* outside, F const& count) {
  dynamic::dtype const element = element_of(function, type);
  auto const [on, closed_right] = histogram_options_of(function, options);
  require_array(function, "in", type, in, "n", n);
  require_array(function, "counts", UPSWEEP_U64, counts, "bins", bins);
  dynamic::counts_outside const found = count(on, element, closed_right);
  if (outside) *outside = {found.below, found.above, found.nan};
}

/// The same with weights; count(executor, array, closed_right).
template <class F>
void run_weighted(char const* function, upsweep_histogram_weights const* weights, upsweep_type type,
                  void const* in, std::size_t n, std::size_t bins, upsweep_options const* options,
                  void const* results, upsweep_outside_counts* outside, F const& count) {
  dynamic::dtype const element = element_of(function, type);
  require_pointer(function, "weights", weights);
  dynamic::call_entry const& e = entry_of(function, weights->type, weights->op);
  auto const [on, closed_right] = histogram_options_of(function, options);
  require_array(function, "in", type, in, "n", n);
  require_array(function, "weights->first", weights->type, weights->first, "n", n);
  require_array(function, "results", type_of(e.result), results, "bins", bins);
  dynamic::counts_outside const found =
      count(on, dynamic::weighted_array{element, in, e, weights->first, n}, closed_right);
  if (outside) *outside = {found.below, found.above, found.nan};
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_histogram(upsweep_type type, void const* in, size_t n, double low,
                                 double high, size_t bins, upsweep_options const* options,
                                 uint64_t* counts, upsweep_outside_counts* outside) {
  return c_api::guarded([&] {
    c_api::run_histogram("upsweep_histogram", type, in, n, bins, options, counts, outside,
                         [&](upsweep::cpu const& on, dynamic::dtype element, bool closed_right) {
                           return dynamic::histogram_even(on, element, in, n, low, high,
                                                          closed_right, counts, bins);
                         });
  });
}

upsweep_status upsweep_histogram_levels(upsweep_type type, void const* in, size_t n,
                                        double const* levels, size_t bins,
                                        upsweep_options const* options, uint64_t* counts,
                                        upsweep_outside_counts* outside) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_histogram_levels";
    c_api::require_array(function, "levels", UPSWEEP_F64, levels, "bins", bins);
    c_api::run_histogram(function, type, in, n, bins, options, counts, outside,
                         [&](upsweep::cpu const& on, dynamic::dtype element, bool closed_right) {
                           return dynamic::histogram_levels(on, element, in, n,
                                                            {dynamic::dtype::f64, levels},
                                                            closed_right, counts, bins);
                         });
  });
}

upsweep_status upsweep_weighted_histogram(upsweep_type type, void const* in,
                                          upsweep_histogram_weights const* weights, size_t n,
                                          double low, double high, size_t bins,
                                          upsweep_options const* options, void* results,
                                          upsweep_outside_counts* outside) {
  return c_api::guarded([&] {
    c_api::run_weighted(
        "upsweep_weighted_histogram", weights, type, in, n, bins, options, results, outside,
        [&](upsweep::cpu const& on, dynamic::weighted_array const& x, bool closed) {
          return dynamic::weighted_histogram_even(on, x, low, high, closed, results, bins);
        });
  });
}

upsweep_status upsweep_weighted_histogram_levels(upsweep_type type, void const* in,
                                                 upsweep_histogram_weights const* weights, size_t n,
                                                 double const* levels, size_t bins,
                                                 upsweep_options const* options, void* results,
                                                 upsweep_outside_counts* outside) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_weighted_histogram_levels";
    c_api::require_array(function, "levels", UPSWEEP_F64, levels, "bins", bins);
    c_api::run_weighted(function, weights, type, in, n, bins, options, results, outside,
                        [&](upsweep::cpu const& on, dynamic::weighted_array const& x, bool closed) {
                          return dynamic::weighted_histogram_levels(
                              on, x, {dynamic::dtype::f64, levels}, closed, results, bins);
                        });
  });
}

upsweep_status upsweep_count_indices(upsweep_type type, void const* in, size_t n,
                                     upsweep_options const* options, uint64_t* counts,
                                     size_t size) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_count_indices";
    auto const element = c_api::element_of(function, type);
    if (!dynamic::is_integer(element))
      c_api::refuse(function, "indices must be integers, not " + c_api::name_of(type),
                    UPSWEEP_UNSUPPORTED);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "counts", UPSWEEP_U64, counts, "size", size);
    dynamic::count_indices(on, element, in, n, counts, size);
  });
}
