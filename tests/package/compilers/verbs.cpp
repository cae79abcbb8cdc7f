/// The verbs beyond reduce and scan: the other file of the program of compilers_test.py.
#include "check.hpp"

#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace {

using floats = std::vector<float>;
using integers = std::vector<int>;
using positions = std::vector<std::size_t>;

void check_axes() {
  std::vector<double> x(6), sums(3), lines(6);
  std::iota(x.begin(), x.end(), 1.0);  // 1 2 3 / 4 5 6
  upsweep::strided_view<double> const table(x.data(), {2, 3}), out(lines.data(), {2, 3});
  upsweep::strided_view<double> const columns(sums.data(), {3}), rows(sums.data(), {2});
  upsweep::reduce(table, columns, upsweep::plus{}, {.axis = 0});
  check("axis 0", sums, std::vector<double>{5, 7, 9});
  upsweep::reduce(table, rows, upsweep::plus{}, {.axis = 1});
  check("axis 1", sums[1], 15.0);
  upsweep::inclusive_scan(table, out, upsweep::plus{}, {.axis = 0});
  check("scan of axis 0", lines, std::vector<double>{1, 2, 3, 5, 7, 9});
  floats ones(4, 1.0f), total(1);
  upsweep::strided_view<float> const line(ones.data(), {1, 4}), one(total.data(), {1});
  upsweep::reduce(line, one, upsweep::plus{}, {.axis = 1});
  check("four ones", total[0], 4.0f);
}

void check_streams() {
  floats const ones(4, 1.0f);
  floats out(4);
  upsweep::scan_stream<float> sums;
  sums.inclusive(std::span(ones), out);
  check("stream", out[3], 4.0f);
  sums.exclusive(std::span(ones), out);
  check("stream", out[3], 7.0f);
  std::vector<std::uint16_t> const words(1000, 60000);
  upsweep::reduce_stream<std::uint16_t> total;
  for (int i = 0; i < 3; ++i) total.push(std::span(words));
  check("reduce_stream", total.result(), std::uint64_t{180000000});
  upsweep::scan_stream<double, upsweep::exact_sum> exact;
  std::vector<double> const large{1e16, 1, -1e16};
  std::vector<double> small(3);
  exact.inclusive(std::span(large), small);
  check("exact stream", small[2], 1.0);
}

/// Runs of 1 to 9 equal keys, with values of which each sum is exact.
void check_segments_and_runs() {
  integers keys, values;
  positions offsets{0};
  std::vector<std::int64_t> sums, scanned;
  for (int run = 0; run < 5000; ++run) {
    std::int64_t sum = 0;
    for (int i = 0; i <= run % 9; ++i) {
      keys.push_back(run % 2);
      values.push_back(run - 3 * i);
      scanned.push_back(sum += values.back());
    }
    sums.push_back(sum);
    offsets.push_back(keys.size());
  }
  std::vector<std::int64_t> totals(5000), prefixes(keys.size());
  upsweep::reduce_segments(values, offsets, totals);
  check("segments", totals, sums);
  upsweep::inclusive_scan_segments(values, offsets, prefixes);
  check("scan of segments", prefixes, scanned);
  floats const numbers(values.begin(), values.end());
  floats float_totals(5000), float_prefixes(keys.size());
  upsweep::reduce_segments(numbers, offsets, float_totals);
  check("segments of floats", float_totals, floats(sums.begin(), sums.end()));
  upsweep::inclusive_scan_segments(numbers, offsets, float_prefixes);
  check("scan of segments of floats", float_prefixes, floats(scanned.begin(), scanned.end()));
  integers found(5000);
  std::fill(totals.begin(), totals.end(), 0);
  check("runs", upsweep::reduce_runs(keys, values, found, totals), std::size_t{5000});
  check("runs", totals, sums);
  upsweep::inclusive_scan_runs(keys, values, prefixes);
  check("scan of runs", prefixes, scanned);
}

void check_windows() {
  integers x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 37 % 101) - 50;
  integers sums(994), least(994), want_sums(994), want_least(994);
  for (std::size_t i = 0; i < 994; ++i) {
    auto const from = x.begin() + static_cast<std::ptrdiff_t>(i), to = from + 7;
    want_sums[i] = std::accumulate(from, to, 0);
    want_least[i] = *std::min_element(from, to);
  }
  upsweep::windowed(x, 7, sums);
  check("windows", sums, want_sums);
  upsweep::windowed(x, 7, least, upsweep::min{});
  check("windows", least, want_least);
  floats const numbers(x.begin(), x.end());
  floats float_sums(994);
  upsweep::windowed(numbers, 7, float_sums);
  check("windows of floats", float_sums, floats(want_sums.begin(), want_sums.end()));
}

template <class T>
void check_order(std::size_t n) {
  std::vector<T> x(n);
  std::uint32_t state = 1;
  for (T& e : x) e = static_cast<T>(static_cast<int>((state = state * 1664525 + 1013904223) >> 20));
  std::vector<T> sorted = x, best(10);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> order(n);
  upsweep::argsort(x, order);
  for (std::size_t i = 0; i < n; ++i) check("argsort", x[order[i]], sorted[i]);
  check("top", upsweep::top(x, best), std::size_t{10});
  check("top", best[9], sorted[n - 10]);
  check("median", upsweep::quantile(x, 0.5), static_cast<double>(sorted[n / 2]));
  upsweep::sort(x);
  check("sort", x, sorted);
}

void check_histograms() {
  floats const x{0.5f, 1.5f, 1.5f, 3.5f, -1.0f, 9.0f};
  integers counts(4);
  auto const outside = upsweep::histogram(x, counts, upsweep::even{0, 4});
  check("histogram", counts, integers{1, 2, 0, 1});
  check("below", outside.below, std::size_t{1});
  check("above", outside.above, std::size_t{1});
  upsweep::histogram(x, counts, std::array{0.0, 1.0, 2.0, 3.0, 4.0});
  check("borders", counts, integers{1, 2, 0, 1});
  floats const weights{1, 2, 3, 4, 5, 6};
  floats sums(4);
  upsweep::weighted_histogram(x, weights, sums, upsweep::even{0, 4});
  check("weights", sums, floats{1, 5, 0, 4});
  upsweep::count_indices(integers{3, 0, 3}, counts);
  check("indices", counts, integers{1, 0, 0, 2});
}

void check_selections(std::size_t n) {
  integers x(n), even, odd, distinct;
  positions places;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<int>(i * i % 97 / 2);
    (x[i] % 2 == 0 ? even : odd).push_back(x[i]);
    if (x[i] % 2 == 0) places.push_back(i);
    if (distinct.empty() || distinct.back() != x[i]) distinct.push_back(x[i]);
  }
  auto const is_even = [](int v) { return v % 2 == 0; };
  upsweep::cpu const on{.threads = 4};
  integers out(n), rest(n);
  positions at(n);
  out.resize(upsweep::select(on, x, out, is_even));
  check("select", out, even);
  at.resize(upsweep::select_positions(on, x, at, is_even));
  check("select_positions", at, places);
  out.resize(n);
  out.resize(upsweep::partition(on, x, out, rest, is_even).yes);
  rest.resize(odd.size());
  check("partition", out, even);
  check("partition", rest, odd);
  out.resize(n);
  out.resize(upsweep::unique(on, x, out));
  check("unique", out, distinct);
  integers padded{1, 2, 3, 4, 0, 0};
  upsweep::pad(padded, 2, 2, 3, 7);
  check("pad", padded, integers{1, 2, 7, 3, 4, 7});
}

}  // namespace

void check_other_verbs() {
  check_axes();
  check_streams();
  check_segments_and_runs();
  check_windows();
  check_order<float>(10001);
  check_order<int>(101);
  check_histograms();
  check_selections(1000);
  check_selections(200001);
}

int main() {
  check_reductions_and_scans();
  check_other_verbs();
}
