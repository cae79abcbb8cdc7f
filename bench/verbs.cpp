/// The verbs that stand on scan beside what a user would write, on one thread and on all: prints
/// docs/performance_verbs.md.
///
///   verbs_bench [SMALLEST [LARGEST]]    log2 of the numbers of elements; 16 and 24 if not given
#include <bench/timing.hpp>

#include <upsweep/histogram.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#ifdef UPSWEEP_BENCH_TBB
#include <execution>
#endif

namespace upsweep::bench {
namespace {

/// A row of the table: `ours(executor)` on one thread and on all, `plain()` and `parallel()`.
template <class Prepare, class Ours, class Plain, class Parallel = no_call>
void row(char const* what, std::size_t n, Prepare const& prepare, Ours const& ours,
         Plain const& plain, [[maybe_unused]] Parallel const& parallel = {}) {
  double const one = time_of(n, prepare, [&] { ours(serial{}); }),
               all = time_of(n, prepare, [&] { ours(cpu{}); });
  std::optional<double> by_hand, by_standard;
  if constexpr (!std::is_same_v<Plain, no_call>) by_hand = time_of(n, prepare, plain);
#ifdef UPSWEEP_BENCH_TBB
  if constexpr (!std::is_same_v<Parallel, no_call>) by_standard = time_of(n, prepare, parallel);
#endif
  std::printf("| %s | %s | %s | %s | %s |\n", what, cell(one).c_str(), cell(all).c_str(),
              cell(by_hand).c_str(), cell(by_standard).c_str());
  std::fflush(stdout);
}

#ifdef UPSWEEP_BENCH_TBB
#define UPSWEEP_PARALLEL(...) [&] { __VA_ARGS__; }
#else
#define UPSWEEP_PARALLEL(...) \
  no_call {}
#endif

void measure_selections(std::size_t n, std::vector<float> const& x) {
  std::vector<float> out(n), rest(n);
  std::vector<std::uint32_t> few(n), short_out(n), lengths(n);
  for (std::size_t i = 0; i < n; ++i) few[i] = static_cast<std::uint32_t>(x[i / 4 * 4] * 3);
  auto const keep = [](float v) { return v < 0.5f; };
  row(
      "copy (memcpy)", n, nothing,
      [&](auto const& on) {
        constexpr std::size_t part = std::size_t{1} << 16;
        on.for_each_line((n + part - 1) / part, part, [&](std::size_t k, auto const&) {
          std::memcpy(&out[k * part], &x[k * part], sizeof(float) * std::min(part, n - k * part));
        });
      },
      no_call{});
  row(
      "select, half kept, f32", n, nothing,
      [&](auto const& on) { upsweep::select(on, x, out, keep); },
      [&] { std::copy_if(x.begin(), x.end(), out.begin(), keep); },
      UPSWEEP_PARALLEL(
          std::copy_if(std::execution::par_unseq, x.begin(), x.end(), out.begin(), keep)));
  row(
      "partition, half and half, f32", n, nothing,
      [&](auto const& on) { upsweep::partition(on, x, out, rest, keep); },
      [&] { std::partition_copy(x.begin(), x.end(), out.begin(), rest.begin(), keep); },
      UPSWEEP_PARALLEL(std::partition_copy(std::execution::par_unseq, x.begin(), x.end(),
                                           out.begin(), rest.begin(), keep)));
  row(
      "unique, runs of 5, u32", n, nothing,
      [&](auto const& on) { upsweep::unique(on, few, short_out); },
      [&] { std::unique_copy(few.begin(), few.end(), short_out.begin()); },
      UPSWEEP_PARALLEL(
          std::unique_copy(std::execution::par_unseq, few.begin(), few.end(), short_out.begin())));
  row(
      "runs, of 5, u32", n, nothing,
      [&](auto const& on) { upsweep::runs(on, few, short_out, lengths); }, no_call{});
}

void measure_segments(std::size_t n, std::vector<float> const& x) {
  std::vector<float> out(n);
  for (std::size_t const length : {1u, 10u, 100u, 1'000u, 1'000'000u}) {
    if (length > n) continue;
    std::vector<std::size_t> offsets{0};
    while (offsets.back() < n) {
      auto const size =
          static_cast<std::size_t>(2 * static_cast<float>(length) * number(offsets.size() + 77));
      offsets.push_back(std::min(n, offsets.back() + (length == 1 ? 1 : size)));
    }
    std::vector<float> totals(offsets.size() - 1);
    std::string const name = "reduce_segments, average " + std::to_string(length) + ", f32";
    row(
        name.c_str(), n, nothing,
        [&](auto const& on) { upsweep::reduce_segments(on, x, offsets, totals); },
        [&] {
          for (std::size_t k = 0; k < totals.size(); ++k)
            totals[k] =
                std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(offsets[k]),
                                x.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]), 0.0f);
        });
    std::string const scan = "inclusive_scan_segments, average " + std::to_string(length) + ", f32";
    row(
        scan.c_str(), n, nothing,
        [&](auto const& on) { upsweep::inclusive_scan_segments(on, x, offsets, out); },
        [&] {
          for (std::size_t k = 0; k < totals.size(); ++k) {
            float sum = 0;
            for (std::size_t i = offsets[k]; i < offsets[k + 1]; ++i) out[i] = sum += x[i];
          }
        });
  }
  for (std::size_t const width : {3u, 100u, 10'000u}) {
    std::vector<float> windows(n - width + 1);
    for (bool const sum : {true, false}) {
      std::string const name = std::string("windowed ") + (sum ? "sum, " : "max, ") +
                               std::to_string(width) + " wide, f32";
      auto const by_hand = [&] {  // sums by one addition and one subtraction, which rounds
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
          total += x[i];
          if (i >= width) total -= x[i - width];
          if (i + 1 >= width) windows[i + 1 - width] = static_cast<float>(total);
        }
      };
      if (sum)
        row(
            name.c_str(), n, nothing,
            [&](auto const& on) { upsweep::windowed(on, x, width, windows); }, by_hand);
      else
        row(
            name.c_str(), n, nothing,
            [&](auto const& on) { upsweep::windowed(on, x, width, windows, max{}); }, no_call{});
    }
  }
}

void measure_counts(std::size_t n, std::vector<float> const& x) {
  std::vector<std::uint8_t> bytes(n), same(n, 7);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(x[i] * 256);
  for (std::size_t const bins : {256u, 65'536u}) {
    std::vector<std::uint32_t> counts(bins);
    std::string const name = "histogram, " + std::to_string(bins) + " even bins, f32";
    row(
        name.c_str(), n, nothing,
        [&](auto const& on) { upsweep::histogram(on, x, counts, even{0, 1}); },
        [&] {
          std::fill(counts.begin(), counts.end(), 0u);
          for (float const v : x)
            if (v >= 0 && v < 1) ++counts[static_cast<std::size_t>(v * static_cast<float>(bins))];
        });
  }
  std::vector<std::uint32_t> counts(256);
  std::vector<double> levels;
  for (int b = 0; b <= 256; ++b) levels.push_back(b * b / 65'536.0);
  row(
      "histogram, 256 given bins, f32", n, nothing,
      [&](auto const& on) { upsweep::histogram(on, x, counts, levels); },
      [&] {
        std::fill(counts.begin(), counts.end(), 0u);
        for (float const v : x) {
          auto const b = std::upper_bound(levels.begin(), levels.end(), v) - levels.begin();
          if (b > 0 && b < 257) ++counts[static_cast<std::size_t>(b) - 1];
        }
      });
  auto const count = [&](std::vector<std::uint8_t> const& of) {
    return [&](auto const& on) { upsweep::count_indices(on, of, counts); };
  };
  auto const by_hand = [&](std::vector<std::uint8_t> const& of) {
    return [&] {
      std::fill(counts.begin(), counts.end(), 0u);
      for (auto const v : of) ++counts[v];
    };
  };
  row("count_indices, u8", n, nothing, count(bytes), by_hand(bytes));
  row("count_indices, u8, all equal", n, nothing, count(same), by_hand(same));
}

template <class T>
void measure_sort(char const* name, std::vector<T> const& x) {
  std::vector<T> y;
  row(
      name, x.size(), [&] { y = x; }, [&](auto const& on) { upsweep::sort(on, y); },
      [&] { std::sort(y.begin(), y.end()); },
      UPSWEEP_PARALLEL(std::sort(std::execution::par_unseq, y.begin(), y.end())));
}

void measure_order(std::size_t n, std::vector<float> const& x) {
  std::vector<std::uint32_t> integers(n), values(n);
  std::vector<std::uint64_t> wide(n);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(n);
  for (std::size_t i = 0; i < n; ++i) {
    integers[i] = static_cast<std::uint32_t>(static_cast<double>(x[i]) * 0x1p32);
    wide[i] = std::uint64_t{integers[i]} << 32 | integers[n - 1 - i];
    pairs[i] = {integers[i], static_cast<std::uint32_t>(i)};
  }
  measure_sort("sort, f32", x);
  measure_sort("sort, u32", integers);
  measure_sort("sort, u64", wide);
  std::vector<std::uint32_t> keys;
  auto sorted = pairs;
  auto const by_first = [](auto const& a, auto const& b) { return a.first < b.first; };
  row(
      "sort_by_key, u32 and u32", n,
      [&] {
        keys = integers;
        sorted = pairs;
      },
      [&](auto const& on) { upsweep::sort_by_key(on, keys, values); },
      [&] { std::stable_sort(sorted.begin(), sorted.end(), by_first); },
      UPSWEEP_PARALLEL(
          std::stable_sort(std::execution::par_unseq, sorted.begin(), sorted.end(), by_first)));
  row(
      "sort by an order, pairs of u32", n, [&] { sorted = pairs; },
      [&](auto const& on) { upsweep::sort(on, sorted, by_first); },
      [&] { std::stable_sort(sorted.begin(), sorted.end(), by_first); },
      UPSWEEP_PARALLEL(
          std::stable_sort(std::execution::par_unseq, sorted.begin(), sorted.end(), by_first)));
  std::vector<float> y, hundred(100);
  row(
      "quantile 0.5, f32 (std::nth_element)", n, [&] { y = x; },
      [&](auto const& on) { used = upsweep::quantile(on, x, 0.5); },
      [&] { std::nth_element(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n / 2), y.end()); },
      UPSWEEP_PARALLEL(std::nth_element(std::execution::par_unseq, y.begin(),
                                        y.begin() + static_cast<std::ptrdiff_t>(n / 2), y.end())));
  row(
      "top 100, f32 (std::partial_sort_copy)", n, nothing,
      [&](auto const& on) { used = static_cast<double>(upsweep::top(on, x, hundred)); },
      [&] {
        std::partial_sort_copy(x.begin(), x.end(), hundred.begin(), hundred.end(),
                               std::greater<>());
      });
}

void measure_filters(std::size_t n, std::vector<float> const& x) {
  std::vector<float> y(n);
  recurrence const filter({1.6f, -0.64f});
  row(
      "recurrence of order 2, f32", n, nothing,
      [&](auto const& on) { upsweep::inclusive_scan(on, x, y, filter); },
      [&] {
        float a = 0, b = 0;
        for (std::size_t i = 0; i < n; ++i) {
          float const next = x[i] + 1.6f * a - 0.64f * b;
          b = a;
          y[i] = a = next;
        }
      });
  row(
      "polynomial, f32", n, nothing,
      [&](auto const& on) { used = upsweep::reduce(on, x, polynomial(0.99f)); },
      [&] {
        float sum = 0;
        for (float const c : x) sum = sum * 0.99f + c;
        used = sum;
      });
}

void measure(std::size_t log2_n) {
  std::size_t const n = std::size_t{1} << log2_n;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = number(i);
  std::printf("\n## 2^%zu elements\n\n", log2_n);
  std::printf("| verb | one thread | all threads | std or a loop | std::par_unseq |\n");
  std::printf("| --- | --- | --- | --- | --- |\n");
  measure_selections(n, x);
  measure_segments(n, x);
  measure_counts(n, x);
  measure_order(n, x);
  measure_filters(n, x);
}

}  // namespace
}  // namespace upsweep::bench

int main(int count, char** arguments) {
  auto const argument = [&](int k, unsigned long otherwise) {
    return count > k ? std::strtoul(arguments[k], nullptr, 10) : otherwise;
  };
  unsigned long const smallest = argument(1, 16), largest = argument(2, 24);
  std::printf("# The verbs that stand on scan, on a processor\n\n");
  std::printf(
      "Printed by `verbs_bench %lu %lu` (bench/verbs.cpp): median times, ns an element, on\n",
      smallest, largest);
  std::printf("%s with %u threads. std::par_unseq is that of libstdc++ with TBB.\n",
              upsweep::bench::processor().c_str(), std::thread::hardware_concurrency());
  std::printf("Sums of segments and windows have the bits of `reduce`; the loops' have others.\n");
  for (unsigned long k = smallest; k <= largest; k += 4) upsweep::bench::measure(k);
  return 0;
}
