/// Sorts, quantiles and the largest elements that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda/sort.cuh>

#include <algorithm>
#include <cstdint>

namespace upsweep::cli::gpu {

namespace {

struct by_first {
  __host__ __device__ bool operator()(bench::ordered_pair const& a,
                                      bench::ordered_pair const& b) const {
    return a.first < b.first;
  }
};

template <class T>
void plan_sort(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::sort(on, bench::results_in<T>(c, c.n));
}
void plan_sort_by_key(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::sort_by_key(on, bench::results_in<std::uint32_t>(c, c.n),
                       bench::more_results_in<std::uint32_t>(c, c.n));
}
void plan_sort_by_order(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::sort(on, bench::results_in<bench::ordered_pair>(c, c.n), by_first{});
}
void plan_argsort(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::argsort(on, bench::elements_in<float>(c), bench::results_in<std::uint32_t>(c, c.n));
}
void plan_quantile(upsweep::gpu const& on, bench::verb_call const& c) {
  (void)upsweep::quantile(on, bench::elements_in<float>(c), 0.5);
}
void plan_top(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::top(on, bench::elements_in<float>(c),
               bench::results_in<float>(c, std::min(bench::top_count, c.n)));
}

constexpr planned_verb sorts[] = {
    {"sort f32", plan_sort<float>},
    {"sort u32", plan_sort<std::uint32_t>},
    {"sort u64", plan_sort<std::uint64_t>},
    {"sort_by_key u32", plan_sort_by_key},
    {"sort_by_order pair", plan_sort_by_order},
    {"argsort f32", plan_argsort},
    {"quantile f32", plan_quantile},
    {"top f32", plan_top},
};

}  // namespace

std::span<planned_verb const> planned_sorts() {
  return sorts;
}

}  // namespace upsweep::cli::gpu
