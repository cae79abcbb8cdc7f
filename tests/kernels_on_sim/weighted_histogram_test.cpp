/// What weighted histograms add to sorts and reductions of segments, on the emulator: the bin of
/// each element, and where each bin begins, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/histogram/search.hpp>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/sort/each.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

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
template <class Key>
void expect_bin_borders(std::size_t n, bin_keys const& of, std::size_t length, scheduled const& s) {
  unsigned const bins = of.bins;
  SCOPED_TRACE(testing::Message() << s << ", n = " << n << ", " << bins << " bins, length "
                                  << length << (of.are_mixed ? ", mixed" : ""));
  sim::machine m = machine_for(s);
  auto const x = samples_for(n);
  auto* const in = m.allocate<float>(n + 1, "in");
  auto* const lengths = m.allocate<word>(1, "length");
  auto* const keys = m.allocate<Key>(n + 1, "keys");
  auto* const borders = m.allocate<word>(bins + 3, "borders");
  auto* const outside = m.allocate<word>(3, "outside");
  auto* const counted = m.allocate<word>(4, "counted");
  m.fill(counted, 4, word{0});
  m.to_device(in, std::span<float const>(x));
  m.fill(lengths, 1, word{length});
  auto const search = search_even<float, double>({0, 1.0 / bins, 1, bins}, false);
  for_each_on_sim(m, n,
                  find_key<float const*, decltype(search), Key>{
                      in, search, of, {n, lengths}, keys, of.are_mixed ? counted : nullptr});
  auto const key_for = [&](unsigned k) {
    return !of.are_mixed || k < bins ? k : (k - bins + 1) << of.bits;
  };
  std::vector<unsigned> places;
  std::vector<Key> want;
  for (std::size_t i = 0; i < n; ++i) {
    places.push_back(i < length ? key_of(x[i], bins) : bins + 3);
    want.push_back(static_cast<Key>(key_for(places.back())));
  }
  EXPECT_EQ(m.to_host(keys, n), want);

  auto const sorted_by = [&](unsigned key) { return of.are_mixed ? key % (1U << of.bits) : key; };
  std::ranges::stable_sort(want, {}, sorted_by);
  m.to_device(keys, std::span<Key const>(want));
  find_bin_borders<Key> const find{keys, n, of, borders, outside, counted};
  for_each_on_sim(m, find.size(), find);
  auto const others = m.to_host(outside, 3);
  for (unsigned k = 0; k < 3; ++k)
    EXPECT_EQ(others[k], static_cast<word>(std::ranges::count(places, bins + k))) << k;
  EXPECT_EQ(m.to_host(borders, 1)[0], 0u);
  auto const ends = m.to_host(borders + (of.are_mixed ? 2 : 1), bins);
  for (unsigned b = 0; b < bins; ++b)
    EXPECT_EQ(ends[b], static_cast<word>(std::ranges::count_if(
                           want, [&](unsigned key) { return sorted_by(key) <= b; })))
        << b;
  if (of.are_mixed) {
    bool const has_others = std::ranges::any_of(places, [&](unsigned key) { return key >= bins; });
    EXPECT_EQ(m.to_host(borders + bins + 2, 1)[0], has_others ? ends[0] : 0);
  }
  expect_no_finding(m);
}

TEST(device_weighted_histogram, finds_keys_and_where_bins_begin) {
  for (auto const& s : every_schedule())
    for (std::size_t const n : {0u, 1u, 32u, 1000u, 3001u})
      for (unsigned const bins : {1u, 10u, 300u})
        for (std::size_t const length : {n, n / 2, std::size_t{0}, n + 7}) {
          expect_bin_borders<unsigned>(n, {bins, 31, false}, length, s);
          if (length == n / 2)
            expect_bin_borders<std::uint16_t>(
                n, {bins, static_cast<unsigned>(std::bit_width(bins)), true}, length, s);
        }
}
TEST(device_weighted_histogram, sorts_by_no_more_digits_than_bins_have) {
  for (unsigned const bins : {1u, 252u, 253u, 256u, 257u, 65'532u, 65'536u, 65'537u}) {
    bin_keys const of = bin_keys::of(bins);
    EXPECT_EQ(of.are_mixed, (bins > 252 && bins <= 256) || (bins > 65'532 && bins <= 65'536));
    EXPECT_EQ((of.bits + 7) / 8, bins <= 256 ? 1u : bins <= 65'536 ? 2u : 3u) << bins;
  }
}

}  // namespace
}  // namespace upsweep::test
