/// An operator that is not associative, and an output that would be lost, in every verb.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#ifdef CORRECT
#define WRONG 0
using operation = std::plus<>;
#else
using operation = std::minus<>;
#endif

extern std::vector<int> const x;
extern std::vector<int> out, keys;
extern std::vector<std::size_t> const offsets;
extern std::vector<double> const shares;
extern upsweep::strided_view<int> const table, line;
extern upsweep::ranks<upsweep::loopback, upsweep::serial> const all;

int f(int a) {
  return a;
}
int g(int a, int b) {
  return a + b;
}

void reductions_and_scans() {
#if WRONG == 0 || WRONG == 1
  (void)upsweep::reduce(x, operation{});
#endif
#if WRONG == 0 || WRONG == 2
  (void)upsweep::reduce(upsweep::cpu{}, x, operation{});
#endif
#if WRONG == 0 || WRONG == 3
  (void)upsweep::transform_reduce(x, f, operation{});
#endif
#if WRONG == 0 || WRONG == 4
  (void)upsweep::transform_reduce(x, x, g, operation{});
#endif
#if WRONG == 0 || WRONG == 5
  upsweep::inclusive_scan(x, out, operation{});
#endif
#if WRONG == 0 || WRONG == 6
  upsweep::exclusive_scan(x, out, operation{}, {.initial = 1});
#endif
#if WRONG == 0 || WRONG == 7
  upsweep::transform_inclusive_scan(x, out, f, operation{});
#endif
#if WRONG == 0 || WRONG == 8
  upsweep::transform_exclusive_scan(x, x, out, g, operation{}, {.initial = 1});
#endif
#if WRONG == 0 || WRONG == 9
  upsweep::windowed(x, 2, out, operation{});
#endif
#if WRONG == 0 || WRONG == 10
  upsweep::reduce_segments(x, offsets, out, operation{});
#endif
}

void windows_and_keys() {
#if WRONG == 0 || WRONG == 11
  upsweep::inclusive_scan_segments(x, offsets, out, operation{});
#endif
#if WRONG == 0 || WRONG == 12
  upsweep::exclusive_scan_segments(x, offsets, out, operation{}, {.initial = 1});
#endif
#if WRONG == 0 || WRONG == 13
  (void)upsweep::reduce_runs(x, x, keys, out, operation{});
#endif
#if WRONG == 0 || WRONG == 14
  upsweep::inclusive_scan_runs(x, x, out, operation{});
#endif
#if WRONG == 0 || WRONG == 15
  upsweep::exclusive_scan_runs(x, x, out, operation{}, {.initial = 1});
#endif
#if WRONG == 0 || WRONG == 16
  upsweep::weighted_histogram(x, x, out, upsweep::even{0, 3}, operation{});
#endif
#if WRONG == 0 || WRONG == 17
  upsweep::reduce(table, line, operation{}, {.axis = 0});
#endif
#if WRONG == 0 || WRONG == 18
  upsweep::inclusive_scan(table, table, operation{});
#endif
#if WRONG == 0 || WRONG == 19
  {
    upsweep::reduce_stream<int, operation> s;
    s.push(x);
  }
#endif
#if WRONG == 0 || WRONG == 20
  {
    upsweep::reduce_stream<int, operation> s;
    (void)s.result();
  }
#endif
}

void streams_and_ranks() {
#if WRONG == 0 || WRONG == 21
  {
    upsweep::scan_stream<int, operation> s;
    s.inclusive(x, out);
  }
#endif
#if WRONG == 0 || WRONG == 22
  {
    upsweep::reduce_runs_stream<int, int, operation> s;
    (void)s.push(x, x, keys, out);
  }
#endif
#if WRONG == 0 || WRONG == 23
  {
    upsweep::scan_runs_stream<int, int, operation> s;
    s.inclusive(x, x, out);
  }
#endif
#if WRONG == 0 || WRONG == 24
  {
    upsweep::partial<int, operation> s;
    s.push(x);
  }
#endif
#if WRONG == 0 || WRONG == 25
  (void)upsweep::reduce(all, x, operation{});
#endif
#if WRONG == 0 || WRONG == 26
  upsweep::inclusive_scan(all, x, out, operation{});
#endif
#if WRONG == 0 || WRONG == 27
  (void)upsweep::reduce_runs(all, x, x, keys, out, operation{});
#endif
#if WRONG == 0 || WRONG == 28
  (void)upsweep::reduce_segments(all, x, x, out, operation{});
#endif
#if WRONG == 0 || WRONG == 29
  (void)upsweep::windowed(all, x, 2, out, operation{});
#endif
#if WRONG == 0 || WRONG == 30
  (void)upsweep::weighted_histogram(all, x, x, out, upsweep::even{0, 3}, operation{});
#endif
}

void outputs() {
#if WRONG == 31
  upsweep::inclusive_scan(x, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 32
  upsweep::transform_exclusive_scan(x, std::vector<int>(4), f, std::max<int>, {.initial = 1});
#endif
#if WRONG == 33
  upsweep::windowed(x, 2, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 34
  upsweep::reduce_segments(x, offsets, std::vector<int>(4));
#endif
#if WRONG == 35
  upsweep::inclusive_scan_segments(x, offsets, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 36
  (void)upsweep::reduce_runs(x, x, std::vector<int>(4), out);
#endif
#if WRONG == 37
  (void)upsweep::reduce_runs(x, x, keys, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 38
  upsweep::exclusive_scan_runs(x, x, std::vector<int>(4), std::max<int>, {.initial = 1});
#endif
#if WRONG == 39
  (void)upsweep::histogram(x, std::vector<int>(4), upsweep::even{0, 3});
#endif
#if WRONG == 40
  (void)upsweep::weighted_histogram(x, x, std::vector<int>(4), upsweep::even{0, 3}, std::max<int>);
#endif
}

void other_outputs() {
#if WRONG == 41
  upsweep::count_indices(x, std::vector<int>(4));
#endif
#if WRONG == 42
  upsweep::sort(std::vector<int>(4));
#endif
#if WRONG == 43
  upsweep::sort_by_key(keys, std::vector<int>(4));
#endif
#if WRONG == 44
  upsweep::argsort(x, std::vector<std::size_t>(4));
#endif
#if WRONG == 45
  (void)upsweep::top(x, std::vector<int>(4));
#endif
#if WRONG == 46
  (void)upsweep::unique(x, std::vector<int>(4));
#endif
#if WRONG == 47
  (void)upsweep::partition(x, std::vector<int>(4), out, f);
#endif
#if WRONG == 48
  (void)upsweep::select_positions(x, std::vector<std::size_t>(4), f);
#endif
#if WRONG == 49
  (void)upsweep::run_starts(x, std::vector<std::size_t>(4));
#endif
#if WRONG == 50
  upsweep::quantiles(shares, shares, std::vector<double>(2));
#endif
}

void outputs_of_ranks() {
#if WRONG == 51
  upsweep::cumulative_distribution(shares, std::vector<double>(2));
#endif
#if WRONG == 52
  upsweep::inclusive_scan(all, x, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 53
  (void)upsweep::windowed(all, x, 2, std::vector<int>(4), std::max<int>);
#endif
#if WRONG == 54
  (void)upsweep::reduce_runs(all, x, x, std::vector<int>(4), out, std::max<int>);
#endif
#if WRONG == 55
  upsweep::scan_runs_stream<int, int> s;
  s.inclusive(x, x, std::vector<int>(4));
#endif
#if WRONG == 56
  upsweep::reduce_runs_stream<int, int> s;
  (void)s.push(x, x, keys, std::vector<int>(4));
#endif
}
