/// The algorithms of the standard library, with an execution policy or without. They are measured,
/// and some of them check the results of all others.
#pragma once

#include <bench/harness/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace upsweep::bench {

struct without_policy {
  template <class F>
  static void with(F const& f) {
    f();
  }
};

/// Policy::with(f) calls f with a policy or with nothing.
template <class Policy>
struct std_calls {
  template <class T>
  static void select(call& c) {
    auto const x = elements_in<T>(c);
    T* const out = output<T>(c);
    auto const keep = [level = static_cast<T>(c.level)](T v) { return v < level; };
    Policy::with([&](auto const&... p) {
      c.count = static_cast<std::size_t>(std::copy_if(p..., x.begin(), x.end(), out, keep) - out);
    });
  }

  template <class T>
  static void partition(call& c) {
    auto const x = elements_in<T>(c);
    T *const yes = output<T>(c), *const no = static_cast<T*>(c.more);
    auto const keep = [level = static_cast<T>(c.level)](T v) { return v < level; };
    Policy::with([&](auto const&... p) {
      auto const ends = std::partition_copy(p..., x.begin(), x.end(), yes, no, keep);
      c.count = static_cast<std::size_t>(ends.first - yes);
    });
  }

  /// Each part by a pass of its own.
  template <class T>
  static void partition_in_three(call& c) {
    auto const x = elements_in<T>(c);
    T *const first = output<T>(c), *const second = static_cast<T*>(c.more);
    auto const level = static_cast<T>(c.level);
    Policy::with([&](auto const&... p) {
      auto const part = [&](T* out, auto const& keep) {
        return std::copy_if(p..., x.begin(), x.end(), out, keep);
      };
      auto* const end = part(first, [level](T v) { return v < level; });
      part(second, [level](T v) { return !(v < level) && v < 2 * level; });
      part(second + c.n, [level](T v) { return !(v < level) && !(v < 2 * level); });
      c.count = static_cast<std::size_t>(end - first);
    });
  }

  template <class T>
  static void unique(call& c) {
    auto const x = elements_in<T>(c);
    T* const out = output<T>(c);
    Policy::with([&](auto const&... p) {
      c.count = static_cast<std::size_t>(std::unique_copy(p..., x.begin(), x.end(), out) - out);
    });
  }

  template <class T>
  static void sort(call& c) {
    auto const x = results_in<T>(c, c.n);
    Policy::with([&](auto const&... p) { std::sort(p..., x.begin(), x.end()); });
    c.count = c.n;
  }

  /// By way of an array of pairs.
  static void sort_by_key(call& c) {
    auto const keys = results_in<std::uint32_t>(c, c.n),
               values = more_results_in<std::uint32_t>(c, c.n);
    std::vector<ordered_pair> pairs(c.n);
    for (std::size_t i = 0; i < c.n; ++i) pairs[i] = {keys[i], values[i]};
    Policy::with(
        [&](auto const&... p) { std::stable_sort(p..., pairs.begin(), pairs.end(), by_first{}); });
    for (std::size_t i = 0; i < c.n; ++i) keys[i] = pairs[i].first, values[i] = pairs[i].second;
    c.count = c.n;
  }

  static void sort_by_order(call& c) {
    auto const x = results_in<ordered_pair>(c, c.n);
    Policy::with([&](auto const&... p) { std::stable_sort(p..., x.begin(), x.end(), by_first{}); });
    c.count = c.n;
  }

  template <class T>
  static void argsort(call& c) {
    auto const x = elements_in<T>(c);
    auto const order = results_in<std::uint32_t>(c, c.n);
    std::iota(order.begin(), order.end(), 0u);
    auto const less = [x](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; };
    Policy::with(
        [&](auto const&... p) { std::stable_sort(p..., order.begin(), order.end(), less); });
    c.count = c.n;
  }

  template <class T>
  static void quantile(call& c) {
    std::vector<T> copy(elements_in<T>(c).begin(), elements_in<T>(c).end());
    auto const lower = copy.begin() + static_cast<std::ptrdiff_t>((c.n - 1) / 2);
    Policy::with([&](auto const&... p) {
      std::nth_element(p..., copy.begin(), lower, copy.end());
      auto const upper = c.n % 2 == 0 ? std::min_element(p..., lower + 1, copy.end()) : lower;
      results_in<double>(c, 1)[0] = (static_cast<double>(*lower) + static_cast<double>(*upper)) / 2;
    });
    c.count = 1;
  }

  template <class T>
  static void top(call& c) {
    auto const x = elements_in<T>(c);
    c.count = std::min(top_count, c.n);
    auto const out = results_in<T>(c, c.count);
    Policy::with([&](auto const&... p) {
      std::partial_sort_copy(p..., x.begin(), x.end(), out.begin(), out.end(), std::greater<>());
    });
  }

  static constexpr verb_entry all[] = {
      {"select f32", select<float>},
      {"select u32", select<std::uint32_t>},
      {"select f64", select<double>},
      {"partition f32", partition<float>},
      {"partition u32", partition<std::uint32_t>},
      {"partition f64", partition<double>},
      {"partition three f32", partition_in_three<float>},
      {"unique f32", unique<float>},
      {"unique u32", unique<std::uint32_t>},
      {"unique f64", unique<double>},
      {"sort f32", sort<float>},
      {"sort u32", sort<std::uint32_t>},
      {"sort u64", sort<std::uint64_t>},
      {"sort_by_key u32", sort_by_key},
      {"sort_by_order pair", sort_by_order},
      {"argsort f32", argsort<float>},
      {"quantile f32", quantile<float>},
      {"top f32", top<float>},
  };
};

}  // namespace upsweep::bench
