/// Recurrences and polynomials.
#pragma once

#include <bench/contestants/our_calls.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

namespace upsweep::bench {

/// y[i] = x[i] + y[i - 1] - y[i - 2], as in loops.hpp.
template <class On, class T>
void run_recurrence(call& c) {
  upsweep::inclusive_scan(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                          recurrence({T{1}, T{-1}}));
  c.count = c.n;
}

/// The same from y[-1] = 3 and y[-2] = -2 on.
template <class On, class T>
void continue_recurrence(call& c) {
  auto const op = recurrence({T{1}, T{-1}});
  upsweep::inclusive_scan(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n), op,
                          {.initial = op.after({T{3}, T{-2}})});
  c.count = c.n;
}

template <class On, class T>
void run_polynomial(call& c) {
  store<T>(c, upsweep::reduce(on<On>(c), elements_in<T>(c), polynomial(T{-1})));
}

template <class On>
inline constexpr verb_entry scans[] = {
    {"recurrence f32", run_recurrence<On, float>},
    {"recurrence f64", run_recurrence<On, double>},
    {"recurrence initial f32", continue_recurrence<On, float>},
    {"polynomial f32", run_polynomial<On, float>},
};

}  // namespace upsweep::bench
