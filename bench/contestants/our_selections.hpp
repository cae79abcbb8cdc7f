/// Selections, partitions, unique, runs and padding.
#pragma once

#include <bench/contestants/our_calls.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::bench {

template <class T>
struct below {
  T level;
  UPSWEEP_BOTH bool operator()(T v) const { return v < level; }
};

template <class On, class T>
void run_select(call& c) {
  c.count = upsweep::select(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                            below{static_cast<T>(c.level)});
}

template <class On, class T>
void run_select_positions(call& c) {
  c.count =
      upsweep::select_positions(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.n),
                                below{static_cast<T>(c.level)});
}

template <class On, class T>
void run_partition(call& c) {
  c.count = upsweep::partition(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                               more_results_in<T>(c, c.n), below{static_cast<T>(c.level)})
                .yes;
}

template <class On, class T>
void run_select_by_flags(call& c) {
  c.count = upsweep::select(on<On>(c), elements_in<T>(c), flags_in(c), results_in<T>(c, c.n));
}

template <class On, class T>
void run_partition_in_three(call& c) {
  auto const level = static_cast<T>(c.level);
  auto const more = more_results_in<T>(c, 2 * c.n);
  c.count = upsweep::partition(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n), more.first(c.n),
                               more.last(c.n), below{level}, below{2 * level})
                .first;
}

template <class On, class T>
void run_pad(call& c) {
  std::size_t const rows = padded_rows(c);
  c.count = rows * c.parts;
  upsweep::pad(on<On>(c), results_in<T>(c, c.count), rows, kept_columns, c.parts);
}

template <class On, class T>
void run_unpad(call& c) {
  std::size_t const rows = padded_rows(c);
  upsweep::unpad(on<On>(c), results_in<T>(c, rows * c.parts), rows, kept_columns, c.parts);
  c.count = rows * kept_columns;
}

template <class On, class T>
void run_unique(call& c) {
  c.count = upsweep::unique(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n));
}

template <class On, class T>
void run_runs(call& c) {
  c.count = upsweep::runs(on<On>(c), elements_in<T>(c), results_in<T>(c, c.n),
                          more_results_in<std::uint32_t>(c, c.n));
}

template <class On, class T>
void run_run_starts(call& c) {
  c.count = upsweep::run_starts(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.n));
}

template <class On>
inline constexpr verb_entry selections[] = {
    {"select f32", run_select<On, float>},
    {"select u32", run_select<On, std::uint32_t>},
    {"select f64", run_select<On, double>},
    {"select flags f32", run_select_by_flags<On, float>},
    {"partition f32", run_partition<On, float>},
    {"partition u32", run_partition<On, std::uint32_t>},
    {"partition f64", run_partition<On, double>},
    {"partition three f32", run_partition_in_three<On, float>},
    {"unique f32", run_unique<On, float>},
    {"unique u32", run_unique<On, std::uint32_t>},
    {"unique f64", run_unique<On, double>},
    {"runs f32", run_runs<On, float>},
    {"runs u32", run_runs<On, std::uint32_t>},
    {"runs f64", run_runs<On, double>},
    {"select_positions f32", run_select_positions<On, float>},
    {"run_starts u32", run_run_starts<On, std::uint32_t>},
    {"pad f32", run_pad<On, float>},
    {"unpad f32", run_unpad<On, float>},
};

}  // namespace upsweep::bench
