/// Selections that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda.cuh>

#include <cstdint>

namespace upsweep::cli::gpu {

namespace {

template <class T>
struct below {
  T level;
  __host__ __device__ bool operator()(T v) const { return v < level; }
};

template <class T>
void plan_select(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::select(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n), below<T>{});
}
template <class T>
void plan_partition(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::partition(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                     bench::more_results_in<T>(c, c.n), below<T>{});
}
template <class T>
void plan_unique(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::unique(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n));
}
template <class T>
void plan_runs(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::runs(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                bench::more_results_in<std::uint32_t>(c, c.n));
}

constexpr planned_verb selections[] = {
    {"select f32", plan_select<float>},
    {"select u32", plan_select<std::uint32_t>},
    {"select f64", plan_select<double>},
    {"partition f32", plan_partition<float>},
    {"partition u32", plan_partition<std::uint32_t>},
    {"partition f64", plan_partition<double>},
    {"unique f32", plan_unique<float>},
    {"unique u32", plan_unique<std::uint32_t>},
    {"unique f64", plan_unique<double>},
    {"runs f32", plan_runs<float>},
    {"runs u32", plan_runs<std::uint32_t>},
    {"runs f64", plan_runs<double>},
};

}  // namespace

std::span<planned_verb const> planned_selections() {
  return selections;
}

}  // namespace upsweep::cli::gpu
