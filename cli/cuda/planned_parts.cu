/// Verbs over runs, segments, windows, rows and tables, and recurrences, that only make plans.
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/padding.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::cli::gpu {

namespace {

/// The sum as an operator of a user, which the library has no kernels for.
struct user_plus {
  [[nodiscard]] constexpr float identity() const { return 0; }
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

template <class T, class Op>
void plan_reduce_runs(upsweep::gpu const& on, bench::call const& c) {
  upsweep::reduce_runs(on, bench::keys_in(c), bench::elements_in<T>(c),
                       bench::more_results_in<std::uint32_t>(c, c.n), bench::results_in<T>(c, c.n),
                       Op{});
}
template <class T, class Op>
void plan_scan_runs(upsweep::gpu const& on, bench::call const& c) {
  upsweep::inclusive_scan_runs(on, bench::keys_in(c), bench::elements_in<T>(c),
                               bench::results_in<T>(c, c.n), Op{});
}
template <class T, class Op>
void plan_reduce_segments(upsweep::gpu const& on, bench::call const& c) {
  upsweep::reduce_segments(on, bench::elements_in<T>(c), bench::offsets_in(c),
                           bench::results_in<T>(c, c.parts), Op{});
}
template <class T, class Op>
void plan_scan_segments(upsweep::gpu const& on, bench::call const& c) {
  upsweep::inclusive_scan_segments(on, bench::elements_in<T>(c), bench::offsets_in(c),
                                   bench::results_in<T>(c, c.n), Op{});
}
template <class Op>
void plan_windowed(upsweep::gpu const& on, bench::call const& c) {
  upsweep::windowed(on, bench::elements_in<float>(c), c.parts,
                    bench::results_in<float>(c, c.n - c.parts + 1), Op{});
}

template <class T>
void plan_recurrence(upsweep::gpu const& on, bench::call const& c) {
  upsweep::inclusive_scan(on, bench::elements_in<T>(c), bench::results_in<T>(c, c.n),
                          recurrence({T{1}, T{-1}}));
}
void plan_continued_recurrence(upsweep::gpu const& on, bench::call const& c) {
  recurrence const op({1.0f, -1.0f});
  upsweep::inclusive_scan(on, bench::elements_in<float>(c), bench::results_in<float>(c, c.n), op,
                          {.initial = op.after({3.0f, -2.0f})});
}
void plan_polynomial(upsweep::gpu const& on, bench::call const& c) {
  (void)upsweep::reduce(on, bench::elements_in<float>(c), polynomial(-1.0f));
}

void plan_pad(upsweep::gpu const& on, bench::call const& c) {
  std::size_t const rows = bench::padded_rows(c);
  upsweep::pad(on, bench::results_in<float>(c, rows * c.parts), rows, bench::kept_columns, c.parts);
}
void plan_unpad(upsweep::gpu const& on, bench::call const& c) {
  std::size_t const rows = bench::padded_rows(c);
  upsweep::unpad(on, bench::results_in<float>(c, rows * c.parts), rows, bench::kept_columns,
                 c.parts);
}

/// Calls f(in, out) for matrices whose rows have c.parts elements.
template <class F>
void with_matrices(bench::call const& c, F const& f) {
  std::size_t const rows = c.n / c.parts;
  f(strided_view<float const>(static_cast<float const*>(c.in), {rows, c.parts}),
    strided_view<float>(static_cast<float*>(c.out), {rows, c.parts}));
}
void plan_summed_area_table(upsweep::gpu const& on, bench::call const& c) {
  with_matrices(c, [&](auto const& in, auto const& out) { apps::summed_area_table(in, out, on); });
}
template <int axis>
void plan_axis(upsweep::gpu const& on, bench::call const& c) {
  with_matrices(c, [&](auto const& in, auto const& out) {
    upsweep::inclusive_scan(on, in, out, {.axis = axis});
  });
}

constexpr planned_verb parts[] = {
    {"reduce_runs sum f32", plan_reduce_runs<float, plus>},
    {"reduce_runs sum f64", plan_reduce_runs<double, plus>},
    {"reduce_runs user f32", plan_reduce_runs<float, user_plus>},
    {"scan_runs sum f32", plan_scan_runs<float, plus>},
    {"scan_runs sum f64", plan_scan_runs<double, plus>},
    {"scan_runs user f32", plan_scan_runs<float, user_plus>},
    {"reduce_segments sum f32", plan_reduce_segments<float, plus>},
    {"reduce_segments sum f64", plan_reduce_segments<double, plus>},
    {"reduce_segments user f32", plan_reduce_segments<float, user_plus>},
    {"scan_segments sum f32", plan_scan_segments<float, plus>},
    {"scan_segments sum f64", plan_scan_segments<double, plus>},
    {"scan_segments user f32", plan_scan_segments<float, user_plus>},
    {"windowed sum f32", plan_windowed<plus>},
    {"windowed max f32", plan_windowed<max>},
    {"windowed user f32", plan_windowed<user_plus>},
    {"recurrence f32", plan_recurrence<float>},
    {"recurrence f64", plan_recurrence<double>},
    {"recurrence initial f32", plan_continued_recurrence},
    {"polynomial f32", plan_polynomial},
    {"pad f32", plan_pad},
    {"unpad f32", plan_unpad},
    {"summed_area_table f32", plan_summed_area_table},
    {"scan_rows sum f32", plan_axis<1>},
    {"scan_columns sum f32", plan_axis<0>},
};

}  // namespace

std::span<planned_verb const> planned_parts() {
  return parts;
}

}  // namespace upsweep::cli::gpu
