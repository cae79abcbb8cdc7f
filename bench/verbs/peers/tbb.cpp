/// oneTBB's parallel_sort, and its parallel_for over segments and windows.
#include <bench/verbs/peers/peers.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

namespace upsweep::bench {
namespace {

template <class T>
void tbb_sort(verb_call& c) {
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
void tbb_reduce_segments(verb_call& c) {
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
void tbb_scan_segments(verb_call& c) {
  auto const x = elements_in<T>(c);
  auto const out = results_in<T>(c, c.n);
  tbb_each(c.parts, [=, offsets = c.offsets](std::size_t k) {
    T sum{};
    for (std::size_t i = offsets[k]; i < offsets[k + 1]; ++i) out[i] = sum += x[i];
  });
  c.count = c.n;
}

template <class T, bool is_sum>
void tbb_windows(verb_call& c) {
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

verb_registration const tbb_of_verbs{verb_peer_of("tbb", "oneTBB", false, calls)};

}  // namespace upsweep::bench
