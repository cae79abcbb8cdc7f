/// What weighted histograms add to sorts and reductions of segments, on the emulator: the bin of
/// each element, and where each bin begins, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/histogram/search_bins.hpp>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/sort/each.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace upsweep::test {
namespace {

using namespace device;

/// Numbers from a tenth below 0 to a tenth above 1, and NaN.
std::vector<float> samples_for(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<float> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(next() % 20 == 0 ? std::nanf("")
                                 : static_cast<float>(next() >> 40) * 0x1.4p-24f - 0.1f);
  return x;
}
/// The key of a number in even bins from 0 to 1.
unsigned key_of(float v, unsigned bins) {
  if (v != v) return bins + 2;
  if (v < 0) return bins;
  unsigned b = 0;
  while (b < bins && double{v} >= (b + 1) * (1.0 / bins)) ++b;
  return b < bins ? b : bins + 1;
}

template <class F>
void for_each_on_sim(sim::machine& m, std::size_t n, F const& f) {
  m.launch({.name = "for_each_index", .blocks = {3}, .threads = {64}}, for_each_index<F>,
           bounded_size{n, nullptr}, false, f);
}

/// Finds the keys, sorts them on the host, and finds the borders.
void expect_placed(std::size_t n, unsigned bins, std::size_t length, scheduled const& s) {
  SCOPED_TRACE(testing::Message() << s << ", n = " << n << ", " << bins << " bins, length "
                                  << length);
  sim::machine m = machine_for(s);
  auto const x = samples_for(n);
  auto* const in = m.allocate<float>(n + 1, "in");
  auto* const lengths = m.allocate<word>(1, "length");
  auto* const keys = m.allocate<unsigned>(n + 1, "keys");
  auto* const borders = m.allocate<word>(bins + 1, "borders");
  auto* const outside = m.allocate<word>(3, "outside");
  m.to_device(in, std::span<float const>(x));
  m.fill(lengths, 1, word{length});
  auto const search = search_even<float, double>({0, 1.0 / bins, 1, bins}, false);
  for_each_on_sim(m, n,
                  find_key<float const*, decltype(search)>{in, search, bins, {n, lengths}, keys});
  std::vector<unsigned> want;
  for (std::size_t i = 0; i < n; ++i) want.push_back(i < length ? key_of(x[i], bins) : bins + 3);
  EXPECT_EQ(m.to_host(keys, n), want);

  std::ranges::sort(want);
  m.to_device(keys, std::span<unsigned const>(want));
  for_each_on_sim(m, bins + 4, find_bin_borders{keys, n, bins, borders, outside});
  auto const begins = m.to_host(borders, bins + 1), others = m.to_host(outside, 3);
  for (unsigned b = 0; b < bins; ++b)
    EXPECT_EQ(begins[b + 1] - begins[b], static_cast<word>(std::ranges::count(want, b))) << b;
  for (unsigned k = 0; k < 3; ++k)
    EXPECT_EQ(others[k], static_cast<word>(std::ranges::count(want, bins + k))) << k;
  EXPECT_EQ(begins[0], 0u);
  expect_no_finding(m);
}

TEST(device_weighted_histogram, finds_keys_and_where_bins_begin) {
  for (auto const& s : every_schedule())
    for (std::size_t const n : {0u, 1u, 32u, 1000u, 3001u})
      for (unsigned const bins : {1u, 10u, 300u})
        for (std::size_t const length : {n, n / 2, std::size_t{0}, n + 7})
          expect_placed(n, bins, length, s);
}

}  // namespace
}  // namespace upsweep::test
