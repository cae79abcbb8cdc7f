/// Upsweep's histograms.
#include <bench/contestants/ours.hpp>

#include <upsweep/histogram.hpp>
#include <upsweep/host/executor.hpp>

#include <cstdint>
#include <span>

namespace upsweep::bench {
namespace {

template <class T>
void run_even_histogram(call& c) {
  upsweep::histogram(cpu{.threads = c.threads}, elements_in<T>(c),
                     results_in<std::uint32_t>(c, c.parts), even{0, c.level});
  c.count = c.parts;
}

template <class T>
void run_given_histogram(call& c) {
  upsweep::histogram(cpu{.threads = c.threads}, elements_in<T>(c),
                     results_in<std::uint32_t>(c, c.parts),
                     std::span<double const>(c.levels, c.parts + 1));
  c.count = c.parts;
}

template <class T>
void run_weighted_histogram(call& c) {
  upsweep::weighted_histogram(cpu{.threads = c.threads}, elements_in<T>(c), keys_in(c),
                              results_in<std::uint32_t>(c, c.parts), even{0, c.level});
  c.count = c.parts;
}

template <class T>
void run_count_indices(call& c) {
  upsweep::count_indices(cpu{.threads = c.threads}, elements_in<T>(c),
                         results_in<std::uint32_t>(c, c.parts));
  c.count = c.parts;
}

constexpr verb_entry counts[] = {
    {"histogram even f32", run_even_histogram<float>},
    {"histogram even u32", run_even_histogram<std::uint32_t>},
    {"histogram even u8", run_even_histogram<std::uint8_t>},
    {"histogram given f32", run_given_histogram<float>},
    {"weighted_histogram sum f32", run_weighted_histogram<float>},
    {"count_indices u8", run_count_indices<std::uint8_t>},
    {"count_indices u32", run_count_indices<std::uint32_t>},
};

}  // namespace

verb_entries our_counts() {
  return counts;
}

}  // namespace upsweep::bench
