/// What the CUDA backend adds to CUB's sorts, on the emulator: the order of keys, functions for
/// each index, and the element of a rank, at every size, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/histogram/count.hpp>
#include <upsweep/cuda/sort/each.hpp>
#include <upsweep/cuda/sort/keys.hpp>
#include <upsweep/cuda/sort/rank.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

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

}  // namespace
}  // namespace upsweep::test
