/// Upsweep's segments, reductions and scans by key, and windows.
#include <bench/contestants/ours.hpp>

#include <upsweep/by_key.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/windowed.hpp>

#include <cstdint>

namespace upsweep::bench {
namespace {

/// The sum as an operator of a user, which the library has no kernels for.
template <class T>
constexpr auto user_plus = monoid([](T a, T b) { return a + b; }, T{});

template <class T, auto op>
void run_reduce_runs(call& c) {
  c.count = upsweep::reduce_runs(cpu{.threads = c.threads}, keys_in(c), elements_in<T>(c),
                                 more_results_in<std::uint32_t>(c, c.n), results_in<T>(c, c.n), op);
}

template <class T, auto op>
void run_scan_runs(call& c) {
  upsweep::inclusive_scan_runs(cpu{.threads = c.threads}, keys_in(c), elements_in<T>(c),
                               results_in<T>(c, c.n), op);
  c.count = c.n;
}

template <class T, auto op>
void run_reduce_segments(call& c) {
  upsweep::reduce_segments(cpu{.threads = c.threads}, elements_in<T>(c), offsets_in(c),
                           results_in<T>(c, c.parts), op);
  c.count = c.parts;
}

template <class T, auto op>
void run_scan_segments(call& c) {
  upsweep::inclusive_scan_segments(cpu{.threads = c.threads}, elements_in<T>(c), offsets_in(c),
                                   results_in<T>(c, c.n), op);
  c.count = c.n;
}

template <class T, auto op>
void run_windowed(call& c) {
  c.count = c.n - c.parts + 1;
  upsweep::windowed(cpu{.threads = c.threads}, elements_in<T>(c), c.parts,
                    results_in<T>(c, c.count), op);
}

constexpr verb_entry parts[] = {
    {"reduce_runs sum f32", run_reduce_runs<float, plus{}>},
    {"reduce_runs sum f64", run_reduce_runs<double, plus{}>},
    {"reduce_runs user f32", run_reduce_runs<float, user_plus<float>>},
    {"scan_runs sum f32", run_scan_runs<float, plus{}>},
    {"scan_runs sum f64", run_scan_runs<double, plus{}>},
    {"scan_runs user f32", run_scan_runs<float, user_plus<float>>},
    {"reduce_segments sum f32", run_reduce_segments<float, plus{}>},
    {"reduce_segments sum f64", run_reduce_segments<double, plus{}>},
    {"reduce_segments user f32", run_reduce_segments<float, user_plus<float>>},
    {"scan_segments sum f32", run_scan_segments<float, plus{}>},
    {"scan_segments sum f64", run_scan_segments<double, plus{}>},
    {"scan_segments user f32", run_scan_segments<float, user_plus<float>>},
    {"windowed sum f32", run_windowed<float, plus{}>},
    {"windowed max f32", run_windowed<float, max{}>},
    {"windowed user f32", run_windowed<float, user_plus<float>>},
};

}  // namespace

verb_entries our_parts() {
  return parts;
}

}  // namespace upsweep::bench
