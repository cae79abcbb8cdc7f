/// Sorts, quantile and top.
#pragma once

#include <bench/contestants/our_calls.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <algorithm>
#include <cstdint>

namespace upsweep::bench {

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
