/// Upsweep's selections, partitions, unique, runs and padding.
#include <bench/contestants/ours.hpp>

#include <upsweep/host/executor.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::bench {
namespace {

template <class T>
void run_select(call& c) {
  c.count = upsweep::select(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n),
                            [level = static_cast<T>(c.level)](T v) { return v < level; });
}

template <class T>
void run_select_positions(call& c) {
  c.count = upsweep::select_positions(cpu{.threads = c.threads}, elements_in<T>(c),
                                      results_in<std::uint32_t>(c, c.n),
                                      [level = static_cast<T>(c.level)](T v) { return v < level; });
}

template <class T>
void run_partition(call& c) {
  c.count = upsweep::partition(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n),
                               more_results_in<T>(c, c.n),
                               [level = static_cast<T>(c.level)](T v) { return v < level; })
                .yes;
}

template <class T>
void run_select_by_flags(call& c) {
  c.count = upsweep::select(cpu{.threads = c.threads}, elements_in<T>(c), flags_in(c),
                            results_in<T>(c, c.n));
}

template <class T>
void run_partition_in_three(call& c) {
  auto const level = static_cast<T>(c.level);
  auto const more = more_results_in<T>(c, 2 * c.n);
  c.count = upsweep::partition(
                cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n),
                more.first(c.n), more.last(c.n), [level](T v) { return v < level; },
                [level](T v) { return v < 2 * level; })
                .first;
}

template <class T>
void run_pad(call& c) {
  std::size_t const rows = padded_rows(c);
  c.count = rows * c.parts;
  upsweep::pad(cpu{.threads = c.threads}, results_in<T>(c, c.count), rows, kept_columns, c.parts);
}

template <class T>
void run_unpad(call& c) {
  std::size_t const rows = padded_rows(c);
  upsweep::unpad(cpu{.threads = c.threads}, results_in<T>(c, rows * c.parts), rows, kept_columns,
                 c.parts);
  c.count = rows * kept_columns;
}

template <class T>
void run_unique(call& c) {
  c.count = upsweep::unique(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n));
}

template <class T>
void run_runs(call& c) {
  c.count = upsweep::runs(cpu{.threads = c.threads}, elements_in<T>(c), results_in<T>(c, c.n),
                          more_results_in<std::uint32_t>(c, c.n));
}

template <class T>
void run_run_starts(call& c) {
  c.count = upsweep::run_starts(cpu{.threads = c.threads}, elements_in<T>(c),
                                results_in<std::uint32_t>(c, c.n));
}

constexpr verb_entry selections[] = {
    {"select f32", run_select<float>},
    {"select u32", run_select<std::uint32_t>},
    {"select f64", run_select<double>},
    {"select flags f32", run_select_by_flags<float>},
    {"partition f32", run_partition<float>},
    {"partition u32", run_partition<std::uint32_t>},
    {"partition f64", run_partition<double>},
    {"partition three f32", run_partition_in_three<float>},
    {"unique f32", run_unique<float>},
    {"unique u32", run_unique<std::uint32_t>},
    {"unique f64", run_unique<double>},
    {"runs f32", run_runs<float>},
    {"runs u32", run_runs<std::uint32_t>},
    {"runs f64", run_runs<double>},
    {"select_positions f32", run_select_positions<float>},
    {"run_starts u32", run_run_starts<std::uint32_t>},
    {"pad f32", run_pad<float>},
    {"unpad f32", run_unpad<float>},
};

}  // namespace

verb_entries our_selections() {
  return selections;
}

}  // namespace upsweep::bench
