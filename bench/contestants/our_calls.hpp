/// Upsweep's calls of `bench verbs`: they run on the CPU, or make plans of a GPU.
#pragma once

#include <bench/harness/call.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/select.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/unique.hpp>
#include <upsweep/windowed.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::bench {

/// The executor of a call: a `cpu`, or a `gpu`, which only makes plans.
template <class On>
[[nodiscard]] On on(call const& c) {
  if constexpr (std::is_same_v<On, cpu>)
    return {.threads = c.threads};
  else
    return {.plans_to = c.plans};
}

/// Stores the only result of a call, for which there is no memory where it only makes plans.
template <class T>
void store(call& c, T result) {
  c.count = 1;
  if (c.plans == nullptr) *output<T>(c) = result;
}

// Histograms.

template <class On, class T>
void run_even_histogram(call& c) {
  upsweep::histogram(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts),
                     even{0, c.level});
  c.count = c.parts;
}

template <class On, class T>
void run_given_histogram(call& c) {
  upsweep::histogram(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts),
                     std::span<double const>(c.levels, c.parts + 1));
  c.count = c.parts;
}

template <class On, class T>
void run_weighted_histogram(call& c) {
  upsweep::weighted_histogram(on<On>(c), elements_in<T>(c), keys_in(c),
                              results_in<std::uint32_t>(c, c.parts), even{0, c.level});
  c.count = c.parts;
}

template <class On, class T>
void run_count_indices(call& c) {
  upsweep::count_indices(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts));
  c.count = c.parts;
}

template <class On>
inline constexpr verb_entry counts[] = {
    {"histogram even f32", run_even_histogram<On, float>},
    {"histogram even u32", run_even_histogram<On, std::uint32_t>},
    {"histogram even u8", run_even_histogram<On, std::uint8_t>},
    {"histogram given f32", run_given_histogram<On, float>},
    {"weighted_histogram sum f32", run_weighted_histogram<On, float>},
    {"count_indices u8", run_count_indices<On, std::uint8_t>},
    {"count_indices u32", run_count_indices<On, std::uint32_t>},
};

// Segments, reductions and scans by key, and windows.

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

// Recurrences and polynomials.

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

// Selections, partitions, unique, runs and padding.

template <class T>
struct below {
  T level;
  UPSWEEP_BOTH bool operator()(T v) const { return v < level; }
};

template <class On, class T>
void run_select(call& c) {
  c.count = upsweep::select(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                            below{static_cast<T>(c.level)});
}

template <class On, class T>
void run_select_positions(call& c) {
  c.count =
      upsweep::select_positions(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.n),
                                below{static_cast<T>(c.level)});
}

template <class On, class T>
void run_partition(call& c) {
  c.count = upsweep::partition(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                               more_results_in<T>(c, c.n), below{static_cast<T>(c.level)})
                .yes;
}

template <class On, class T>
void run_select_by_flags(call& c) {
  c.count = upsweep::select(on<On>(c), elements_in<T>(c), flags_in(c), results_in<T>(c, c.n));
}

template <class On, class T>
void run_partition_in_three(call& c) {
  auto const level = static_cast<T>(c.level);
  auto const more = more_results_in<T>(c, 2 * c.n);
  c.count = upsweep::partition(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n), more.first(c.n),
                               more.last(c.n), below{level}, below{2 * level})
                .first;
}

template <class On, class T>
void run_pad(call& c) {
  std::size_t const rows = padded_rows(c);
  c.count = rows * c.parts;
  upsweep::pad(on<On>(c), results_in<T>(c, c.count), rows, kept_columns, c.parts);
}

template <class On, class T>
void run_unpad(call& c) {
  std::size_t const rows = padded_rows(c);
  upsweep::unpad(on<On>(c), results_in<T>(c, rows * c.parts), rows, kept_columns, c.parts);
  c.count = rows * kept_columns;
}

template <class On, class T>
void run_unique(call& c) {
  c.count = upsweep::unique(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n));
}

template <class On, class T>
void run_runs(call& c) {
  c.count = upsweep::runs(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                          more_results_in<std::uint32_t>(c, c.n));
}

template <class On, class T>
void run_run_starts(call& c) {
  c.count = upsweep::run_starts(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.n));
}

template <class On>
inline constexpr verb_entry selections[] = {
    {"select f32", run_select<On, float>},
    {"select u32", run_select<On, std::uint32_t>},
    {"select f64", run_select<On, double>},
    {"select flags f32", run_select_by_flags<On, float>},
    {"partition f32", run_partition<On, float>},
    {"partition u32", run_partition<On, std::uint32_t>},
    {"partition f64", run_partition<On, double>},
    {"partition three f32", run_partition_in_three<On, float>},
    {"unique f32", run_unique<On, float>},
    {"unique u32", run_unique<On, std::uint32_t>},
    {"unique f64", run_unique<On, double>},
    {"runs f32", run_runs<On, float>},
    {"runs u32", run_runs<On, std::uint32_t>},
    {"runs f64", run_runs<On, double>},
    {"select_positions f32", run_select_positions<On, float>},
    {"run_starts u32", run_run_starts<On, std::uint32_t>},
    {"pad f32", run_pad<On, float>},
    {"unpad f32", run_unpad<On, float>},
};

// Sorts, quantile and top.

template <class On, class T>
void run_sort(call& c) {
  upsweep::sort(on<On>(c), results_in<T>(c, c.n));
  c.count = c.n;
}

template <class On>
void run_sort_by_key(call& c) {
  upsweep::sort_by_key(on<On>(c), results_in<std::uint32_t>(c, c.n),
                       more_results_in<std::uint32_t>(c, c.n));
  c.count = c.n;
}

template <class On>
void run_sort_by_order(call& c) {
  upsweep::sort(on<On>(c), results_in<ordered_pair>(c, c.n), by_first{});
  c.count = c.n;
}

template <class On, class T>
void run_argsort(call& c) {
  upsweep::argsort(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.n));
  c.count = c.n;
}

template <class On, class T>
void run_quantile(call& c) {
  store<double>(c, upsweep::quantile(on<On>(c), elements_in<T>(c), 0.5));
}

template <class On, class T>
void run_top(call& c) {
  c.count = upsweep::top(on<On>(c), elements_in<T>(c), results_in<T>(c, std::min(top_count, c.n)));
}

template <class On>
inline constexpr verb_entry sorts[] = {
    {"sort f32", run_sort<On, float>},
    {"sort u32", run_sort<On, std::uint32_t>},
    {"sort u64", run_sort<On, std::uint64_t>},
    {"sort_by_key u32", run_sort_by_key<On>},
    {"sort_by_order pair", run_sort_by_order<On>},
    {"argsort f32", run_argsort<On, float>},
    {"quantile f32", run_quantile<On, float>},
    {"top f32", run_top<On, float>},
};

}  // namespace upsweep::bench
