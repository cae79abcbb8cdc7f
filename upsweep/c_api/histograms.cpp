/// The histograms of upsweep.h.
#include <upsweep/c_api/requests.hpp>
#include <upsweep/dynamic/verbs/histograms.hpp>

namespace upsweep::c_api {
namespace {

/// Checks the arguments of a histogram, and calls count(executor, type, closed_right), which
/// returns the counts outside.
template <class F>
void run_histogram(char const* function, upsweep_type type, void const* in, std::size_t n,
                   std::size_t bins, upsweep_options const* options, std::uint64_t const* counts,
                   upsweep_outside_counts* outside, F const& count) {
  dynamic::dtype const element = element_of(function, type);
  bool const closed_right = (known_options<upsweep_options>(function, options, UPSWEEP_OPTIONS_INIT,
                                                            "UPSWEEP_OPTIONS_INIT")
                                 .flags &
                             UPSWEEP_CLOSED_RIGHT) != 0;
  cpu const on =
      request_of(function, options, UPSWEEP_CLOSED_RIGHT, "flag is UPSWEEP_CLOSED_RIGHT", {}).on;
  require_array(function, "in", type, in, "n", n);
  require_array(function, "counts", UPSWEEP_U64, counts, "bins", bins);
  dynamic::counts_outside const found = count(on, element, closed_right);
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
                           return dynamic::histogram_levels(on, element, in, n, levels,
                                                            closed_right, counts, bins);
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
      c_api::refuse(function, "only integers are indices, not " + c_api::name_of(type),
                    UPSWEEP_UNSUPPORTED);
    auto const on = c_api::executor_of(function, options);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "counts", UPSWEEP_U64, counts, "size", size);
    dynamic::count_indices(on, element, in, n, counts, size);
  });
}
