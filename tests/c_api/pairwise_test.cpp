/// UPSWEEP_PAIRWISE: reductions and partials in C have the bits of tree::pairwise in C++.
#include <upsweep/upsweep.h>
#include <upsweep/upsweep_partial.h>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

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
