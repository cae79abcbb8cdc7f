/// Selections, histograms and sorts that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda/sort.cuh>
#include <upsweep/histogram.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

template <class T>
struct below {
  T level;
  __host__ __device__ bool operator()(T v) const { return v < level; }
};

template <class T>
void plan_select(upsweep::gpu const& on, bench::call const& c) {
  upsweep::select(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n), below<T>{});
}
void plan_select_positions(upsweep::gpu const& on, bench::call const& c) {
  upsweep::select_positions(on, bench::elements_in<float>(c),
                            bench::results_in<std::uint32_t>(c, c.n), below<float>{});
}
template <class T>
void plan_partition(upsweep::gpu const& on, bench::call const& c) {
  upsweep::partition(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                     bench::more_results_in<T>(c, c.n), below<T>{});
}
void plan_select_by_flags(upsweep::gpu const& on, bench::call const& c) {
  upsweep::select(on, bench::elements_in<float>(c), bench::flags_in(c),
                  bench::results_in<float>(c, c.n));
}
void plan_partition_in_three(upsweep::gpu const& on, bench::call const& c) {
  auto const more = bench::more_results_in<float>(c, 2 * c.n);
  upsweep::partition(on, bench::elements_in<float>(c), bench::results_in<float>(c, c.n),
                     more.first(c.n), more.last(c.n), below<float>{}, below<float>{});
}
template <class T>
void plan_unique(upsweep::gpu const& on, bench::call const& c) {
  upsweep::unique(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n));
}
template <class T>
void plan_runs(upsweep::gpu const& on, bench::call const& c) {
  upsweep::runs(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                bench::more_results_in<std::uint32_t>(c, c.n));
}

void plan_run_starts(upsweep::gpu const& on, bench::call const& c) {
  upsweep::run_starts(on, bench::elements_in<std::uint32_t>(c),
                      bench::results_in<std::uint32_t>(c, c.n));
}

template <class T>
void plan_even(upsweep::gpu const& on, bench::call const& c) {
  upsweep::histogram(on, bench::elements_in<T>(c), bench::results_in<std::uint32_t>(c, c.parts),
                     even{0, c.level});
}
template <class T>
void plan_given(upsweep::gpu const& on, bench::call const& c) {
  upsweep::histogram(on, bench::elements_in<T>(c), bench::results_in<std::uint32_t>(c, c.parts),
                     std::span<double const>(c.levels, c.parts + 1));
}
template <class T>
void plan_count_indices(upsweep::gpu const& on, bench::call const& c) {
  upsweep::count_indices(on, bench::elements_in<T>(c),
                         bench::results_in<std::uint32_t>(c, c.parts));
}

void plan_weighted_histogram(upsweep::gpu const& on, bench::call const& c) {
  upsweep::weighted_histogram(on, bench::elements_in<float>(c), bench::keys_in(c),
                              bench::results_in<std::uint32_t>(c, c.parts), even{0, c.level});
}

struct by_first {
  __host__ __device__ bool operator()(bench::ordered_pair const& a,
                                      bench::ordered_pair const& b) const {
    return a.first < b.first;
  }
};

template <class T>
void plan_sort(upsweep::gpu const& on, bench::call const& c) {
  upsweep::sort(on, bench::results_in<T>(c, c.n));
}
void plan_sort_by_key(upsweep::gpu const& on, bench::call const& c) {
  upsweep::sort_by_key(on, bench::results_in<std::uint32_t>(c, c.n),
                       bench::more_results_in<std::uint32_t>(c, c.n));
}
void plan_sort_by_order(upsweep::gpu const& on, bench::call const& c) {
  upsweep::sort(on, bench::results_in<bench::ordered_pair>(c, c.n), by_first{});
}
void plan_argsort(upsweep::gpu const& on, bench::call const& c) {
  upsweep::argsort(on, bench::elements_in<float>(c), bench::results_in<std::uint32_t>(c, c.n));
}
void plan_quantile(upsweep::gpu const& on, bench::call const& c) {
  (void)upsweep::quantile(on, bench::elements_in<float>(c), 0.5);
}
void plan_top(upsweep::gpu const& on, bench::call const& c) {
  upsweep::top(on, bench::elements_in<float>(c),
               bench::results_in<float>(c, std::min(bench::top_count, c.n)));
}

constexpr planned_verb elements[] = {
    {"select f32", plan_select<float>},
    {"select u32", plan_select<std::uint32_t>},
    {"select f64", plan_select<double>},
    {"select_positions f32", plan_select_positions},
    {"select flags f32", plan_select_by_flags},
    {"partition f32", plan_partition<float>},
    {"partition u32", plan_partition<std::uint32_t>},
    {"partition f64", plan_partition<double>},
    {"partition three f32", plan_partition_in_three},
    {"unique f32", plan_unique<float>},
    {"unique u32", plan_unique<std::uint32_t>},
    {"unique f64", plan_unique<double>},
    {"runs f32", plan_runs<float>},
    {"runs u32", plan_runs<std::uint32_t>},
    {"runs f64", plan_runs<double>},
    {"run_starts u32", plan_run_starts},
    {"histogram even u8", plan_even<std::uint8_t>},
    {"histogram even f32", plan_even<float>},
    {"histogram even u32", plan_even<std::uint32_t>},
    {"histogram given f32", plan_given<float>},
    {"weighted_histogram sum f32", plan_weighted_histogram},
    {"count_indices u8", plan_count_indices<std::uint8_t>},
    {"count_indices u32", plan_count_indices<std::uint32_t>},
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

std::span<planned_verb const> planned_elements() {
  return elements;
}

}  // namespace upsweep::cli::gpu
