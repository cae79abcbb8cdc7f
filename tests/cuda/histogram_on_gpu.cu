/// histogram and count_indices on a GPU: the counts of the CPU at every edge and alignment,
/// for every number type, kind of bins and of counters, with counts that stay on the device.
#include "endless.cuh"
#include "on_gpu.cuh"

#include <support/message.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Numbers around `low` to `high`: anywhere, on multiples of a bin's width, next to them, and what
/// only floating-point numbers have.
template <class T>
std::vector<T> numbers_around(std::size_t n, double low, double high, std::size_t bins) {
  random_bits next(test_seed() + n + bins);
  double const width = high - low;
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    double const part = static_cast<double>(next() >> 11) * 0x1p-53,
                 border = low + static_cast<double>(next() % (bins + 1)) * (width / bins),
                 v = next() % 2 == 0 ? low + width * (1.1 * part - 0.05) : border;
    if constexpr (std::is_floating_point_v<T>) {
      auto t = static_cast<T>(v);
      switch (next() % 32) {
        case 0:
          t = std::numeric_limits<T>::quiet_NaN();
          break;
        case 1:
          t = std::numeric_limits<T>::infinity();
          break;
        case 2:
          t = -std::numeric_limits<T>::infinity();
          break;
        case 3:
          t = -T{0};
          break;
        case 4:
          t = std::nextafter(t, T(-1e30));
          break;
        case 5:
          t = std::nextafter(t, T(1e30));
          break;
        default:
          break;
      }
      x.push_back(t);
    } else {
      auto const least = static_cast<double>(std::numeric_limits<T>::min()),
                 most = std::nextafter(static_cast<double>(std::numeric_limits<T>::max()), 0.0);
      x.push_back(static_cast<T>(std::clamp(v, least, most)));
    }
  }
  return x;
}

template <class T, class U, class Bins>
void expect_histogram(std::vector<T> const& x, std::size_t offset, std::size_t bins,
                      Bins const& given, bool closed_right) {
  SCOPED_TRACE(testing::Message() << x.size() << " elements at " << offset << ", " << bins
                                  << " bins, " << seed_note());
  std::vector<std::uint64_t> want(bins);
  auto const outside = upsweep::histogram(cpu{}, x, want, given, {.closed_right = closed_right});
  on_gpu<T> const in(x, offset);
  on_gpu<U> const counts(bins);
  auto const found =
      upsweep::histogram(gpu{}, in.input(), counts.span(), given, {.closed_right = closed_right});
  EXPECT_TRUE(found == outside) << found.below << ' ' << found.above << ' ' << found.nan
                                << " outside, not " << outside.below << ' ' << outside.above << ' '
                                << outside.nan;
  auto const got = counts.values();
  for (std::size_t b = 0; b < bins; ++b) ASSERT_EQ(got[b], want[b]) << "bin " << b;
  EXPECT_EQ(0, std::memcmp(in.values().data(), x.data(), x.size() * sizeof(T)));
}

/// Even bins, and borders that are closer where they are low.
template <class T>
void expect_both(std::size_t n, std::size_t offset, double low, double high, std::size_t bins,
                 bool closed_right) {
  auto const x = numbers_around<T>(n, low, high, bins);
  expect_histogram<T, std::uint32_t>(x, offset, bins, even{low, high}, closed_right);
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b) {
    double const part = static_cast<double>(b) / static_cast<double>(bins);
    levels.push_back(low + (high - low) * (0.5 * part + 0.5 * part * part));
  }
  expect_histogram<T, std::uint64_t>(x, offset, bins, levels, closed_right);
}

TEST(histogram_on_gpu, has_the_processors_counts_at_every_edge) {
  for (std::size_t const n :
       {0, 1, 3, 31, 32, 127, 128, 129, 4095, 4096, 4097, 16383, 16384, 16385, 100003, 2200003})
    for (std::size_t offset = 0; offset < (n < 200000 ? 5 : 2); ++offset) {
      expect_both<float>(n, offset, -1.5, 2.25, 100, offset % 2 == 0);
      expect_both<std::uint8_t>(n, offset, 3, 250.5, 60, offset % 2 == 0);
    }
}
TEST(histogram_on_gpu, counts_numbers_of_every_type) {
  for (bool const closed : {false, true})
    for (std::size_t const bins : {1, 10, 256, 1000, 5000}) {
      expect_both<double>(60001, 1, 0.1, 0.7, bins, closed);
      expect_both<float>(60001, 0, 1e6, 1e6 + 900, bins, closed);
      expect_both<std::int8_t>(60001, 3, -100.5, 99, bins, closed);
      expect_both<std::int16_t>(60001, 1, -30000, 30001, bins, closed);
      expect_both<std::uint16_t>(60001, 0, 0, 65535, bins, closed);
      expect_both<std::int32_t>(60001, 0, -2147483648.0, 2147483647.0, bins, closed);
      expect_both<std::uint32_t>(60001, 1, 0, 4294967295.0, bins, closed);
      expect_both<std::int64_t>(60001, 0, -0x1p62, 0x1p63, bins, closed);
      expect_both<std::uint64_t>(60001, 1, 0, 0x1p64, bins, closed);
    }
}
TEST(histogram_on_gpu, counts_with_every_kind_of_counters) {
  for (std::size_t const bins :
       {300, 5000, 16380, 16390, 30000, 57000, 59000, 65536, 110000, 120000, 1000000}) {
    std::size_t const many = limited(300001);
    expect_both<float>(many, 0, 0, static_cast<double>(bins), bins, false);
    expect_both<std::uint32_t>(many, 1, 0, static_cast<double>(bins), bins, true);
    for (std::size_t const n : at_most_given({0, 1, 16384, 16385}))
      expect_both<float>(n, 0, 0, static_cast<double>(bins), bins, false);
  }
}
/// The kernels of these counts, which no other test uses, are launched first without shared
/// counters.
TEST(histogram_on_gpu, counts_fewer_bins_after_many) {
  std::size_t const n = limited(100'003);
  for (std::size_t const bins : {200'000, 65'536, 20'000, 100}) {
    auto const high = static_cast<double>(bins);
    auto const x = numbers_around<float>(n, 0, high, bins);
    std::vector<double> levels;
    for (std::size_t b = 0; b <= bins; ++b) levels.push_back(static_cast<double>(b));
    expect_histogram<float, unsigned long long>(x, 0, bins, even{0, high}, false);
    expect_histogram<float, unsigned long long>(x, 0, bins, levels, false);
  }
}
TEST(histogram_on_gpu, counts_many_equal_elements) {
  for (std::size_t const bins : {256, 4096, 65536, 200000}) {
    std::vector<std::uint32_t> x(40'000'003, static_cast<std::uint32_t>(bins / 3));
    for (std::size_t i = 0; i < x.size(); i += 5) x[i] = static_cast<std::uint32_t>(i % bins);
    expect_histogram<std::uint32_t, std::uint32_t>(x, 0, bins, even{0, static_cast<double>(bins)},
                                                   false);
    std::fill(x.begin(), x.end(), 7u);
    expect_histogram<std::uint32_t, std::uint32_t>(x, 0, bins, even{0, static_cast<double>(bins)},
                                                   false);
  }
}
TEST(histogram_on_gpu, counts_random_cases) {
  random_bits next(test_seed());
  for (std::size_t i = 0; i < random_cases(500); ++i) {
    std::size_t const n = next() % (1 + limited(std::size_t{1} << next() % 18)),
                      bins = 1 + next() % (std::size_t{1} << next() % 14);
    double const low = static_cast<double>(next() % 2000) - 1000,
                 width = std::ldexp(1 + static_cast<double>(next() % 7), next() % 20 - 4);
    expect_both<float>(n, next() % 4, low, low + width, bins, i % 2 == 0);
    expect_both<std::int16_t>(n, next() % 4, low, low + width, bins, i % 2 == 1);
  }
}
TEST(histogram_on_gpu, counts_indices) {
  for (std::size_t const size : {1, 5, 1000, 60000, 200000}) {
    random_bits next(test_seed() + size);
    std::vector<std::int64_t> x(500001);
    for (auto& v : x) v = static_cast<std::int64_t>(next() % size);
    std::vector<std::uint32_t> want(size);
    upsweep::count_indices(cpu{}, x, want);
    on_gpu<std::int64_t> const in(x);
    on_gpu<std::uint32_t> const counts(size);
    upsweep::count_indices(gpu{}, in.input(), counts.span());
    EXPECT_TRUE(counts.values() == want);
  }
  std::vector<std::int8_t> small(3000);
  for (std::size_t i = 0; i < small.size(); ++i) small[i] = static_cast<std::int8_t>(i % 100);
  std::vector<std::uint32_t> want(100);
  upsweep::count_indices(cpu{}, small, want);
  on_gpu<std::int8_t> const in(small, 1);
  on_gpu<std::uint32_t> const counts(100);
  upsweep::count_indices(gpu{}, in.input(), counts.span());
  EXPECT_TRUE(counts.values() == want);
}
TEST(histogram_on_gpu, reports_what_the_processor_reports) {
  std::vector<int> x(100000, 3);
  x[77777] = -4;
  x[88888] = 10;
  on_gpu<int> const in(x), counts(10);
  on_gpu<std::uint8_t> const narrow(10);
  std::vector<int> host(10);
  EXPECT_EQ(message_of([&] { upsweep::count_indices(gpu{}, in.input(), counts.span()); }),
            message_of([&] { upsweep::count_indices(cpu{}, x, host); }));
  std::vector<int> const untouched = counts.values();
  EXPECT_EQ(untouched, std::vector<int>(10, static_cast<int>(0xa5a5a5a5)));
  std::vector<std::uint8_t> narrow_on_host(10);
  EXPECT_EQ(
      message_of([&] { (void)upsweep::histogram(gpu{}, in.input(), narrow.span(), even{0, 10}); }),
      message_of([&] { (void)upsweep::histogram(x, narrow_on_host, even{0, 10}); }));
  EXPECT_EQ(
      message_of([&] { (void)upsweep::histogram(gpu{}, in.input(), narrow.span(), even{1, 1}); }),
      message_of([&] { (void)upsweep::histogram(x, narrow_on_host, even{1, 1}); }));
}
TEST(histogram_on_gpu, keeps_its_counts_on_the_device_in_a_graph) {
  std::size_t const n = limited(70000), bins = 1500;
  auto const x = numbers_around<float>(n, 0, 1, bins);
  on_gpu<float> const in(x);
  on_gpu<std::uint32_t> const counts(bins), indices(bins);
  on_gpu<std::uint64_t> const outside(3), length(std::vector<std::uint64_t>{n});
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b)
    levels.push_back(static_cast<double>(b * b) / (bins * bins));
  own_stream const stream;
  cuda_workspace workspace(stream.get(), std::size_t{1} << 20);
  gpu const on{.stream = stream.get(),
               .workspace = &workspace,
               .count_to = outside.data(),
               .length_from = length.data()};
  recorded_calls const graph(stream.get(), [&] {
    EXPECT_TRUE(upsweep::histogram(on, in.input(), counts.span(), levels) == outside_counts{});
  });
  levels.assign(levels.size(), -1);  // the graph has its own
  for (std::uint64_t const m : {n, std::size_t{0}, std::size_t{1}, n / 2, 2 * n}) {
    check_cuda(cudaMemcpyAsync(length.data(), &m, sizeof m, cudaMemcpyHostToDevice, stream.get()),
               "set a length");
    graph.launch(stream.get(), replays(200));
    stream.wait();
    std::vector<double> borders;
    for (std::size_t b = 0; b <= bins; ++b)
      borders.push_back(static_cast<double>(b * b) / (bins * bins));
    std::vector<std::uint32_t> want(bins);
    auto const part = std::span(x).first(std::min<std::size_t>(m, n));
    auto const o = upsweep::histogram(cpu{}, part, want, borders);
    EXPECT_TRUE(counts.values() == want) << m;
    EXPECT_EQ(outside.values(), (std::vector<std::uint64_t>{o.below, o.above, o.nan}));
  }
}
TEST(histogram_on_gpu, counts_more_than_2_to_the_32_elements) {
  std::int64_t const n = (std::int64_t{1} << 32) + 12345;
  on_gpu<std::uint64_t> const counts(4);
  auto const outside = upsweep::histogram(gpu{}, std::ranges::subrange(numbers(0), numbers(n)),
                                          counts.span(), even{5, 5 + 0x1p33});
  EXPECT_TRUE((outside == outside_counts{.below = 5}));
  std::uint64_t const half = std::uint64_t{1} << 31;
  EXPECT_EQ(counts.values(), (std::vector<std::uint64_t>{half, half, 12340, 0}));
}

}  // namespace
}  // namespace upsweep::test
