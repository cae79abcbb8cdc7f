/// ParlayLib (Blelloch, Anderson & Dhulipala 2020).
#include <bench/harness/call.hpp>

#include <parlay/delayed.h>
#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::bench {
namespace {

template <class T>
auto slice_of(T* first, std::size_t n) {
  return parlay::make_slice(first, first + n);
}

/// The results of the last call stay, because the library returns them in memory of its own.
template <class T>
void keep(call& c, parlay::sequence<T>&& results) {
  static parlay::sequence<T> kept;
  kept = std::move(results);
  c.out = kept.begin();
  c.count = kept.size();
}

template <class T>
void parlay_select(call& c) {
  c.count = parlay::filter_into_uninitialized(
      slice_of(input<T>(c), c.n), slice_of(output<T>(c), c.n),
      [level = static_cast<T>(c.level)](T v) { return v < level; });
}

template <class T>
void parlay_unique(call& c) {
  keep(c, parlay::unique(slice_of(input<T>(c), c.n)));
}

template <class T>
void parlay_count(call& c) {
  keep(c,
       parlay::histogram_by_index(slice_of(input<T>(c), c.n), static_cast<std::uint32_t>(c.parts)));
}

/// Even bins by the index of each element.
template <class T>
void parlay_histogram(call& c) {
  double const scale = static_cast<double>(c.parts) / c.level;
  auto const* const x = input<T>(c);
  auto const bins = parlay::delayed_tabulate(c.n, [=](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<double>(x[i]) * scale);
  });
  keep(c, parlay::histogram_by_index(bins, static_cast<std::uint32_t>(c.parts)));
}

/// The keys of runs are their numbers.
template <class T>
void parlay_reduce_runs(call& c) {
  auto const* const x = input<T>(c);
  auto const pairs = parlay::delayed_tabulate(
      c.n, [x, keys = c.keys](std::size_t i) { return std::pair(keys[i], x[i]); });
  std::size_t const count = c.keys[c.n - 1] + std::size_t{1};
  auto* const heads = static_cast<std::uint32_t*>(c.more);
  parlay::parallel_for(0, count, [=](std::size_t k) { heads[k] = static_cast<std::uint32_t>(k); });
  keep(c, parlay::reduce_by_index(pairs, count, parlay::plus<T>()));
}

template <class T>
void parlay_reduce_segments(call& c) {
  auto const* const x = input<T>(c);
  T* const out = output<T>(c);
  parlay::parallel_for(0, c.parts, [=, offsets = c.offsets](std::size_t k) {
    std::size_t const size = offsets[k + 1] - offsets[k];
    out[k] = parlay::reduce(slice_of(x + offsets[k], size));
  });
  c.count = c.parts;
}

template <class T>
void parlay_sort(call& c) {
  parlay::sort_inplace(slice_of(output<T>(c), c.n));
  c.count = c.n;
}
template <class T>
void parlay_integer_sort(call& c) {
  parlay::integer_sort_inplace(slice_of(output<T>(c), c.n));
  c.count = c.n;
}
void parlay_sort_by_order(call& c) {
  parlay::stable_sort_inplace(slice_of(static_cast<ordered_pair*>(c.out), c.n), by_first{});
  c.count = c.n;
}

/// By way of an array of pairs.
void parlay_sort_by_key(call& c) {
  auto* const keys = static_cast<std::uint32_t*>(c.out);
  auto* const values = static_cast<std::uint32_t*>(c.more);
  auto pairs =
      parlay::tabulate(c.n, [=](std::size_t i) { return ordered_pair{keys[i], values[i]}; });
  parlay::stable_integer_sort_inplace(pairs, [](ordered_pair const& p) { return p.first; });
  parlay::parallel_for(0, c.n, [&](std::size_t i) {
    keys[i] = pairs[i].first;
    values[i] = pairs[i].second;
  });
  c.count = c.n;
}

constexpr verb_entry calls[] = {
    {"select f32", parlay_select<float>},
    {"select u32", parlay_select<std::uint32_t>},
    {"select f64", parlay_select<double>},
    {"unique f32", parlay_unique<float>},
    {"unique u32", parlay_unique<std::uint32_t>},
    {"unique f64", parlay_unique<double>},
    {"histogram even u8", parlay_histogram<std::uint8_t>},
    {"histogram even u32", parlay_histogram<std::uint32_t>},
    {"histogram even f32", parlay_histogram<float>},
    {"count_indices u8", parlay_count<std::uint8_t>},
    {"count_indices u32", parlay_count<std::uint32_t>},
    {"reduce_runs sum f32", parlay_reduce_runs<float>},
    {"reduce_runs sum f64", parlay_reduce_runs<double>},
    {"reduce_segments sum f32", parlay_reduce_segments<float>},
    {"reduce_segments sum f64", parlay_reduce_segments<double>},
    {"sort f32", parlay_sort<float>},
    {"sort u32", parlay_integer_sort<std::uint32_t>},
    {"sort u64", parlay_integer_sort<std::uint64_t>},
    {"sort_by_key u32", parlay_sort_by_key},
    {"sort_by_order pair", parlay_sort_by_order},
};

}  // namespace

registration const parlay_registration{{"parlay", "ParlayLib", true, nullptr, calls}};

}  // namespace upsweep::bench
