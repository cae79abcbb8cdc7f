/// The verbs of `bench verbs`, and those of rows and tables, that only make plans.
#include <bench/contestants/our_calls.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda/sort.cuh>

#include <cstddef>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

/// Calls f(in, out) for matrices whose rows have c.parts elements.
template <class F>
void with_matrices(bench::call const& c, F const& f) {
  std::size_t const rows = c.n / c.parts;
  f(strided_view<float const>(static_cast<float const*>(c.in), {rows, c.parts}),
    strided_view<float>(static_cast<float*>(c.out), {rows, c.parts}));
}
void plan_summed_area_table(bench::call& c) {
  with_matrices(c, [&](auto const& in, auto const& out) {
    apps::summed_area_table(in, out, bench::on<upsweep::gpu>(c));
  });
}
template <int axis>
void plan_axis(bench::call& c) {
  with_matrices(c, [&](auto const& in, auto const& out) {
    upsweep::inclusive_scan(bench::on<upsweep::gpu>(c), in, out, {.axis = axis});
  });
}

constexpr bench::verb_entry tables[] = {{"summed_area_table f32", plan_summed_area_table},
                                        {"scan_rows sum f32", plan_axis<1>},
                                        {"scan_columns sum f32", plan_axis<0>}};

}  // namespace

std::vector<bench::verb_entries> planned_verbs() {
  using upsweep::gpu;
  return {bench::selections<gpu>, bench::counts<gpu>, bench::sorts<gpu>,
          bench::parts<gpu>,      bench::scans<gpu>,  tables};
}

}  // namespace upsweep::cli::gpu
