/// Weighted histograms on a GPU: the bits of the CPU for sums whose order matters, for
/// operators that do not commute, for every kind of bins, in graphs and with lengths on the device.
#include "on_gpu.cuh"

#include <upsweep/cuda/sort.cuh>
#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// From a tenth below 0 to a tenth above `high`, some on the borders of bins, some NaN.
template <class T>
std::vector<T> samples_for(std::size_t n, double high, std::size_t bins) {
  random_bits next(test_seed() + n + bins);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    double const part = static_cast<double>(next() >> 11) * 0x1p-53,
                 border = static_cast<double>(next() % (bins + 1)) * (high / bins);
    double v = next() % 2 == 0 ? high * (1.2 * part - 0.1) : border;
    if (std::is_unsigned_v<T> && v < 0) v = 0;
    x.push_back(static_cast<T>(v));
    if (std::is_floating_point_v<T> && next() % 50 == 0) x.back() = static_cast<T>(std::nan(""));
  }
  return x;
}

/// `op` over W into R, on the GPU and on the CPU.
template <class R, class T, class W, class Bins, class Op = plus>
void expect_weighted(std::vector<T> const& x, std::vector<W> const& weights, std::size_t bins,
                     Bins const& given, bool closed_right, Op const& op = {}) {
  SCOPED_TRACE(testing::Message() << x.size() << " elements, " << bins << " bins, " << seed_note());
  std::vector<R> want(bins);
  histogram_options const o{.closed_right = closed_right};
  auto const outside = upsweep::weighted_histogram(cpu{}, x, weights, want, given, op, o);
  on_gpu<T> const in(x, 1);
  on_gpu<W> const w(weights, 1);
  on_gpu<R> const results(bins, 1);
  auto const found =
      upsweep::weighted_histogram(gpu{}, in.input(), w.input(), results.span(), given, op, o);
  EXPECT_TRUE(found == outside) << found.below << ' ' << found.above << ' ' << found.nan
                                << " outside, not " << outside.below << ' ' << outside.above << ' '
                                << outside.nan;
  expect_same(results.values(), want);
}

template <class T, class W, class R = W>
void expect_sums(std::size_t n, double high, std::size_t bins, bool closed_right) {
  auto const x = samples_for<T>(n, high, bins);
  auto const weights = elements<W>(n);
  expect_weighted<R>(x, weights, bins, even{0, high}, closed_right);
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b) {
    double const part = static_cast<double>(b) / static_cast<double>(bins);
    levels.push_back(high * (0.5 * part + 0.5 * part * part));
  }
  expect_weighted<R>(x, weights, bins, levels, closed_right);
}

TEST(weighted_histogram_on_gpu, has_the_processors_bits_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : {0, 1, 2, 31, 32, 33, 127, 128, 511, 512, 513, 2047, 2048, 4095, 4096,
                              4097, 100003, 1100003})
    for (std::size_t const bins : {1, 10, 252, 253, 256, 3000})
      expect_sums<float, float>(n, 30, bins, n % 2 == 0);
}
TEST(weighted_histogram_on_gpu, adds_integers_and_doubles_in_bins_of_any_numbers) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : {3000, 300007}) {
    expect_sums<double, double>(n, 0.7, 100, true);
    expect_sums<float, std::int32_t, std::int64_t>(n, 100, 100, true);
    expect_sums<std::uint32_t, float>(n, 1e9, 70000, false);
    expect_sums<std::uint8_t, double>(n, 200, 50, false);
  }
}
TEST(weighted_histogram_on_gpu, keeps_the_order_of_operands) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : {100, 4000, 200003})
    for (std::size_t const bins : {3, 700}) {
      auto const x = samples_for<float>(n, 1, bins);
      expect_weighted<affine_map<float>>(x, elements<affine_map<float>>(n), bins, even{0, 1}, false,
                                         affine{});
      expect_weighted<float>(x, elements<float>(n), bins, even{0, 1}, false, max{});
    }
}
/// Bins of which the keys of elements outside have no room in the last digit.
TEST(weighted_histogram_on_gpu, takes_elements_outside_out_of_the_first_bin) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : {5000, 70'001, 2'500'007})
    for (std::size_t const bins : {253, 256, 65'534, 65'536}) {
      expect_sums<float, float>(n, 1, bins, false);
      auto x = samples_for<float>(n, 1, bins);
      for (std::size_t i = 0; i < n; ++i) x[i] = i % 7 == 0 ? x[i] - 1 : 0x1p-20f;
      expect_weighted<affine_map<float>>(x, elements<affine_map<float>>(n), bins, even{0, 1}, false,
                                         affine{});
    }
}
TEST(weighted_histogram_on_gpu, adds_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t i = 0; i < random_cases(200); ++i) {
    std::size_t const n = next() % (1 + limited(std::size_t{1} << next() % 19)),
                      bins = 1 + next() % (std::size_t{1} << next() % 14);
    expect_sums<float, float>(n, std::ldexp(1, static_cast<int>(next() % 20)), bins, i % 2 == 0);
  }
}
TEST(weighted_histogram_on_gpu, leaves_everything_to_one_bin) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = 20'000'003;
  std::vector<float> const x(n, 0.5f);
  expect_weighted<float>(x, elements<float>(n), 100, even{0, 1}, false);
  std::vector<float> const below(n, -1.0f);
  for (std::size_t const bins : {100, 256})
    expect_weighted<float>(below, elements<float>(n), bins, even{0, 1}, false);
}
TEST(weighted_histogram_on_gpu, runs_in_a_graph_with_its_length_on_the_device) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : {3000, 70000}) {
    std::size_t const bins = 150;
    auto const x = samples_for<float>(n, 1, bins);
    auto const weights = elements<float>(n);
    on_gpu<float> const in(x), w(weights), results(bins);
    on_gpu<std::uint64_t> const outside(3), length(std::vector<std::uint64_t>{n});
    std::vector<double> levels, borders;
    for (std::size_t b = 0; b <= bins; ++b)
      levels.push_back(static_cast<double>(b * b) / (bins * bins));
    borders = levels;
    own_stream const stream;
    gpu const on{.stream = stream.get(), .count_to = outside.data(), .length_from = length.data()};
    recorded_calls const graph(stream.get(), [&] {
      EXPECT_TRUE(upsweep::weighted_histogram(on, in.input(), w.input(), results.span(), levels) ==
                  outside_counts{});
    });
    levels.assign(levels.size(), -1);  // the graph has its own
    for (std::uint64_t const m : {n, std::size_t{0}, std::size_t{1}, n / 2, 2 * n}) {
      check_cuda(cudaMemcpyAsync(length.data(), &m, sizeof m, cudaMemcpyHostToDevice, stream.get()),
                 "set a length");
      graph.launch(stream.get(), replays(20));
      stream.wait();
      std::vector<float> want(bins);
      std::size_t const k = std::min<std::size_t>(m, n);
      auto const o = upsweep::weighted_histogram(cpu{}, std::span(x).first(k),
                                                 std::span(weights).first(k), want, borders);
      expect_same(results.values(), want);
      EXPECT_EQ(outside.values(), (std::vector<std::uint64_t>{o.below, o.above, o.nan}));
    }
  }
}
struct later {
  __host__ __device__ float operator()(float, float b) const { return b; }
};
TEST(weighted_histogram_on_gpu, stores_nothing_in_an_empty_bin_without_identity) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(std::vector<float>{0.1f, 0.9f}), w(std::vector<float>{2, 3}), results(3);
  auto const outside = upsweep::weighted_histogram(gpu{}, in.input(), w.input(), results.span(),
                                                   even{0, 1}, later{});
  EXPECT_TRUE(outside == outside_counts{});
  auto const got = results.values();
  EXPECT_EQ(got[0], 2.0f);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(got[1]), 0xa5a5a5a5u);
  EXPECT_EQ(got[2], 3.0f);
}
TEST(weighted_histogram_on_gpu, refuses_what_the_processor_refuses) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(10), w(9), results(3);
  EXPECT_THROW(
      (void)upsweep::weighted_histogram(gpu{}, in.input(), w.input(), results.span(), even{0, 1}),
      precondition_error);
  EXPECT_THROW(
      (void)upsweep::weighted_histogram(gpu{}, w.input(), w.input(), results.span(), even{1, 1}),
      precondition_error);
}

}  // namespace
}  // namespace upsweep::test
