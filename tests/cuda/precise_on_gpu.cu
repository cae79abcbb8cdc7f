/// Exact sums, checked operators and CUDA's 16-bit floats on a GPU, against the CPU.
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/upsweep.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace upsweep::test {
namespace {

upsweep::gpu const on{};

bool there_is_a_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
class precise : public testing::Test {
  void SetUp() override {
    if (!there_is_a_gpu()) GTEST_SKIP() << "there is no GPU";
  }
};

template <class T>
std::vector<T> finite_numbers(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  while (x.size() < n) {
    T v;
    auto const bits = next();
    std::memcpy(&v, &bits, sizeof v);
    if (v - v == 0) x.push_back(v);
  }
  return x;
}

template <class T>
void expect_exact(std::vector<T> const& x, options<accumulator_t<exact_sum, T>> const& o = {}) {
  on_gpu<T> const in(x);
  auto const want = upsweep::reduce(serial{}, x, exact_sum{}, o);
  EXPECT_TRUE(same_bits(upsweep::reduce(on, in.input(), exact_sum{}, o), want))
      << "n = " << x.size();
  on_gpu<T> const out(1);
  upsweep::reduce_into(on, in.input(), out.data(), exact_sum{}, o);
  EXPECT_TRUE(same_bits(out.values()[0], want)) << "n = " << x.size() << ", left on the device";
}
TEST_F(precise, exact_sums_are_the_processors_for_any_finite_numbers) {
  for (std::size_t const n :
       std::vector<std::size_t>{1, 2, 31, 6143, 6144, 6145, 100000, 3000001}) {
    expect_exact(finite_numbers<double>(n));
    expect_exact(finite_numbers<float>(n), {.reverse = true});
  }
  expect_exact(finite_numbers<double>(50000), {.initial = 1e300});
}
TEST_F(precise, exact_sums_handle_infinities_nan_and_zeros) {
  double const infinity = std::numeric_limits<double>::infinity();
  auto sum = [](std::vector<double> x, double extra) {
    x.resize(20000, x[0]);
    x[17000] = extra;
    return upsweep::reduce(on, on_gpu<double>(x).input(), exact_sum{});
  };
  EXPECT_EQ(sum({1.0}, infinity), infinity);
  EXPECT_EQ(sum({1.0}, -infinity), -infinity);
  EXPECT_TRUE(std::isnan(sum({infinity}, -infinity)));
  EXPECT_TRUE(std::isnan(sum({1.0}, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(same_bits(sum({-0.0}, -0.0), -0.0));
  EXPECT_TRUE(same_bits(sum({-0.0}, 0.0), 0.0));
  EXPECT_EQ(sum({0.0}, std::numeric_limits<double>::denorm_min()),
            std::numeric_limits<double>::denorm_min());
}

/// Both scans, the exclusive one in place.
template <class T>
void expect_exact_scans(std::vector<T> const& x,
                        options<accumulator_t<exact_sum, T>> const& o = {}) {
  on_gpu<T> const in(x), out(x.size());
  std::vector<T> want(x.size());
  upsweep::inclusive_scan(serial{}, x, want, exact_sum{}, o);
  upsweep::inclusive_scan(on, in.input(), out.span(), exact_sum{}, o);
  expect_same(out.values(), want);
  upsweep::exclusive_scan(serial{}, x, want, exact_sum{}, o);
  upsweep::exclusive_scan(on, in.input(), in.span(), exact_sum{}, o);
  expect_same(in.values(), want);
}
TEST_F(precise, exact_scans_are_the_processors_for_any_finite_numbers) {
  for (std::size_t const n : std::vector<std::size_t>{1, 2, 31, 511, 513, 100000, 3000001}) {
    expect_exact_scans(finite_numbers<double>(n));
    expect_exact_scans(finite_numbers<float>(n), {.reverse = true});
  }
  expect_exact_scans(finite_numbers<double>(50000), {.initial = 1e300});
}
void expect_exact_scan_of_halves(std::vector<float> const& x) {
  on_gpu<float> const in(x), out(x.size());
  std::vector<float> want(x.size());
  auto const half = [] __host__ __device__(float v) { return v / 2; };
  upsweep::transform_inclusive_scan(serial{}, x, want, half, exact_sum{});
  upsweep::transform_inclusive_scan(on, in.input(), out.span(), half, exact_sum{});
  expect_same(out.values(), want);
}
TEST_F(precise, exact_scans_take_large_tiles_and_functions) {
  std::vector<float> x((std::size_t{1} << 23) + 4097);
  random_bits next(test_seed());
  for (float& v : x) v = static_cast<float>(static_cast<int>(next() % 2001) - 1000) * 0.37F;
  expect_exact_scans(x);
  x.resize(5000);
  expect_exact_scan_of_halves(x);
}

/// What `call` throws: the index that overflow_error names, or -1 when it throws nothing.
template <class Call>
long refused_at(Call const& call) {
  try {
    call();
  } catch (overflow_error const& e) {
    return static_cast<long>(e.index());
  }
  return -1;
}
std::vector<std::int32_t> steps(std::size_t n, std::size_t too_large) {
  std::vector<std::int32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 1000 : -1000;
  if (too_large < n) x[too_large] = std::numeric_limits<std::int32_t>::max();
  return x;
}
TEST_F(precise, checked_sums_name_the_element_that_the_processor_names) {
  for (std::size_t const at :
       std::vector<std::size_t>{1000000, 0, 1, 2, 777, 4095, 4096, 99998, 99999}) {
    auto const x = steps(100000, at);
    on_gpu<std::int32_t> const in(x), out(x.size());
    for (bool const reverse : {false, true}) {
      options<accumulator_t<checked_plus<std::int32_t>, std::int32_t>> const o{.initial = 500,
                                                                               .reverse = reverse};
      checked_plus<std::int32_t> const op;
      std::vector<std::int32_t> want(x.size());
      SCOPED_TRACE(testing::Message() << "too large at " << at << ", reverse " << reverse);
      EXPECT_EQ(refused_at([&] { (void)upsweep::reduce(on, in.input(), op, o); }),
                refused_at([&] { (void)upsweep::reduce(serial{}, x, op, o); }));
      long const refused = refused_at([&] { upsweep::inclusive_scan(serial{}, x, want, op, o); });
      EXPECT_EQ(refused_at([&] { upsweep::inclusive_scan(on, in.input(), out.span(), op, o); }),
                refused);
      if (refused == -1) EXPECT_EQ(out.values(), want);
      long const exclusive = refused_at([&] { upsweep::exclusive_scan(serial{}, x, want, op, o); });
      EXPECT_EQ(refused_at([&] { upsweep::exclusive_scan(on, in.input(), out.span(), op, o); }),
                exclusive);
      if (exclusive == -1) EXPECT_EQ(out.values(), want);
    }
  }
}

/// Scans and sums of T are those of the same values in float, rounded once.
template <class T>
void expect_combined_in_float(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  std::vector<float> wide;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(T(static_cast<float>(static_cast<int>(next() % 2001) - 1000) * 0.01f));
    wide.push_back(static_cast<float>(x.back()));
  }
  std::vector<float> want(n);
  upsweep::inclusive_scan(serial{}, wide, want);
  on_gpu<T> const in(x), out(n);
  upsweep::inclusive_scan(on, in.input(), out.span());
  auto const got = out.values();
  for (std::size_t i = 0; i < n; ++i) {
    T const rounded(want[i]);
    ASSERT_EQ(std::memcmp(&got[i], &rounded, sizeof(T)), 0) << "n = " << n << ", result " << i;
  }
  EXPECT_TRUE(same_bits(upsweep::reduce(on, in.input()), upsweep::reduce(serial{}, wide)));
  EXPECT_TRUE(same_bits(upsweep::reduce(on, in.input(), upsweep::max{}),
                        upsweep::reduce(serial{}, wide, upsweep::max{})));
}
TEST_F(precise, cudas_16_bit_floats_combine_in_float) {
  for (std::size_t const n :
       std::vector<std::size_t>{1, 7, 4097, 300000, (std::size_t{1} << 23) + 5}) {
    expect_combined_in_float<__half>(n);
    expect_combined_in_float<__nv_bfloat16>(n);
  }
}

}  // namespace
}  // namespace upsweep::test
