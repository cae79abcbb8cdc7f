/// Upsweep's sorts, quantile and top.
#include <bench/contestants/ours.hpp>

#include <upsweep/host/executor.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <algorithm>
#include <cstdint>

namespace upsweep::bench {
namespace {

template <class T>
void run_sort(call& c) {
  upsweep::sort(cpu{.threads = c.threads}, results_in<T>(c, c.n));
  c.count = c.n;
}

void run_sort_by_key(call& c) {
  upsweep::sort_by_key(cpu{.threads = c.threads}, results_in<std::uint32_t>(c, c.n),
                       more_results_in<std::uint32_t>(c, c.n));
  c.count = c.n;
}

void run_sort_by_order(call& c) {
  upsweep::sort(cpu{.threads = c.threads}, results_in<ordered_pair>(c, c.n), by_first{});
  c.count = c.n;
}

template <class T>
void run_argsort(call& c) {
  upsweep::argsort(cpu{.threads = c.threads}, elements_in<T>(c), results_in<std::uint32_t>(c, c.n));
  c.count = c.n;
}

template <class T>
void run_quantile(call& c) {
  results_in<double>(c, 1)[0] =
      upsweep::quantile(cpu{.threads = c.threads}, elements_in<T>(c), 0.5);
  c.count = 1;
}

template <class T>
void run_top(call& c) {
  c.count = upsweep::top(cpu{.threads = c.threads}, elements_in<T>(c),
                         results_in<T>(c, std::min(top_count, c.n)));
}

constexpr verb_entry sorts[] = {
    {"sort f32", run_sort<float>},
    {"sort u32", run_sort<std::uint32_t>},
    {"sort u64", run_sort<std::uint64_t>},
    {"sort_by_key u32", run_sort_by_key},
    {"sort_by_order pair", run_sort_by_order},
    {"argsort f32", run_argsort<float>},
    {"quantile f32", run_quantile<float>},
    {"top f32", run_top<float>},
};

}  // namespace

verb_entries our_sorts() {
  return sorts;
}

}  // namespace upsweep::bench
