/// Histograms that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/histogram.hpp>

#include <cstdint>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

template <class T>
void plan_even(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::histogram(on, bench::elements_in<T>(c), bench::results_in<std::uint32_t>(c, c.parts),
                     even{0, c.level});
}
template <class T>
void plan_given(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::histogram(on, bench::elements_in<T>(c), bench::results_in<std::uint32_t>(c, c.parts),
                     std::span<double const>(c.levels, c.parts + 1));
}
template <class T>
void plan_count_indices(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::count_indices(on, bench::elements_in<T>(c),
                         bench::results_in<std::uint32_t>(c, c.parts));
}

constexpr planned_verb counts[] = {
    {"histogram even u8", plan_even<std::uint8_t>},
    {"histogram even f32", plan_even<float>},
    {"histogram even u32", plan_even<std::uint32_t>},
    {"histogram given f32", plan_given<float>},
    {"count_indices u8", plan_count_indices<std::uint8_t>},
    {"count_indices u32", plan_count_indices<std::uint32_t>},
};

}  // namespace

std::span<planned_verb const> planned_counts() {
  return counts;
}

}  // namespace upsweep::cli::gpu
