/// Scans by exact_sum of the CUDA backend on the emulator: the correctly rounded prefixes, without
/// a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/scan/exact_scan.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
using sum_of = detail::superaccumulator<T>;

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
