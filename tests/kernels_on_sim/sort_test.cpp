/// What the CUDA backend adds to CUB's sorts, on the emulator.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/histogram/count.hpp>
#include <upsweep/cuda/histogram/search.hpp>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/sort/each.hpp>
#include <upsweep/cuda/sort/keys.hpp>
#include <upsweep/cuda/sort/rank.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

// What the CUDA backend adds to CUB's sorts, on the emulator: the order of keys, functions for
// each index, and the element of a rank, at every size, on every schedule, without a finding.

/// Numbers of random bits, with NaN of both signs, and zeros of both signs in masses.
template <class T>
std::vector<T> keys_for(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    auto const bits = static_cast<detail::bits_of_size<sizeof(T)>>(next());
    x.push_back(next() % 4 != 0 ? std::bit_cast<T>(bits)
                : next() % 2    ? T(0)
                                : std::bit_cast<T>(detail::ordered_bits(T(0))));
  }
  return x;
}

template <class T>
void expect_key_order() {
  using key = radix_key<T>;
  for (T const x : keys_for<T>(1000, 0)) {
    if constexpr (detail::is_float<T>) {
      auto const bits = std::bit_cast<key>(x).bits;
      EXPECT_EQ(key::ordered(bits), detail::ordered_bits(x));
      EXPECT_EQ(key::from_ordered(key::ordered(bits)), bits);
    } else {
      auto const k = std::bit_cast<key>(x);
      EXPECT_EQ(k < 0, x < 0);
    }
    auto const rises = std::bit_cast<T>(last_key<false, key>()),
               falls = std::bit_cast<T>(last_key<true, key>());
    EXPECT_LE(detail::ordered_bits(x), detail::ordered_bits(rises));
    EXPECT_GE(detail::ordered_bits(x), detail::ordered_bits(falls));
  }
}
TEST(device_sort, has_keys_in_the_order_of_numbers) {
  expect_key_order<float>();
  expect_key_order<double>();
  expect_key_order<std::int8_t>();
  expect_key_order<std::uint16_t>();
  expect_key_order<std::int32_t>();
  expect_key_order<std::uint64_t>();
}

template <class F>
void for_each_on_sim(sim::machine& m, bounded_size const& size, bool behind, F const& f) {
  m.launch({.name = "for_each_index", .blocks = {3}, .threads = {64}}, for_each_index<F>, size,
           behind, f);
}

TEST(device_sort, sets_aside_what_is_behind_a_length_and_puts_it_back) {
  for (auto const& s : every_schedule())
    for (std::size_t const n : {1u, 31u, 1000u, 3001u})
      for (std::size_t const length : {std::size_t{0}, n / 2, n - 1, n, n + 5}) {
        SCOPED_TRACE(testing::Message() << s << ", n = " << n << ", length " << length);
        sim::machine m = machine_for(s);
        auto const x = elements_for<std::uint32_t>(n);
        auto* const keys = m.allocate<std::uint32_t>(n, "keys");
        auto* const saved = m.allocate<std::uint32_t>(n, "saved");
        auto* const given = m.allocate<word>(1, "length");
        m.to_device(keys, std::span<std::uint32_t const>(x));
        m.fill(given, 1, word{length});
        for_each_on_sim(m, {n, given}, true, set_aside<std::uint32_t>{keys, saved, 77});
        auto want = x;
        for (std::size_t i = length; i < n; ++i) want[i] = 77;
        EXPECT_EQ(m.to_host(keys, n), want);
        for_each_on_sim(m, {n, given}, true,
                        copy_element<std::uint32_t const*, std::uint32_t*>{saved, keys});
        EXPECT_EQ(m.to_host(keys, n), x);
        for_each_on_sim(m, {n, given}, true, set_aside<std::uint32_t>{keys, nullptr, 78});
        for (std::size_t i = length; i < n; ++i) want[i] = 78;
        EXPECT_EQ(m.to_host(keys, n), want);
        expect_no_finding(m);
      }
}

TEST(device_sort, gathers_by_positions) {
  for (auto const& s : every_schedule())
    for (std::size_t const n : {0u, 1u, 65u, 3001u}) {
      SCOPED_TRACE(testing::Message() << s << ", n = " << n);
      sim::machine m = machine_for(s);
      auto const x = elements_for<triple>(n);
      auto* const from = m.allocate<triple>(n + 1, "from");
      auto* const to = m.allocate<triple>(n + 1, "to");
      auto* const order = m.allocate<std::uint32_t>(n + 1, "order");
      m.to_device(from, std::span<triple const>(x));
      for_each_on_sim(m, {n, nullptr}, false, store_position<std::uint32_t>{order});
      for_each_on_sim(m, {n, nullptr}, false,
                      gather_element<triple, std::uint32_t>{from, order, to});
      EXPECT_EQ(m.to_host(to, n), x);
      expect_no_finding(m);
    }
}

/// Finds the element of a rank as enqueue_rank does, then all that come before it.
template <class Less, class T>
void expect_rank(std::vector<T> const& x, std::size_t rank, scheduled const& s) {
  SCOPED_TRACE(testing::Message() << s << ", n = " << x.size() << ", rank " << rank);
  sim::machine m = machine_for(s);
  std::size_t const n = x.size(), most = std::size_t{1} << digit_bits;
  auto* const in = m.allocate<T>(n, "in");
  auto* const counts = m.allocate<std::uint64_t>(most, "counts");
  auto* const outside = m.allocate<word>(3, "outside");
  auto* found = m.allocate<found_digits>(8, "found");
  m.to_device(in, std::span<T const>(x));
  found_digits const* before = nullptr;
  for (unsigned left = 8 * sizeof(T); left > 0; ++found) {
    unsigned const bits = std::min(left, digit_bits);
    left -= bits;
    count_call call{};
    call.most = n;
    call.places = (1U << bits) + 3;
    call.offset = 1;
    call.bins = 1U << bits;
    call.kind = counter_kind::copies;
    call.copies = 1;
    call.is_alone = true;
    call.outside = outside;
    using search = digit_search<Less, T>;
    unsigned const words = sizeof(T) == 1 ? 256 + call.words_left() : call.counter_words();
    call.table_at = (words + 3) / 4 * 4;
    auto const workspace =
        workspace_on(m, call.words_before() + block_counts::words_needed(1, call.words_left()));
    m.launch(
        {.name = "count_places", .blocks = {1}, .threads = {64}, .shared_bytes = 4 * call.table_at},
        count_places<element_input<T const*>, search, std::uint64_t*>, call,
        element_input<T const*>{in, true}, search{before, left, bits}, counts, workspace);
    m.launch({.name = "find_digit", .blocks = {1}, .threads = {256}}, find_digit<256>,
             digit_call{counts, before, rank, bits, found});
    before = found;
  }
  std::vector<std::uint64_t> keys;
  for (T const v : x) keys.push_back(detail::sort_key<Less>(v));
  std::sort(keys.begin(), keys.end());
  found_digits const got = m.to_host(before, 1)[0];
  auto const [begin, end] = std::equal_range(keys.begin(), keys.end(), keys[rank]);
  EXPECT_EQ(got.prefix, keys[rank]);
  EXPECT_EQ(got.rank, rank - static_cast<std::size_t>(begin - keys.begin()));
  EXPECT_EQ(got.equal, static_cast<std::uint64_t>(end - begin));
  T const element =
      detail::from_sort_key<Less, T>(static_cast<detail::bits_of_size<sizeof(T)>>(got.prefix));
  auto* const out = m.allocate<T>(4, "out");
  for_each_on_sim(m, {4, nullptr}, false, copy_element<found_element<Less, T>, T*>{{before}, out});
  for (T const v : m.to_host(out, 4))
    EXPECT_EQ(detail::ordered_bits(v), detail::ordered_bits(element));
  expect_no_finding(m);
}
template <class Less, class T>
void expect_ranks() {
  auto const schedules = every_schedule();
  for (std::size_t k = 0; k < schedules.size(); ++k)
    for (std::size_t const n : {1u, 2u, 100u, 1500u}) {
      auto const x = keys_for<T>(n, k);
      for (std::size_t const rank : {std::size_t{0}, n / 2, n - 1})
        expect_rank<Less>(x, rank, schedules[k]);
    }
  expect_rank<Less>(std::vector<T>(500, T(3)), 77, schedules[0]);
}
TEST(device_sort, finds_the_element_of_a_rank) {
  expect_ranks<ascending, float>();
  expect_ranks<descending, double>();
  expect_ranks<descending, std::uint16_t>();
  expect_ranks<ascending, std::int8_t>();
}

// What weighted histograms add to sorts and reductions of segments, on the emulator: the bin of
// each element, and where each bin begins, on every schedule, without a finding.

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
