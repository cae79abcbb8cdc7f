/// oneTBB: parallel_reduce and parallel_scan in their functional forms, parallel_sort, and
/// parallel_for over segments and windows.
#include <bench/contestants/runners.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::bench {
namespace {

template <verb V, class Op, class T>
struct tbb_peer_call {
  static constexpr bool possible = true;
  using range = tbb::blocked_range<std::size_t>;

  static void reduce(call const& c) {
    using fold = reducing<Op, T>;
    T const* const in = input<T>(c);
    deliver(c, tbb::parallel_reduce(
                   range(0, c.n), fold::identity(),
                   [=](range const& r, auto total) {
                     for (std::size_t i = r.begin(); i != r.end(); ++i)
                       total = fold{}(total, in[i]);
                     return total;
                   },
                   fold{}));
  }

  static void scan(call const& c) {
    T const* const in = input<T>(c);
    T* const out = output<T>(c);
    tbb::parallel_scan(
        range(0, c.n), Op::identity(),
        [=](range const& r, T prefix, bool is_final) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            T const next = Op{}(prefix, in[i]);
            if (is_final) out[i] = V == verb::inclusive_scan ? next : prefix;
            prefix = next;
          }
          return prefix;
        },
        Op{});
  }

  static void run(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&c] {
      if constexpr (V == verb::reduce)
        reduce(c);
      else
        scan(c);
    });
  }
};

template <class T>
void tbb_sort(call& c) {
  auto const x = results_in<T>(c, c.n);
  tbb::parallel_sort(x.begin(), x.end());
  c.count = c.n;
}

/// Calls f(k) for every k < count.
template <class F>
void tbb_each(std::size_t count, F const& f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](auto const& range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) f(k);
  });
}

template <class T>
void tbb_reduce_segments(call& c) {
  auto const x = elements_in<T>(c);
  auto const out = results_in<T>(c, c.parts);
  tbb_each(c.parts, [=, offsets = c.offsets](std::size_t k) {
    T sum{};
    for (std::size_t i = offsets[k]; i < offsets[k + 1]; ++i) sum += x[i];
    out[k] = sum;
  });
  c.count = c.parts;
}

template <class T>
void tbb_scan_segments(call& c) {
  auto const x = elements_in<T>(c);
  auto const out = results_in<T>(c, c.n);
  tbb_each(c.parts, [=, offsets = c.offsets](std::size_t k) {
    T sum{};
    for (std::size_t i = offsets[k]; i < offsets[k + 1]; ++i) out[i] = sum += x[i];
  });
  c.count = c.n;
}

template <class T, bool is_sum>
void tbb_windows(call& c) {
  auto const x = elements_in<T>(c);
  c.count = c.n - c.parts + 1;
  auto const out = results_in<T>(c, c.count);
  tbb_each(c.count, [=, width = c.parts](std::size_t i) {
    T total = x[i];
    for (std::size_t k = 1; k < width; ++k)
      total = is_sum ? total + x[i + k] : std::max(total, x[i + k]);
    out[i] = total;
  });
}

constexpr std::size_t most_work = std::size_t{1} << 31;
constexpr verb_entry calls[] = {
    {"sort f32", tbb_sort<float>},
    {"sort u32", tbb_sort<std::uint32_t>},
    {"sort u64", tbb_sort<std::uint64_t>},
    {"reduce_segments sum f32", tbb_reduce_segments<float>},
    {"reduce_segments sum f64", tbb_reduce_segments<double>},
    {"reduce_segments user f32", tbb_reduce_segments<float>},
    {"scan_segments sum f32", tbb_scan_segments<float>},
    {"scan_segments sum f64", tbb_scan_segments<double>},
    {"scan_segments user f32", tbb_scan_segments<float>},
    {"windowed sum f32", tbb_windows<float, true>, most_work},
    {"windowed max f32", tbb_windows<float, false>, most_work},
    {"windowed user f32", tbb_windows<float, true>, most_work},
};

}  // namespace

registration const tbb_registration{{"tbb", "oneTBB", false, find_in<tbb_peer_call>, calls}};

}  // namespace upsweep::bench
