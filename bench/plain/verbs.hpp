/// The verbs of `upsweep bench verbs` as one would write them in a loop without a library. They are
/// measured, and they check the results of all others where the standard library has nothing.
#pragma once

#include <bench/harness/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::bench::plain {

template <class T>
void select(call& c) {
  auto const level = static_cast<T>(c.level);
  T* const out = output<T>(c);
  std::size_t count = 0;
  for (T const v : elements_in<T>(c))
    if (v < level) out[count++] = v;
  c.count = count;
}

template <class T>
void select_positions(call& c) {
  auto const x = elements_in<T>(c);
  auto const level = static_cast<T>(c.level);
  auto* const out = output<std::uint32_t>(c);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (x[i] < level) out[count++] = static_cast<std::uint32_t>(i);
  c.count = count;
}

template <class T>
void partition(call& c) {
  auto const level = static_cast<T>(c.level);
  T *yes = output<T>(c), *no = static_cast<T*>(c.more);
  for (T const v : elements_in<T>(c)) (v < level ? *yes++ : *no++) = v;
  c.count = static_cast<std::size_t>(yes - output<T>(c));
}

template <class T>
void select_by_flags(call& c) {
  auto const x = elements_in<T>(c);
  auto const flags = flags_in(c);
  T* const out = output<T>(c);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (flags[i] != 0) out[count++] = x[i];
  c.count = count;
}

template <class T>
void partition_in_three(call& c) {
  auto const level = static_cast<T>(c.level);
  T *first = output<T>(c), *second = static_cast<T*>(c.more), *rest = second + c.n;
  for (T const v : elements_in<T>(c))
    (v < level ? *first++ : v < 2 * level ? *second++ : *rest++) = v;
  c.count = static_cast<std::size_t>(first - output<T>(c));
}

/// From the last row to the first, so that no row is overwritten before it is moved.
template <class T>
void pad(call& c) {
  T* const x = output<T>(c);
  for (std::size_t row = padded_rows(c); row-- > 0;) {
    T *const from = x + row * kept_columns, *const to = x + row * c.parts;
    std::copy_backward(from, from + kept_columns, to + kept_columns);
    std::fill(to + kept_columns, to + c.parts, T{});
  }
  c.count = padded_rows(c) * c.parts;
}

template <class T>
void unpad(call& c) {
  T* const x = output<T>(c);
  for (std::size_t row = 0; row < padded_rows(c); ++row)
    std::copy(x + row * c.parts, x + row * c.parts + kept_columns, x + row * kept_columns);
  c.count = padded_rows(c) * kept_columns;
}

template <class T>
void unique(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (i == 0 || x[i] != x[i - 1]) out[count++] = x[i];
  c.count = count;
}

template <class T>
void run_starts(call& c) {
  auto const x = elements_in<T>(c);
  auto* const out = output<std::uint32_t>(c);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (i == 0 || x[i] != x[i - 1]) out[count++] = static_cast<std::uint32_t>(i);
  c.count = count;
}

template <class T>
void runs(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  auto* const lengths = static_cast<std::uint32_t*>(c.more);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (i == 0 || x[i] != x[i - 1]) {
      out[count] = x[i];
      lengths[count++] = 1;
    } else {
      ++lengths[count - 1];
    }
  c.count = count;
}

template <class T>
void even_histogram(call& c) {
  auto const counts = results_in<std::uint32_t>(c, c.parts);
  std::fill(counts.begin(), counts.end(), 0u);
  double const scale = static_cast<double>(c.parts) / c.level;
  for (T const v : elements_in<T>(c)) {
    double const at = static_cast<double>(v) * scale;
    if (at >= 0 && at < static_cast<double>(c.parts)) ++counts[static_cast<std::size_t>(at)];
  }
  c.count = c.parts;
}

template <class T>
void given_histogram(call& c) {
  auto const counts = results_in<std::uint32_t>(c, c.parts);
  std::fill(counts.begin(), counts.end(), 0u);
  double const* const end = c.levels + c.parts + 1;
  for (T const v : elements_in<T>(c)) {
    auto const reached = static_cast<std::size_t>(
        std::upper_bound(c.levels, end, static_cast<double>(v)) - c.levels);
    if (reached > 0 && reached <= c.parts) ++counts[reached - 1];
  }
  c.count = c.parts;
}

template <class T>
void weighted_histogram(call& c) {
  auto const x = elements_in<T>(c);
  auto const sums = results_in<std::uint32_t>(c, c.parts);
  std::fill(sums.begin(), sums.end(), 0u);
  double const scale = static_cast<double>(c.parts) / c.level;
  for (std::size_t i = 0; i < c.n; ++i) {
    double const at = static_cast<double>(x[i]) * scale;
    if (at >= 0 && at < static_cast<double>(c.parts))
      sums[static_cast<std::size_t>(at)] += c.keys[i];
  }
  c.count = c.parts;
}

template <class T>
void count_indices(call& c) {
  auto const counts = results_in<std::uint32_t>(c, c.parts);
  std::fill(counts.begin(), counts.end(), 0u);
  for (T const v : elements_in<T>(c)) ++counts[v];
  c.count = c.parts;
}

template <class T>
void reduce_runs(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  auto* const heads = static_cast<std::uint32_t*>(c.more);
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n;) {
    T sum = x[i];
    std::uint32_t const key = c.keys[i];
    for (++i; i < c.n && c.keys[i] == key; ++i) sum += x[i];
    heads[count] = key;
    out[count++] = sum;
  }
  c.count = count;
}

template <class T>
void scan_runs(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  T sum{};
  for (std::size_t i = 0; i < c.n; ++i)
    out[i] = sum = i > 0 && c.keys[i] == c.keys[i - 1] ? sum + x[i] : x[i];
  c.count = c.n;
}

template <class T>
void reduce_segments(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  for (std::size_t k = 0; k < c.parts; ++k) {
    T sum{};
    for (std::size_t i = c.offsets[k]; i < c.offsets[k + 1]; ++i) sum += x[i];
    out[k] = sum;
  }
  c.count = c.parts;
}

template <class T>
void scan_segments(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  for (std::size_t k = 0; k < c.parts; ++k) {
    T sum{};
    for (std::size_t i = c.offsets[k]; i < c.offsets[k + 1]; ++i) out[i] = sum += x[i];
  }
  c.count = c.n;
}

/// Combines the elements of each window again.
template <class T, bool is_sum>
void windows(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  c.count = c.n - c.parts + 1;
  for (std::size_t i = 0; i < c.count; ++i) {
    T total = x[i];
    for (std::size_t k = 1; k < c.parts; ++k)
      total = is_sum ? total + x[i + k] : std::max(total, x[i + k]);
    out[i] = total;
  }
}

/// Adds the element that enters and subtracts the one that leaves.
template <class T>
void sliding_sums(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  double total = 0;
  for (std::size_t i = 0; i < c.n; ++i) {
    total += static_cast<double>(x[i]);
    if (i >= c.parts) total -= static_cast<double>(x[i - c.parts]);
    if (i + 1 >= c.parts) out[i + 1 - c.parts] = static_cast<T>(total);
  }
  c.count = c.n - c.parts + 1;
}

/// Keeps the positions of the descending maxima of the window in a ring.
template <class T>
void sliding_maxima(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  std::size_t size = 1;
  while (size <= c.parts) size *= 2;
  std::vector<std::size_t> ring(size);
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i < c.n; ++i) {
    while (end > begin && x[ring[(end - 1) & (size - 1)]] <= x[i]) --end;
    ring[end++ & (size - 1)] = i;
    if (ring[begin & (size - 1)] + c.parts <= i) ++begin;
    if (i + 1 >= c.parts) out[i + 1 - c.parts] = x[ring[begin & (size - 1)]];
  }
  c.count = c.n - c.parts + 1;
}

/// y[i] = x[i] + y[i - 1] - y[i - 2], whose results are small integers if the elements are, from
/// these y[-1] and y[-2] on.
template <class T, int last = 0, int before = 0>
void recurrence(call& c) {
  auto const x = elements_in<T>(c);
  T* const out = output<T>(c);
  T a{last}, b{before};
  for (std::size_t i = 0; i < c.n; ++i) {
    T const next = x[i] + T{1} * a - T{1} * b;
    b = a;
    out[i] = a = next;
  }
  c.count = c.n;
}

/// The polynomial with these coefficients at -1, the highest power first.
template <class T>
void polynomial(call& c) {
  T const at = static_cast<T>(-1);
  T sum{};
  for (T const x : elements_in<T>(c)) sum = sum * at + x;
  *output<T>(c) = sum;
  c.count = 1;
}

/// Where the fields of comma-separated values end, without checks of the format.
inline void csv(call& c) {
  auto* const ends = output<std::size_t>(c);
  auto const text = elements_in<char>(c);
  bool inside = false;
  std::size_t count = 0;
  for (std::size_t i = 0; i < c.n; ++i) {
    if (text[i] == '"')
      inside = !inside;
    else if ((text[i] == ',' || text[i] == '\n') && !inside)
      ends[count++] = i;
  }
  c.count = count;
}

inline constexpr std::size_t most_window_work = std::size_t{1} << 30;

inline constexpr verb_entry verbs[] = {
    {"select f32", select<float>},
    {"select u32", select<std::uint32_t>},
    {"select f64", select<double>},
    {"select_positions f32", select_positions<float>},
    {"select flags f32", select_by_flags<float>},
    {"partition f32", partition<float>},
    {"partition u32", partition<std::uint32_t>},
    {"partition f64", partition<double>},
    {"partition three f32", partition_in_three<float>},
    {"unique f32", unique<float>},
    {"unique u32", unique<std::uint32_t>},
    {"unique f64", unique<double>},
    {"run_starts u32", run_starts<std::uint32_t>},
    {"runs f32", runs<float>},
    {"runs u32", runs<std::uint32_t>},
    {"runs f64", runs<double>},
    {"histogram even f32", even_histogram<float>},
    {"histogram even u32", even_histogram<std::uint32_t>},
    {"histogram even u8", even_histogram<std::uint8_t>},
    {"histogram given f32", given_histogram<float>},
    {"weighted_histogram sum f32", weighted_histogram<float>},
    {"count_indices u8", count_indices<std::uint8_t>},
    {"count_indices u32", count_indices<std::uint32_t>},
    {"reduce_runs sum f32", reduce_runs<float>},
    {"reduce_runs sum f64", reduce_runs<double>},
    {"reduce_runs user f32", reduce_runs<float>},
    {"scan_runs sum f32", scan_runs<float>},
    {"scan_runs sum f64", scan_runs<double>},
    {"scan_runs user f32", scan_runs<float>},
    {"reduce_segments sum f32", reduce_segments<float>},
    {"reduce_segments sum f64", reduce_segments<double>},
    {"reduce_segments user f32", reduce_segments<float>},
    {"scan_segments sum f32", scan_segments<float>},
    {"scan_segments sum f64", scan_segments<double>},
    {"scan_segments user f32", scan_segments<float>},
    {"windowed sum f32", windows<float, true>, most_window_work},
    {"windowed max f32", windows<float, false>, most_window_work},
    {"windowed user f32", windows<float, true>, most_window_work},
    {"recurrence f32", recurrence<float>},
    {"recurrence f64", recurrence<double>},
    {"recurrence initial f32", recurrence<float, 3, -2>},
    {"polynomial f32", polynomial<float>},
    {"pad f32", pad<float>},
    {"unpad f32", unpad<float>},
    {"csv u8", csv},
};

/// Windows without combining all their elements again.
inline constexpr verb_entry sliding[] = {
    {"windowed sum f32", sliding_sums<float>},
    {"windowed max f32", sliding_maxima<float>},
    {"windowed user f32", sliding_sums<float>},
};

}  // namespace upsweep::bench::plain
