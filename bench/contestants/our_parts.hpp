/// Segments, reductions and scans by key, and windows.
#pragma once

#include <bench/contestants/our_calls.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/windowed.hpp>

#include <cstdint>

namespace upsweep::bench {

/// The sum as an operator of a user, which the library has no kernels for.
struct user_plus {
  [[nodiscard]] constexpr float identity() const { return 0; }
  UPSWEEP_BOTH constexpr float operator()(float a, float b) const { return a + b; }
};

template <class On, class T, auto op>
void run_reduce_runs(call& c) {
  c.count = upsweep::reduce_runs(on<On>(c), keys_in(c), elements_in<T>(c),
                                 more_results_in<std::uint32_t>(c, c.n), results_in<T>(c, c.n), op);
}

template <class On, class T, auto op>
void run_scan_runs(call& c) {
  upsweep::inclusive_scan_runs(on<On>(c), keys_in(c), elements_in<T>(c), results_in<T>(c, c.n), op);
  c.count = c.n;
}

template <class On, class T, auto op>
void run_reduce_segments(call& c) {
  upsweep::reduce_segments(on<On>(c), elements_in<T>(c), offsets_in(c), results_in<T>(c, c.parts),
                           op);
  c.count = c.parts;
}

template <class On, class T, auto op>
void run_scan_segments(call& c) {
  upsweep::inclusive_scan_segments(on<On>(c), elements_in<T>(c), offsets_in(c),
                                   results_in<T>(c, c.n), op);
  c.count = c.n;
}

template <class On, class T, auto op>
void run_windowed(call& c) {
  c.count = c.n - c.parts + 1;
  upsweep::windowed(on<On>(c), elements_in<T>(c), c.parts, results_in<T>(c, c.count), op);
}

template <class On>
inline constexpr verb_entry parts[] = {
    {"reduce_runs sum f32", run_reduce_runs<On, float, plus{}>},
    {"reduce_runs sum f64", run_reduce_runs<On, double, plus{}>},
    {"reduce_runs user f32", run_reduce_runs<On, float, user_plus{}>},
    {"scan_runs sum f32", run_scan_runs<On, float, plus{}>},
    {"scan_runs sum f64", run_scan_runs<On, double, plus{}>},
    {"scan_runs user f32", run_scan_runs<On, float, user_plus{}>},
    {"reduce_segments sum f32", run_reduce_segments<On, float, plus{}>},
    {"reduce_segments sum f64", run_reduce_segments<On, double, plus{}>},
    {"reduce_segments user f32", run_reduce_segments<On, float, user_plus{}>},
    {"scan_segments sum f32", run_scan_segments<On, float, plus{}>},
    {"scan_segments sum f64", run_scan_segments<On, double, plus{}>},
    {"scan_segments user f32", run_scan_segments<On, float, user_plus{}>},
    {"windowed sum f32", run_windowed<On, float, plus{}>},
    {"windowed max f32", run_windowed<On, float, max{}>},
    {"windowed user f32", run_windowed<On, float, user_plus{}>},
};

}  // namespace upsweep::bench
