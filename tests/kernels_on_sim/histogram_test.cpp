/// The histograms of the CUDA backend on the emulator: counts by comparison with every level, at
/// every size, with every kind of counters, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/histogram/count.hpp>
#include <upsweep/cuda/histogram/search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

struct counting {
  counter_kind kind = counter_kind::copies;
  unsigned copies = 2, blocks = 3;
  bool table_in_shared = true;
  scheduled s{};
  bool hands_over = true;  ///< counters of 16 bits, to the totals
  bool adds = false;       ///< blocks add to the results

  [[nodiscard]] bool has_totals(counter_kind of_call) const {
    return of_call == counter_kind::totals || (of_call == counter_kind::halves && hands_over);
  }
};

/// What the kernel has stored.
template <class U>
struct counted {
  std::vector<U> counts;
  count_report report;
};

count_report report_at(sim::machine& m, word const* at) {
  count_report report;
  auto const words = m.to_host(at, sizeof report / sizeof(word));
  std::memcpy(&report, words.data(), sizeof report);
  return report;
}

/// Launches the kernels of a call.
template <class Input, class Search, class U>
void launch_count(sim::machine& m, counting const& how, count_call const& call, Input const& in,
                  Search const& search, U* out, workspace_words const& workspace) {
  bool const may_fail = call.most > std::size_t{std::numeric_limits<U>::max()};
  if (call.adds)
    m.launch({.name = "clear_counts", .blocks = {call.bins / 256 + 1}, .threads = {256}},
             clear_counts<U*>, call, out);
  m.launch({.name = "count_places",
            .blocks = {how.blocks},
            .threads = {64},
            .shared_bytes = 4 * (call.table_at + call.shared_table)},
           count_places<Input, Search, U*>, call, in, search, out, workspace);
  if (!call.is_alone && !call.adds)
    m.launch({.name = "sum_counts", .blocks = {may_fail ? 1U : 2U}, .threads = {64}},
             sum_counts<Search::refuses, U*>, call, how.blocks, out, workspace);
}

/// Runs the kernel on blocks of two warps.
template <class U, class T, class Search>
counted<U> count_on_sim(std::vector<T> const& x, Search search, unsigned places, unsigned offset,
                        std::size_t bins, counting const& how, std::vector<unsigned> const& table,
                        word const* length = nullptr) {
  sim::machine m = machine_for(how.s);
  constexpr bool by_value = sizeof(T) == 1 && !Search::refuses;
  auto* const in = m.allocate<T>(x.size() + 1, "in");
  m.to_device(in, std::span<T const>(x));
  auto* const out = m.allocate<U>(bins, "counts");
  m.fill(out, bins, U{77});
  auto* const report = m.allocate<word>(sizeof(count_report) / sizeof(word), "report");
  auto* const lengths = m.allocate<word>(1, "length");
  m.fill(lengths, 1, length != nullptr ? *length : word{0});
  count_call call{};
  call.most = x.size();
  call.given = length != nullptr ? lengths : nullptr;
  call.places = places;
  call.offset = offset;
  call.bins = static_cast<unsigned>(bins);
  call.kind = by_value && how.kind == counter_kind::halves ? counter_kind::copies : how.kind;
  call.has_totals =
      call.kind == counter_kind::totals || (call.kind == counter_kind::halves && how.hands_over);
  call.copies = call.kind == counter_kind::copies || by_value ? how.copies : 1;
  call.is_alone = how.blocks == 1 && call.kind == counter_kind::copies;
  call.are_few = how.blocks > 1;
  call.outside = report;
  call.adds = how.adds;
  call.reports = !how.adds;
  if constexpr (Search::has_table) {
    unsigned const stride = how.table_in_shared ? 2 : 1;
    auto* const to = m.allocate<unsigned>(stride * table.size(), "table");
    table_part<64> part{};
    for (std::size_t i = 0; i < table.size(); i += 64) {
      auto const count = static_cast<unsigned>(std::min<std::size_t>(table.size() - i, 64));
      std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(i), count, part.words);
      m.launch({.name = "store_table", .blocks = {1}, .threads = {64}}, store_table<64>, part,
               count, stride, to + i * stride);
    }
    search.table = to;
    if (how.table_in_shared) call.shared_table = static_cast<unsigned>(table.size());
  }
  std::size_t const words = by_value ? how.copies * 256 + call.words_left() : call.counter_words();
  call.table_at = static_cast<unsigned>((words + 3) / 4 * 4);
  auto const workspace = workspace_on(
      m, call.words_before() + block_counts::words_needed(how.blocks, call.words_left()));
  m.fill(report, sizeof(count_report) / sizeof(word), ~word{0});
  for (int repeat = 0; repeat < 2; ++repeat)  // the workspace is used again
    launch_count(m, how, call, element_input<T const*>{in, true}, search, out, workspace);
  expect_no_finding(m);
  return {m.to_host(out, bins), report_at(m, report)};
}

/// Whether `x` is at the level or above, by numbers that hold both.
template <class T>
bool is_at_least(T x, double level) {
  if constexpr (detail::is_float<T>)
    return static_cast<double>(x) >= level;
  else
    return static_cast<long double>(x) >= static_cast<long double>(level);
}
/// The counts below, in each bin, above and of NaN, by comparison with every level.
template <class T, class Levels>
std::vector<std::size_t> expected_counts(std::vector<T> const& x, Levels const& levels,
                                         std::size_t bins, bool closed_right) {
  std::vector<std::size_t> counts(bins + 3);
  for (T const v : x) {
    std::size_t place = 0;
    while (place <= bins && is_at_least(v, levels[place])) ++place;
    if (place == bins + 1 && closed_right &&
        static_cast<long double>(v) == static_cast<long double>(levels[bins]))
      place = bins;
    if constexpr (detail::is_float<T>)
      if (v != v) place = bins + 2;
    ++counts[place];
  }
  return counts;
}
template <class U>
void expect_counts(counted<U> const& got, std::vector<std::size_t> const& want) {
  std::size_t const bins = got.counts.size();
  for (std::size_t b = 0; b < bins; ++b) ASSERT_EQ(got.counts[b], want[b + 1]) << "bin " << b;
  EXPECT_EQ(got.report.outside[0], want[0]) << "below";
  EXPECT_EQ(got.report.outside[1], want[bins + 1]) << "above";
  EXPECT_EQ(got.report.outside[2], want[bins + 2]) << "NaN";
  EXPECT_EQ(got.report.too_large, ~word{0});
}

/// Elements in and around the levels, on them and next to them.
template <class T, class Levels>
std::vector<T> elements_around(Levels const& levels, std::size_t n) {
  random_bits next(test_seed() + n);
  double const low = levels[0], high = levels[levels.size() - 1],
               width = std::isfinite(high - low) ? high - low : 100;
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    double const level = levels[next() % levels.size()],
                 anywhere = (std::isfinite(low) ? low : 0) +
                            width * (static_cast<double>(next() % 4096) / 3500 - 0.08);
    double v = next() % 3 != 0 ? anywhere : level;
    if constexpr (detail::is_float<T>) {
      auto t = static_cast<T>(v);
      unsigned const kind = next() % 16;
      if (kind == 0) t = std::numeric_limits<T>::quiet_NaN();
      if (kind == 1) t = std::numeric_limits<T>::infinity();
      if (kind == 2) t = -std::numeric_limits<T>::infinity();
      if (kind == 3) t = T{-0.0};
      if (kind >= 4 && kind < 7) t = std::nextafter(t, std::numeric_limits<T>::lowest());
      if (kind >= 7 && kind < 10) t = std::nextafter(t, std::numeric_limits<T>::max());
      x.push_back(t);
    } else {
      v = std::floor(v) + static_cast<double>(next() % 3) - 1;
      auto const least = static_cast<double>(std::numeric_limits<T>::min()),
                 most = std::nextafter(static_cast<double>(std::numeric_limits<T>::max()), 0);
      x.push_back(static_cast<T>(std::clamp(v, least, most)));
    }
  }
  return x;
}

template <class T, class F>
void expect_even(std::size_t n, even const& e, std::size_t bins, bool closed_right,
                 counting const& how = {}) {
  SCOPED_TRACE(testing::Message() << n << " elements, " << bins << " bins from " << e.low << " to "
                                  << e.high << ", " << how.s << ", " << seed_note());
  detail::even_levels const levels{e.low, (e.high - e.low) / static_cast<double>(bins), e.high,
                                   bins};
  auto const x = elements_around<T>(levels, n);
  auto const search = search_even<T, F>(levels, closed_right);
  ASSERT_TRUE(is_useful(search, levels));
  auto const places = static_cast<unsigned>(bins + 3);
  auto const want = expected_counts(x, levels, bins, closed_right);
  expect_counts(count_on_sim<std::uint32_t>(x, search, places, 1, bins, how, {}), want);
  auto const lattice = search_lattice<T, F>(levels);
  if (has_exact_borders(lattice, levels, closed_right))
    expect_counts(count_on_sim<std::uint32_t>(x, lattice, places, 1, bins, how, {}), want);
}
template <class T>
void expect_levels(std::size_t n, std::vector<double> const& levels, bool closed_right,
                   counting const& how = {}) {
  std::size_t const bins = levels.size() - 1;
  SCOPED_TRACE(testing::Message() << n << " elements, " << bins << " bins from " << levels[0]
                                  << ", " << how.s << ", " << seed_note());
  auto const x = elements_around<T>(levels, n);
  level_table<T> const table(levels, bins, closed_right);
  expect_counts(count_on_sim<std::uint64_t>(x, table.search, static_cast<unsigned>(bins + 3), 1,
                                            bins, how, table.words),
                expected_counts(x, levels, bins, closed_right));
}
std::vector<double> random_levels(std::size_t bins, double low, double high) {
  random_bits next(test_seed() + bins);
  std::vector<double> levels{low, high};
  while (levels.size() < bins + 1)
    levels.push_back(low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53));
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

TEST(device_histogram, counts_in_even_bins_at_every_size) {
  for (std::size_t const n : {0, 1, 3, 4, 127, 128, 129, 255, 256, 257, 767, 768, 769, 5003})
    for (std::size_t const bins : {1, 2, 10, 256}) {
      expect_even<float, float>(n, {-1.5, 2.25}, bins, false);
      expect_even<double, double>(n, {0.1, 0.7}, bins, true);
      expect_even<float, float>(n, {0, 3}, bins, false, {.blocks = 1});
      expect_even<std::uint8_t, float>(n, {0, 99}, bins, true, {.blocks = 1});
    }
}
TEST(device_histogram, places_every_number_type_by_comparison) {
  for (bool const closed : {false, true}) {
    expect_even<float, double>(3000, {1e6, 1e6 + 3}, 1000, closed);
    expect_even<float, double>(3000, {-3e38, 3e38}, 100, closed);
    expect_even<float, float>(3000, {-1e38, 2e38}, 100, closed);
    expect_even<std::uint8_t, float>(3000, {10, 200}, 19, closed);
    expect_even<std::int8_t, float>(3000, {-100.5, 99}, 7, closed);
    expect_even<std::int16_t, float>(3000, {-300, 301}, 50, closed);
    expect_even<std::uint32_t, float>(3000, {0, 4294967295.0}, 256, closed);
    expect_even<std::int32_t, double>(3000, {-2147483648.0, 2147483647.0}, 5000, closed);
    expect_even<std::int64_t, double>(3000, {-0x1p63, 0x1p62}, 77, closed);
    expect_even<std::uint64_t, double>(3000, {0, 1e6}, 1000, closed);
  }
}
template <class T, class F>
void expect_lattice(even const& e, std::size_t bins, bool is_one) {
  detail::even_levels const levels{e.low, (e.high - e.low) / static_cast<double>(bins), e.high,
                                   bins};
  EXPECT_EQ((has_exact_borders(search_lattice<T, F>(levels), levels, false)), is_one)
      << bins << " bins from " << e.low << " to " << e.high;
  if (is_one && bins <= 5000) expect_even<T, F>(3000, e, bins, false);
}
TEST(device_histogram, compares_with_borders_that_are_not_rounded) {
  expect_lattice<float, float>({0, 1}, 256, true);
  expect_lattice<float, float>({-3.5, 4.5}, 64, true);
  expect_lattice<float, float>({-96, 7}, 103, true);
  expect_lattice<float, float>({0, 65536}, 65536, true);
  expect_lattice<float, float>({0, 0.7}, 7, false);
  expect_lattice<float, float>({0, 1}, 100, false);
  expect_lattice<float, float>({1e6, 1e6 + 1}, 1000, false);
  expect_lattice<float, float>({0x1p-140, 0x1p-130}, 16, false);
  expect_lattice<double, double>({-1e6, 1e6}, 4000, true);
  expect_lattice<std::uint32_t, float>({0, 256}, 256, true);
  expect_lattice<std::int16_t, float>({-300, 300}, 50, true);
  expect_lattice<std::uint8_t, float>({0, 256}, 256, true);
  expect_lattice<std::uint32_t, float>({0, 0x1p32}, 256, false);  // elements are rounded
  expect_lattice<std::int64_t, double>({-0x1p40, 0x1p40}, 1024, true);
}
TEST(device_histogram, searches_levels) {
  for (bool const closed : {false, true})
    for (bool const in_shared : {true, false}) {
      counting const how{.table_in_shared = in_shared};
      for (std::size_t const bins : {1, 2, 3, 100, 1500}) {
        expect_levels<float>(2000, random_levels(bins, -3, 5), closed, how);
        expect_levels<double>(2000, random_levels(bins, -3, 5), closed, how);
        expect_levels<std::uint8_t>(2000, random_levels(bins, -3, 300), closed, how);
        expect_levels<std::int64_t>(2000, random_levels(bins, -0x1p63, 0x1p63), closed, how);
      }
      std::vector<double> squares;
      for (int k = 0; k <= 300; ++k) squares.push_back(k * k);
      expect_levels<float>(2000, squares, closed, how);
      expect_levels<std::uint32_t>(2000, squares, closed, how);
      constexpr double infinity = std::numeric_limits<double>::infinity();
      expect_levels<float>(500, {-infinity, 0, 1, infinity}, closed, how);
      expect_levels<double>(500, {1, 1 + 0x1p-52, 1e300}, closed, how);
      expect_levels<std::uint64_t>(500, {0x1p60, 0x1p62}, closed, how);
    }
}
TEST(device_histogram, counts_in_every_kind_of_counters_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (counter_kind const kind :
         {counter_kind::copies, counter_kind::halves, counter_kind::totals})
      for (unsigned copies = 1; copies <= 2; ++copies) {
        counting const how{kind, copies, 3, true, s, copies == 2};
        expect_even<float, float>(2500, {0, 1}, 37, false, how);
        expect_levels<double>(2500, random_levels(10, 0, 1), true, how);
      }
}
TEST(device_histogram, adds_to_results_on_every_schedule) {
  for (scheduled const& s : every_schedule()) {
    counting const how{.s = s, .adds = true};
    for (std::size_t const n : {0, 1, 257, 2500}) {
      expect_even<float, float>(n, {0, 1}, 300, false, how);
      expect_even<std::uint8_t, float>(n, {10, 200}, 19, true, how);
    }
    expect_levels<double>(2500, random_levels(10, 0, 1), true, how);
  }
}
TEST(device_histogram, moves_what_counters_of_16_bits_do_not_hold) {
  for (scheduled const& s : {scheduled{}, scheduled{sim::schedule::random, 5},
                             scheduled{sim::schedule::adversarial, 3}}) {
    std::vector<std::uint16_t> x(150000, 6);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 7;
    std::fill(x.begin(), x.begin() + 70000, std::uint16_t{7});
    std::vector<std::size_t> want(10);
    for (std::uint16_t const v : x) ++want[v];
    auto const got = count_on_sim<std::uint32_t>(x, index_search<std::uint16_t>{10}, 11, 0, 10,
                                                 {counter_kind::halves, 1, 1, true, s}, {});
    for (std::size_t b = 0; b < 10; ++b) EXPECT_EQ(got.counts[b], want[b]) << b;
  }
}
TEST(device_histogram, refuses_what_is_no_index) {
  for (std::size_t const bad : {0, 1, 700, 1999}) {
    counting const how{.blocks = bad == 700 ? 1U : 3U};
    std::vector<int> x(2000, 3);
    auto const fine = count_on_sim<int>(x, index_search<int>{5}, 6, 0, 5, how, {});
    EXPECT_EQ(fine.counts, (std::vector<int>{0, 0, 0, 2000, 0}));
    x[bad] = -1;
    x[1999] = 5;
    auto const got = count_on_sim<int>(x, index_search<int>{5}, 6, 0, 5, how, {});
    EXPECT_EQ(got.counts, std::vector<int>(5, 77)) << "the counts were stored";
    EXPECT_EQ(got.report.outside[0], bad == 1999 ? 1u : 2u);
    EXPECT_EQ(got.report.first_refused, bad);
  }
}
TEST(device_histogram, reports_a_count_that_does_not_fit) {
  std::vector<int> x(700, 2);
  std::fill(x.begin(), x.begin() + 255, 1);
  for (unsigned const blocks : {1, 3})
    for (counter_kind const kind :
         {counter_kind::copies, counter_kind::halves, counter_kind::totals}) {
      auto const got = count_on_sim<std::uint8_t>(x, index_search<int>{3}, 4, 0, 3,
                                                  {.kind = kind, .blocks = blocks}, {});
      EXPECT_EQ(got.report.too_large, 2u);
      EXPECT_EQ(got.report.largest, 445u);
      EXPECT_EQ(got.counts, std::vector<std::uint8_t>(3, 77));
    }
}
TEST(device_histogram, reads_its_length_from_device_memory) {
  std::vector<int> const x(1000, 1);
  for (word const length : {word{0}, word{1}, word{999}, word{5000}}) {
    auto const got = count_on_sim<int>(x, index_search<int>{2}, 3, 0, 2, {}, {}, &length);
    EXPECT_EQ(got.counts[1], static_cast<int>(std::min<word>(length, 1000)));
  }
}

}  // namespace
}  // namespace upsweep::test
