/// Recurrences, rows and tables that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/padding.hpp>

namespace upsweep::cli::gpu {

namespace {

template <class T>
void plan_recurrence(upsweep::gpu const& on, bench::verb_call const& c) {
  upsweep::inclusive_scan(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                          recurrence({T{1}, T{-1}}));
}
void plan_polynomial(upsweep::gpu const& on, bench::verb_call const& c) {
  (void)upsweep::reduce(on, bench::elements_in<float>(c), polynomial(-1.0f));
}

constexpr std::size_t kept = 1000;  // elements of a row that is padded

void plan_pad(upsweep::gpu const& on, bench::verb_call const& c) {
  std::size_t const rows = c.n / c.parts;
  upsweep::pad(on, bench::results_in<float>(c, rows * c.parts), rows, kept, c.parts);
}
void plan_unpad(upsweep::gpu const& on, bench::verb_call const& c) {
  std::size_t const rows = c.n / c.parts;
  upsweep::unpad(on, bench::results_in<float>(c, rows * c.parts), rows, kept, c.parts);
}

/// Calls f(in, out) for matrices whose rows have c.parts elements.
template <class F>
void with_matrices(bench::verb_call const& c, F const& f) {
  std::size_t const rows = c.n / c.parts;
  f(strided_view<float const>(static_cast<float const*>(c.in), {rows, c.parts}),
    strided_view<float>(static_cast<float*>(c.out), {rows, c.parts}));
}
void plan_summed_area_table(upsweep::gpu const& on, bench::verb_call const& c) {
  with_matrices(c, [&](auto const& in, auto const& out) { apps::summed_area_table(in, out, on); });
}
template <int axis>
void plan_axis(upsweep::gpu const& on, bench::verb_call const& c) {
  with_matrices(c, [&](auto const& in, auto const& out) {
    upsweep::inclusive_scan(on, in, out, {.axis = axis});
  });
}

constexpr planned_verb lines[] = {
    {"recurrence f32", plan_recurrence<float>},
    {"recurrence f64", plan_recurrence<double>},
    {"polynomial f32", plan_polynomial},
    {"pad f32", plan_pad},
    {"unpad f32", plan_unpad},
    {"summed_area_table f32", plan_summed_area_table},
    {"scan_rows sum f32", plan_axis<1>},
    {"scan_columns sum f32", plan_axis<0>},
};

}  // namespace

std::span<planned_verb const> planned_lines() {
  return lines;
}

}  // namespace upsweep::cli::gpu
