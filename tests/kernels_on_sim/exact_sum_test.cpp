/// The exact sum of the CUDA backend on the emulator: the CPU's sum, bit by bit, on every
/// schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/reduce/exact_sum.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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
  random_bits next(test_seed());
  std::vector<T> x;
  while (x.size() < n) {
    T v;
    if constexpr (sizeof(T) == 4)
      v = std::bit_cast<T>(static_cast<std::uint32_t>(next()));
    else
      v = std::bit_cast<T>(static_cast<std::uint64_t>(next()));
    if (v - v == 0) x.push_back(v);
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

}  // namespace
}  // namespace upsweep::test
