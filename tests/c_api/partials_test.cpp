/// Partials of the C interface, and UPSWEEP_PAIRWISE.
#include <upsweep/upsweep.h>
#include <upsweep/upsweep_partial.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

// Partials of the C interface: pieces join to the bits of upsweep_reduce for every pair, and each
// error.

using upsweep::test::expect_refused;
using upsweep::test::random_bits;

struct destroy {
  void operator()(upsweep_partial* p) const { upsweep_partial_destroy(p); }
};
using partial = std::unique_ptr<upsweep_partial, destroy>;

partial created(upsweep_type type, upsweep_operator op, std::uint64_t begin) {
  upsweep_partial* p = nullptr;
  EXPECT_EQ(UPSWEEP_OK, upsweep_partial_create(type, op, begin, &p))
      << upsweep_last_error_message();
  return partial(p);
}
partial created_statistics(upsweep_type type, upsweep_statistics what, std::uint64_t begin) {
  upsweep_partial* p = nullptr;
  EXPECT_EQ(UPSWEEP_OK, upsweep_partial_create_statistics(type, what, begin, &p))
      << upsweep_last_error_message();
  return partial(p);
}
std::vector<unsigned char> bytes_of(partial const& p) {
  std::size_t size = 0;
  EXPECT_EQ(UPSWEEP_CAPACITY, upsweep_partial_to_bytes(p.get(), nullptr, 0, &size));
  std::vector<unsigned char> bytes(size);
  EXPECT_EQ(UPSWEEP_OK, upsweep_partial_to_bytes(p.get(), bytes.data(), size, &size));
  return bytes;
}

/// Numbers as bytes: small integers, or floats whose sums are rounded.
std::vector<unsigned char> bytes_of_numbers(upsweep_type type, std::size_t n) {
  random_bits next(upsweep::test::test_seed() + static_cast<std::uint64_t>(type));
  std::size_t const size = upsweep_type_size(type);
  std::vector<unsigned char> x(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    auto const small = static_cast<std::int64_t>(next.below(200)) - 100;
    double const wide = upsweep::test::scattered_double(next);
    float const narrow = static_cast<float>(wide);
    void const* const from = type == UPSWEEP_F64   ? static_cast<void const*>(&wide)
                             : type == UPSWEEP_F32 ? static_cast<void const*>(&narrow)
                                                   : static_cast<void const*>(&small);
    std::memcpy(x.data() + i * size, from, size);
  }
  return x;
}

/// Appends the partial that the bytes of `piece` are.
void append_through_bytes(partial const& whole, partial const& piece) {
  auto const bytes = bytes_of(piece);
  upsweep_partial* read = nullptr;
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_from_bytes(bytes.data(), bytes.size(), &read));
  partial const later(read);
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_append(whole.get(), later.get()));
}

/// Bytes have one NaN, and which one a reduction gives is outside the contract.
bool same_bits(upsweep_type type, std::uint64_t a, std::uint64_t b) {
  auto const is_nan = [&](std::uint64_t const& x) {
    if (type != UPSWEEP_F32 && type != UPSWEEP_F64) return false;
    double wide;
    float narrow;
    std::memcpy(&wide, &x, sizeof wide);
    std::memcpy(&narrow, &x, sizeof narrow);
    return type == UPSWEEP_F64 ? std::isnan(wide) : std::isnan(narrow);
  };
  if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
  return std::memcmp(&a, &b, upsweep_type_size(type)) == 0;
}

TEST(c_partials, have_the_bits_of_one_call_for_every_pair) {
  constexpr std::size_t cuts[] = {0, 333, 333, 700, 1001};
  int pairs = 0;
  for (int t = UPSWEEP_I8; t <= UPSWEEP_F64; ++t)
    for (int o = UPSWEEP_SUM; o <= UPSWEEP_EXACT_SUM; ++o) {
      auto const type = static_cast<upsweep_type>(t);
      auto const op = static_cast<upsweep_operator>(o);
      upsweep_partial* first = nullptr;
      if (upsweep_partial_create(type, op, 0, &first) != UPSWEEP_OK) continue;
      ++pairs;
      partial whole(first);
      auto const x = bytes_of_numbers(type, 1001);
      for (int i = 0; i < 4; ++i) {
        auto const piece = created(type, op, cuts[i]);
        ASSERT_EQ(UPSWEEP_OK,
                  upsweep_partial_push(piece.get(), x.data() + cuts[i] * upsweep_type_size(type),
                                       cuts[i + 1] - cuts[i], nullptr));
        ASSERT_NO_FATAL_FAILURE(append_through_bytes(whole, piece));
      }
      std::uint64_t begin = 1, end = 0, want = 1, got = 2;
      EXPECT_EQ(UPSWEEP_OK, upsweep_partial_range(whole.get(), &begin, &end));
      EXPECT_EQ(0u, begin);
      EXPECT_EQ(1001u, end);
      upsweep_type result;
      ASSERT_EQ(UPSWEEP_OK, upsweep_result_type(type, op, &result));
      EXPECT_EQ(UPSWEEP_OK, upsweep_reduce(type, op, x.data(), 1001, nullptr, &want));
      EXPECT_EQ(UPSWEEP_OK, upsweep_partial_result(whole.get(), nullptr, &got));
      EXPECT_TRUE(same_bits(result, want, got)) << t << ' ' << o;
    }
  EXPECT_EQ(2 * 7 + 2 * 8, pairs);  // of two types of floats, and of two of integers
}

template <class T>
void expect_statistics(upsweep_type type, upsweep_statistics what, std::vector<T> const& x,
                       std::vector<double> const& want) {
  constexpr std::size_t cuts[] = {0, 1, 300, 300, 1000};
  partial whole = created_statistics(type, what, 0);
  for (int i = 0; i < 4; ++i) {
    auto const piece = created_statistics(type, what, cuts[i]);
    ASSERT_EQ(UPSWEEP_OK, upsweep_partial_push(piece.get(), x.data() + cuts[i],
                                               cuts[i + 1] - cuts[i], nullptr));
    ASSERT_NO_FATAL_FAILURE(append_through_bytes(whole, piece));
  }
  std::vector<double> got(want.size() + 1, -7);
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_result(whole.get(), nullptr, got.data()));
  EXPECT_EQ(-7, got.back());
  got.pop_back();
  EXPECT_EQ(want, got);
}

TEST(c_partials, of_statistics_have_the_bits_of_one_reduction) {
  random_bits next(upsweep::test::test_seed());
  std::vector<float> narrow(1000);
  std::vector<double> wide(1000);
  std::vector<upsweep::xy<double>> pairs(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    wide[i] = static_cast<double>(next.below(1000)) / 7;
    narrow[i] = static_cast<float>(wide[i]);
    pairs[i] = {wide[i], 3 * wide[i] + static_cast<double>(next.below(10))};
  }
  auto const moments = [](auto const& x) -> std::vector<double> {
    auto const m = upsweep::reduce(x, upsweep::moments{});
    return {1000, m.mean, m.variance(), m.stddev(), m.sample_variance(), m.sample_stddev()};
  };
  expect_statistics(UPSWEEP_F32, UPSWEEP_MOMENTS, narrow, moments(narrow));
  expect_statistics(UPSWEEP_F64, UPSWEEP_MOMENTS, wide, moments(wide));
  auto const c = upsweep::reduce(wide, upsweep::central_moments{});
  expect_statistics(UPSWEEP_F64, UPSWEEP_CENTRAL_MOMENTS, wide,
                    {1000, c.mean, c.variance(), c.skewness(), c.kurtosis(), c.sample_skewness(),
                     c.sample_kurtosis()});
  auto const p = upsweep::reduce(pairs, upsweep::comoments{});
  expect_statistics(UPSWEEP_F64, UPSWEEP_COMOMENTS, pairs,
                    {1000, p.mean_x, p.mean_y, p.covariance(), p.sample_covariance(),
                     p.correlation(), p.slope(), p.intercept()});
}

TEST(c_partials, take_an_initial_value_at_the_end) {
  double const x[] = {0.1, 0.2, 0.3, 0.4, 0.5}, initial = 7;
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.initial = &initial;
  auto const p = created(UPSWEEP_F64, UPSWEEP_SUM, 0);
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_push(p.get(), x, 5, nullptr));
  double want = 0, got = 1;
  EXPECT_EQ(UPSWEEP_OK, upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 5, &options, &want));
  EXPECT_EQ(UPSWEEP_OK, upsweep_partial_result(p.get(), &options, &got));
  EXPECT_EQ(want, got);
}

TEST(c_partials, refuse_what_does_not_belong_together) {
  double const x[] = {1, 2, 3};
  double out = 9;
  upsweep_partial* none = nullptr;
  expect_refused(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_ALL, 0, &none), UPSWEEP_UNSUPPORTED,
                 "no partials of this operator");
  expect_refused(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_GCD, 0, &none), UPSWEEP_UNSUPPORTED,
                 "is not defined for");
  expect_refused(upsweep_partial_create_statistics(UPSWEEP_F32, UPSWEEP_COMOMENTS, 0, &none),
                 UPSWEEP_UNSUPPORTED, "no partials of this operator");
  expect_refused(upsweep_partial_create_statistics(UPSWEEP_F64, upsweep_statistics(4), 0, &none),
                 UPSWEEP_INVALID_ARGUMENT, "4 is not an upsweep_statistics");
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.initial = &x;
  for (auto const& each : {created_statistics(UPSWEEP_F64, UPSWEEP_MOMENTS, 0),
                           created(UPSWEEP_F64, UPSWEEP_ARGMIN, 0)})
    expect_refused(upsweep_partial_result(each.get(), &options, &out), UPSWEEP_INVALID_ARGUMENT,
                   "takes no initial value");
  auto const p = created(UPSWEEP_F64, UPSWEEP_SUM, 4), q = created(UPSWEEP_F64, UPSWEEP_MAX, 7);
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_push(p.get(), x, 3, nullptr));
  ASSERT_EQ(UPSWEEP_OK, upsweep_partial_push(q.get(), x, 3, nullptr));
  expect_refused(upsweep_partial_append(p.get(), q.get()), UPSWEEP_INVALID_ARGUMENT,
                 "different operators or types");
  expect_refused(upsweep_partial_append(p.get(), p.get()), UPSWEEP_INVALID_ARGUMENT,
                 "only adjacent parts can be joined");
  expect_refused(upsweep_partial_result(p.get(), nullptr, &out), UPSWEEP_INVALID_ARGUMENT,
                 "[0, 4) are missing");
  expect_refused(upsweep_partial_push(p.get(), nullptr, 1, nullptr), UPSWEEP_INVALID_ARGUMENT,
                 "`in` is NULL");
  expect_refused(upsweep_partial_result(nullptr, nullptr, &out), UPSWEEP_INVALID_ARGUMENT,
                 "`partial` is NULL");
  auto bytes = bytes_of(p);
  bytes[40] ^= 1;
  expect_refused(upsweep_partial_from_bytes(bytes.data(), bytes.size(), &none),
                 UPSWEEP_INVALID_ARGUMENT, "damaged or cut off");
  EXPECT_EQ(nullptr, none);
  EXPECT_EQ(9, out);
}

// UPSWEEP_PAIRWISE: reductions and partials in C have the bits of tree::pairwise in C++.

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

std::vector<double> thirds(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 / static_cast<double>(3 * i + 1);
  return x;
}

TEST(c_pairwise, has_the_bits_of_the_cpp_interface_on_any_number_of_threads) {
  for (std::size_t const n : {0u, 1u, 7u, 1023u, 300'007u}) {
    auto const x = thirds(n);
    for (bool const reverse : {false, true})
      for (int const threads : {0, 1, 2, 3, 7}) {
        double const initial = 0.1;
        double const expected = upsweep::reduce(
            x, upsweep::plus{},
            {.initial = initial, .reverse = reverse, .tree = upsweep::tree::pairwise});
        upsweep_options options = UPSWEEP_OPTIONS_INIT;
        options.threads = threads;
        options.flags = UPSWEEP_PAIRWISE | (reverse ? unsigned{UPSWEEP_REVERSE} : 0u);
        options.initial = &initial;
        double result = 0;
        ASSERT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x.data(), n, &options, &result),
                  UPSWEEP_OK);
        EXPECT_EQ(bits(result), bits(expected)) << n << " elements, " << threads << " threads";
      }
  }
}

TEST(c_pairwise, differs_from_the_other_tree_and_not_for_exact_operators) {
  double const x[] = {1e16, 1, 1, 1, -1e16, 1, 1};
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.flags = UPSWEEP_PAIRWISE;
  double ours = 0, theirs = 0;
  upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 7, nullptr, &ours);
  upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 7, &options, &theirs);
  EXPECT_EQ(ours, (((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5])) + x[6]);
  EXPECT_EQ(theirs, ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]));
  EXPECT_NE(ours, theirs);
  std::int32_t const integers[] = {1, 2, 3, 4, 5, 6, 7};
  std::int64_t total = 0;
  upsweep_reduce(UPSWEEP_I32, UPSWEEP_SUM, integers, 7, &options, &total);
  EXPECT_EQ(total, 28);
}

TEST(c_pairwise, is_that_of_partials) {
  auto const x = thirds(1000);
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.flags = UPSWEEP_PAIRWISE;
  double expected = 0, result = 0;
  ASSERT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x.data(), 1000, &options, &expected),
            UPSWEEP_OK);
  upsweep_partial *first = nullptr, *later = nullptr;
  ASSERT_EQ(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 0, &first), UPSWEEP_OK);
  ASSERT_EQ(upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, 301, &later), UPSWEEP_OK);
  ASSERT_EQ(upsweep_partial_push(first, x.data(), 301, nullptr), UPSWEEP_OK);
  ASSERT_EQ(upsweep_partial_push(later, x.data() + 301, 699, nullptr), UPSWEEP_OK);
  ASSERT_EQ(upsweep_partial_append(first, later), UPSWEEP_OK);
  ASSERT_EQ(upsweep_partial_result(first, &options, &result), UPSWEEP_OK);
  EXPECT_EQ(bits(result), bits(expected));
  upsweep_partial_destroy(first);
  upsweep_partial_destroy(later);
}

TEST(c_pairwise, is_refused_by_scans) {
  double const x[] = {1, 2, 3};
  double out[3] = {};
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.flags = UPSWEEP_PAIRWISE;
  EXPECT_EQ(upsweep_inclusive_scan(UPSWEEP_F64, UPSWEEP_SUM, x, 3, &options, out),
            UPSWEEP_INVALID_ARGUMENT);
  EXPECT_NE(std::string(upsweep_last_error_message()).find("the only flag is UPSWEEP_REVERSE"),
            std::string::npos);
  options.flags = UPSWEEP_CLOSED_RIGHT;
  EXPECT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, &options, out),
            UPSWEEP_INVALID_ARGUMENT);
  EXPECT_NE(std::string(upsweep_last_error_message())
                .find("the only flags are UPSWEEP_REVERSE and UPSWEEP_PAIRWISE"),
            std::string::npos);
}

}  // namespace
