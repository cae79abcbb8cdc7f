/// The exact sum of the CUDA backend on the emulator, the CPU's bit by bit, and scans by it, the
/// correctly rounded prefixes: on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/reduce/exact_sum.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>
#include <upsweep/cuda/scan/exact_scan.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
using sum_of = accumulator_t<exact_sum, T>;

/// The sum of x by `blocks` blocks of `launched` threads of 160, more than there are bins.
template <class T>
sum_of<T> sum_on_sim(std::vector<T> const& x, unsigned blocks, scheduled const& s = {},
                     unsigned launched = 160) {
  constexpr unsigned threads = 160;
  using state = sum_of<T>;
  using layout = exact_bins<typename summed_type<state>::type>;
  SCOPED_TRACE(testing::Message() << "n = " << x.size() << ", " << blocks << " blocks, " << s
                                  << ", " << seed_note());
  sim::machine m = machine_for(s);
  auto const workspace = workspace_on(m, 64 + blocks * 80);
  state got;
  for (int launch = 0; launch < 2; ++launch) {
    auto const in = m.allocate<T>(x.size(), "in");
    auto const out = m.allocate<state>(1, "out");
    m.to_device(in, std::span<T const>(x));
    using source = element_source<T, T const*, detail::as_is, exact_sum, false>;
    m.launch({.name = "exact_sum",
              .blocks = {blocks},
              .threads = {launched},
              .shared_bytes = layout::shared_bytes(threads)},
             exact_sum_of<threads, source, accumulator_result<state, exact_sum>>,
             source{in, x.size(), {}, {}, true}, x.size(),
             accumulator_result<state, exact_sum>{out}, workspace);
    got = m.to_host(out, 1)[0];
  }
  expect_no_finding(m);
  return got;
}

template <class T>
void expect_exact(std::vector<T> const& x, unsigned blocks, scheduled const& s = {},
                  unsigned launched = 160) {
  sum_of<T> want;
  for (T const& v : x) want.absorb(v);
  auto const got = sum_on_sim(x, blocks, s, launched);
  EXPECT_TRUE(got == want);
  EXPECT_TRUE(same_bits(got.rounded(), want.rounded()))
      << got.rounded() << " is not " << want.rounded();
}

/// Any finite number: every exponent, both signs, subnormals and zeros of both signs among them.
template <class T>
std::vector<T> any_numbers(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  while (x.size() < n) {
    auto const v = std::bit_cast<T>(static_cast<detail::bits_of_size<sizeof(T)>>(next()));
    if (v - v == 0) x.push_back(next() % 16 == 0 ? T{} : v);
  }
  return x;
}

TEST(device_exact_sum, is_the_processors_at_every_size) {
  for (std::size_t const n :
       std::vector<std::size_t>{1, 2, 3, 127, 128, 129, 1023, 1024, 1025, 2049, 5000}) {
    expect_exact(any_numbers<double>(n), 2);
    expect_exact(any_numbers<float>(n), 3);
  }
}
TEST(device_exact_sum, takes_few_elements_by_few_threads) {
  for (unsigned const threads : {32U, 64U, 96U, 128U})
    for (std::size_t const n : {1U, threads - 1, threads, 3 * threads + 1, 8 * threads}) {
      expect_exact(any_numbers<double>(n), 1, {}, threads);
      expect_exact(any_numbers<float>(n), 1, {}, threads);
    }
}
TEST(device_exact_sum, carries_through_every_digit) {
  double const most = std::numeric_limits<double>::max(),
               least = std::numeric_limits<double>::denorm_min();
  for (unsigned const blocks : {1U, 3U})
    for (double const sign : {1.0, -1.0}) {
      std::vector<double> x{-sign * least, sign * most, sign * most};
      expect_exact(x, blocks);  // ones in all digits, or all but one digit zero
      x.insert(x.end(), 4000, -0.0);
      x.push_back(2 * sign * least);  // and across the blocks
      expect_exact(x, blocks);
      x.insert(x.end(), {-sign * most, -sign * most});
      expect_exact(x, blocks);  // the smallest number of either sign
      EXPECT_TRUE(same_bits(sum_on_sim(x, blocks).rounded(), sign * least));
    }
}
TEST(device_exact_sum, is_the_same_on_every_schedule) {
  auto const x = any_numbers<float>(3000);
  for (scheduled const& s : every_schedule()) expect_exact(x, 3, s);
}
TEST(device_exact_sum, propagates_carries_before_a_bin_overflows) {
  expect_exact(std::vector<float>(64 * 4 * 8 * 40, std::bit_cast<float>(0x4fffffffu)), 1,
               {.check = false});
  expect_exact(std::vector<double>(64 * 2 * 8 * 160, -std::bit_cast<double>(0x43ffffffffffffffu)),
               1, {.check = false});
}
TEST(device_exact_sum, keeps_small_values_when_large_ones_cancel) {
  auto x = any_numbers<double>(700);
  for (std::size_t i = 0; i < 700; ++i) x.push_back(-x[i]);
  EXPECT_TRUE(same_bits(sum_on_sim(x, 2).rounded(), 0.0));
  x.push_back(std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(sum_on_sim(x, 2).rounded(), std::numeric_limits<double>::denorm_min());
}
TEST(device_exact_sum, overflows_only_at_the_end) {
  double const most = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_on_sim<double>({most, most, most, -most, -most}, 1).rounded(), most);
  EXPECT_EQ(sum_on_sim<double>({most, most}, 1).rounded(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum_on_sim<double>({-most, -most}, 1).rounded(),
            -std::numeric_limits<double>::infinity());
}
TEST(device_exact_sum, handles_zeros_infinities_and_nan) {
  float const infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(same_bits(sum_on_sim<float>(std::vector<float>(200, -0.0f), 2).rounded(), -0.0f));
  EXPECT_TRUE(same_bits(sum_on_sim<float>({-0.0f, 0.0f}, 1).rounded(), 0.0f));
  EXPECT_EQ(sum_on_sim<float>({1.0f, infinity, 2.0f}, 1).rounded(), infinity);
  EXPECT_EQ(sum_on_sim<float>({1.0f, -infinity, 2.0f}, 1).rounded(), -infinity);
  EXPECT_TRUE(std::isnan(sum_on_sim<float>({infinity, -infinity}, 1).rounded()));
  EXPECT_TRUE(sum_on_sim<float>({std::numeric_limits<float>::quiet_NaN(), 1.0f}, 1).is_nan());
}
TEST(device_exact_sum, takes_bfloat16) {
  random_bits next(test_seed());
  std::vector<bfloat16> x(3001);
  for (auto& v : x)
    v = bfloat16(static_cast<float>(static_cast<int>(next() % 2001) - 1000) * 0.37f);
  expect_exact(x, 2);
}

/// Scans x in tiles of two rows, and compares with sums that are rounded one by one. The scan of
/// the table between the two kernels is another kernel's.
template <scan_kind kind, class T, class U, bool reverse = false>
void expect_exact_scan(std::vector<U> const& x, sum_of<T> const& start = {},
                       scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << x.size() << ", " << s << ", " << seed_note());
  constexpr std::size_t tile = 2 * exact_row;
  std::size_t const n = x.size(), tiles = (n + tile - 1) / tile,
                    entries = tiles * exact_table<T>::lines;
  unsigned const blocks = static_cast<unsigned>((tiles + exact_scan_warps - 1) / exact_scan_warps);
  sim::machine m = machine_for(s);
  auto const in = m.allocate<U>(n, "in"), out = m.allocate<U>(n, "out");
  m.to_device(in, std::span<U const>(x));
  exact_table<T> const table{m.allocate<std::uint64_t>(entries, "table"), tiles};
  using source = element_source<U, U const*, detail::as_is, plus, reverse>;
  using sink = element_sink<U, U*, plus, reverse>;
  source const from{in, n, {}, {}, true};
  m.launch({.name = "exact_totals", .blocks = {blocks}, .threads = {32 * exact_scan_warps}},
           exact_totals<T, source>, from, n, tile, table);
  auto sums = m.to_host(table.entries, entries);
  for (std::uint64_t before = 0; std::uint64_t& each : sums) before += std::exchange(each, before);
  m.to_device(table.entries, std::span<std::uint64_t const>(sums));
  m.launch({.name = "exact_scan", .blocks = {blocks}, .threads = {32 * exact_scan_warps}},
           exact_scan<kind, T, source, sink>, from, sink{out, n, {}, true}, n, tile, table, start);
  auto const got = m.to_host(out, n);
  sum_of<T> sum = start;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t const i = reverse ? n - 1 - k : k;
    T const before = sum.rounded();
    sum.absorb(static_cast<T>(x[i]));
    U const want = static_cast<U>(kind == scan_kind::inclusive ? sum.rounded() : before);
    ASSERT_TRUE(same_bits(got[i], want))
        << "element " << i << ": " << shown(got[i]) << " is not " << shown(want);
  }
  expect_no_finding(m);
}

TEST(device_exact_scan, rounds_the_exact_prefixes_of_any_numbers) {
  for (std::size_t const n : {1U, 2U, 15U, 17U, 511U, 513U, 1025U, 5000U}) {
    expect_exact_scan<scan_kind::inclusive, double>(any_numbers<double>(n));
    expect_exact_scan<scan_kind::exclusive, float>(any_numbers<float>(n));
  }
}
TEST(device_exact_scan, begins_with_an_initial_sum_and_goes_backwards) {
  expect_exact_scan<scan_kind::exclusive, double>(elements_for<double>(1500), 1e100);
  expect_exact_scan<scan_kind::inclusive, float, float, true>(elements_for<float>(1500), -1e-30F);
}
TEST(device_exact_scan, carries_through_every_digit) {
  double const most = std::numeric_limits<double>::max(),
               least = std::numeric_limits<double>::denorm_min();
  std::vector<double> x(2050, -0.0);
  for (double const sign : {1.0, -1.0}) {
    x[0] = -sign * least;
    x[1] = x[1030] = sign * most;
    x[2040] = 2 * sign * least;
    x[2045] = x[2049] = -sign * most;
    expect_exact_scan<scan_kind::inclusive, double>(x);
  }
}
TEST(device_exact_scan, carries_from_far_below_into_the_sign_of_the_words_in_use) {
  for (double const sign : {1.0, -1.0}) {
    std::vector<double> x(1000);
    x[0] = sign * (0x1p13 - 0x1p-40);
    x[1] = sign * (0x1p-40 - 0x1p-93);
    x[2] = sign * (0x1p-93 - 0x1p-146);
    x[3] = sign * (0x1p-146 - 0x1p-199);
    x[700] = sign * 0x1p-199;  // makes it 2^13, the highest bit of a word
    expect_exact_scan<scan_kind::inclusive, double>(x);
  }
}
TEST(device_exact_scan, handles_zeros_infinities_and_nan) {
  float const infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x(3000, -0.0F);
  expect_exact_scan<scan_kind::inclusive, float>(x);
  x[1100] = infinity;
  x[2500] = -infinity;
  expect_exact_scan<scan_kind::exclusive, float>(x);
  x[7] = 0.0F;
  expect_exact_scan<scan_kind::inclusive, float>(x);
}
TEST(device_exact_scan, takes_16_bit_floats_and_every_schedule) {
  std::vector<bfloat16> x;
  for (float const v : elements_for<float>(2100)) x.push_back(bfloat16(v));
  for (scheduled const& s : every_schedule())
    expect_exact_scan<scan_kind::inclusive, float>(x, {}, s);
}

}  // namespace
}  // namespace upsweep::test
