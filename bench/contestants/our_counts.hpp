/// Histograms.
#pragma once

#include <bench/contestants/our_calls.hpp>
#include <upsweep/histogram.hpp>

#include <cstdint>
#include <span>

namespace upsweep::bench {

template <class On, class T>
void run_even_histogram(call& c) {
  upsweep::histogram(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts),
                     even{0, c.level});
  c.count = c.parts;
}

template <class On, class T>
void run_given_histogram(call& c) {
  upsweep::histogram(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts),
                     std::span<double const>(c.levels, c.parts + 1));
  c.count = c.parts;
}

template <class On, class T>
void run_weighted_histogram(call& c) {
  upsweep::weighted_histogram(on<On>(c), elements_in<T>(c), keys_in(c),
                              results_in<std::uint32_t>(c, c.parts), even{0, c.level});
  c.count = c.parts;
}

template <class On, class T>
void run_count_indices(call& c) {
  upsweep::count_indices(on<On>(c), elements_in<T>(c), results_in<std::uint32_t>(c, c.parts));
  c.count = c.parts;
}

template <class On>
inline constexpr verb_entry counts[] = {
    {"histogram even f32", run_even_histogram<On, float>},
    {"histogram even u32", run_even_histogram<On, std::uint32_t>},
    {"histogram even u8", run_even_histogram<On, std::uint8_t>},
    {"histogram given f32", run_given_histogram<On, float>},
    {"weighted_histogram sum f32", run_weighted_histogram<On, float>},
    {"count_indices u8", run_count_indices<On, std::uint8_t>},
    {"count_indices u32", run_count_indices<On, std::uint32_t>},
};

}  // namespace upsweep::bench
