/// c_api/ranks.h on one process: strides, masks, weights and threads beside plain loops over
/// integers, and what is refused. tests/fortran has many ranks, and exact fractions.
#include <upsweep/c_api/ranks.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

upsweep_field field_of(std::vector<double> const& x) {
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), x.size());
  return field;
}

double sum_of(upsweep_field const& field, int threads = 1) {
  upsweep_ranks alone{};
  alone.size = sizeof alone;
  alone.add = alone.add_before =
      alone.least = [](void*, std::int64_t const* in, std::int64_t* out, int n) {
        std::memcpy(out, in, sizeof *in * static_cast<std::size_t>(n));
        return 0;
      };
  alone.threads = threads;
  double sum = -1;
  EXPECT_EQ(UPSWEEP_OK, upsweep_global_sum(&alone, &field, nullptr, &sum));
  return sum;
}

void expect_refused(upsweep_status wanted, char const* sentence, upsweep_status status) {
  EXPECT_EQ(wanted, status);
  EXPECT_NE(std::string::npos, std::string(upsweep_last_error_message()).find(sentence))
      << upsweep_last_error_message();
}

void expect_no_sum(upsweep_field const& field, char const* sentence) {
  double sum = -1;
  expect_refused(UPSWEEP_INVALID_ARGUMENT, sentence,
                 upsweep_global_sum(nullptr, &field, nullptr, &sum));
  EXPECT_EQ(-1, sum);
}

/// Lengths around those at which rows are read in place, chunks end and threads start.
TEST(c_ranks, sections_of_any_length_have_the_sum_of_a_loop) {
  for (auto n : std::vector<std::size_t>{1, 2, 511, 512, 513, 2047, 2048, 2049, 131071, 131072,
                                         131073, 200000}) {
    std::vector<double> x(3 * n + 6, 1e300), w(n);
    std::vector<std::int32_t> mask(n);
    std::int64_t plain = 0, masked = 0, weighted = 0;
    for (std::size_t i = 0; i < n; ++i) {
      auto const value = static_cast<std::int64_t>(i * 7919 % 2003) - 1000;
      x[3 * i + 2] = static_cast<double>(value);
      mask[i] = i % 3 == 1 ? -1 : 0;
      w[i] = mask[i] != 0 ? static_cast<double>(i % 5) : infinity;
      plain += value;
      masked += mask[i] != 0 ? value : 0;
      weighted += mask[i] != 0 ? value * static_cast<std::int64_t>(i % 5) : 0;
    }
    upsweep_field field = field_of(x);
    field.values = upsweep_array_slice(field.values, 0, 2, 3 * n + 1, 3);
    ASSERT_EQ(static_cast<std::int64_t>(n), field.values.shape[0]);
    std::vector<double> dense(n);
    for (std::size_t i = 0; i < n; ++i) dense[i] = x[3 * i + 2];
    for (int threads : {1, 3, 0}) {
      EXPECT_EQ(plain, sum_of(field, threads)) << n;
      EXPECT_EQ(plain, sum_of(field_of(dense), threads)) << n;
      upsweep_field some = field;
      some.mask = upsweep_array_of(UPSWEEP_I32, mask.data(), n);
      EXPECT_EQ(masked, sum_of(some, threads)) << n;
      some.weights = upsweep_array_of(UPSWEEP_F64, w.data(), n);
      EXPECT_EQ(weighted, sum_of(some, threads)) << n;
    }
  }
}

TEST(c_ranks, masks_of_every_type_of_integers_are_taken) {
  std::vector<double> const x = {1, 2, 4, 8};
  std::uint64_t const wide[] = {std::uint64_t{1} << 63, 0, 0, 1};
  std::uint16_t const two[] = {256, 0, 0, 1};
  std::int8_t const one[] = {-1, 0, 0, 1};
  upsweep_field field = field_of(x);
  for (auto type : {UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_U16, UPSWEEP_I16, UPSWEEP_I8, UPSWEEP_U8}) {
    std::size_t const size = upsweep_type_size(type);
    field.mask = upsweep_array_of(type,
                                  size == 8   ? static_cast<void const*>(wide)
                                  : size == 2 ? static_cast<void const*>(two)
                                              : one,
                                  4);
    EXPECT_EQ(9, sum_of(field));
  }
}

TEST(c_ranks, a_mask_or_weight_without_dimensions_is_for_all_elements) {
  std::vector<double> const x = {1, 2, 4, 8};
  double const weight = 0.5;
  std::uint8_t mask = 1;
  upsweep_field field = field_of(x);
  field.weights = upsweep_array_of_shape(UPSWEEP_F64, &weight, 0, nullptr);
  field.mask = upsweep_array_of_shape(UPSWEEP_U8, &mask, 0, nullptr);
  EXPECT_EQ(7.5, sum_of(field));
  mask = 0;
  EXPECT_EQ(0, sum_of(field));
}

TEST(c_ranks, products_of_integers_are_exact_beyond_64_bits) {
  std::vector<std::int64_t> const x = {INT64_MAX, INT64_MIN, 5, -3};
  std::vector<std::int64_t> const y = {INT64_MAX, INT64_MAX, 7, 2};
  // The first two products add up to -INT64_MAX.
  auto const a = upsweep_array_of(UPSWEEP_I64, x.data(), 4),
             b = upsweep_array_of(UPSWEEP_I64, y.data(), 4);
  std::int64_t sum = 0;
  ASSERT_EQ(UPSWEEP_OK, upsweep_global_dot(nullptr, &a, &b, nullptr, nullptr, &sum));
  EXPECT_EQ(-INT64_MAX + 29, sum);
  expect_refused(UPSWEEP_OVERFLOW, "upsweep_global_dot: the sum does not fit into 64 bits",
                 upsweep_global_dot(nullptr, &a, &a, nullptr, nullptr, &sum));
  EXPECT_EQ(-INT64_MAX + 29, sum);
}

TEST(c_ranks, what_is_not_finite_is_counted_and_decides_the_sum) {
  std::vector<double> const x = {1, infinity, -infinity, std::nan(""), infinity};
  upsweep_element_counts counts{};
  double sum = 0;
  upsweep_field field = field_of(x);
  ASSERT_EQ(UPSWEEP_OK, upsweep_global_sum(nullptr, &field, &counts, &sum));
  EXPECT_TRUE(std::isnan(sum));
  EXPECT_EQ(5, counts.elements);
  EXPECT_EQ(1, counts.nan);
  EXPECT_EQ(2, counts.plus_infinity);
  EXPECT_EQ(1, counts.minus_infinity);
  std::uint8_t const mask[] = {1, 1, 0, 0, 1};
  field.mask = upsweep_array_of(UPSWEEP_U8, mask, 5);
  ASSERT_EQ(UPSWEEP_OK, upsweep_global_sum(nullptr, &field, &counts, &sum));
  EXPECT_EQ(infinity, sum);
  EXPECT_EQ(3, counts.elements);
  EXPECT_EQ(0, counts.nan + counts.minus_infinity);
}

TEST(c_ranks, running_sums_may_be_stored_in_place) {
  std::vector<double> x = {1e100, 1, -1e100, 2};
  auto const a = upsweep_array_of(UPSWEEP_F64, x.data(), 4);
  ASSERT_EQ(UPSWEEP_OK, upsweep_global_running_sum(nullptr, &a, 0, 0, &a));
  EXPECT_EQ((std::vector<double>{1e100, 1e100, 1, 3}), x);
}

TEST(c_ranks, wrong_arguments_are_refused_in_sentences) {
  std::vector<double> const x(6);
  upsweep_field const good = field_of(x);
  upsweep_field field = good;
  field.values.type = UPSWEEP_U8;
  expect_no_sum(field, "`values.type` is 5; give UPSWEEP_F64");
  field = good;
  field.values.dims = 8;
  expect_no_sum(field, "has 8 dimensions; an array may have 0 to 7");
  field = good;
  field.values.shape[0] = -1;
  expect_no_sum(field, "`values` has the shape -1");
  field = good;
  field.values.strides[0] = 4;
  expect_no_sum(field, "`values` is not aligned to its type, UPSWEEP_F64");
  field = good;
  field.mask = upsweep_array_of(UPSWEEP_F64, x.data(), 6);
  expect_no_sum(field, "`mask.type` is 12; give a type of integers");
  field = good;
  field.weights = upsweep_array_of(UPSWEEP_F32, x.data(), 6);
  expect_no_sum(field, "weights are UPSWEEP_F32, and values UPSWEEP_F64");
  field.weights = good.values;
  double out = 0;
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "there are no weights here",
                 upsweep_global_mean(nullptr, &field, nullptr, &out));
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "less is 2; give 0 or 1",
                 upsweep_global_variance(nullptr, &good, 2, nullptr, &out));
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "`index` has floating-point elements",
                 upsweep_global_min(nullptr, &good, &good.values, nullptr, nullptr, &out));
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "are not integers",
                 upsweep_global_sums(nullptr, &good, 1, UPSWEEP_I64, nullptr, &out));
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "axis is 1, but `values` has 1 dimensions",
                 upsweep_global_running_sum(nullptr, &good.values, 1, 0, &good.values));
  std::int32_t const integers[] = {1, 2, 3, 4, 5, 6};
  field = upsweep_field{};
  field.values = upsweep_array_of(UPSWEEP_I32, integers, 6);
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "values are UPSWEEP_I32; give UPSWEEP_F64",
                 upsweep_global_mean(nullptr, &field, nullptr, &out));
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "the running sums of UPSWEEP_I32 are UPSWEEP_I64",
                 upsweep_global_running_sum(nullptr, &field.values, 0, 0, &good.values));
}

TEST(c_ranks, a_communicator_that_fails_is_a_status) {
  std::vector<double> const x(6);
  upsweep_field const field = field_of(x);
  upsweep_ranks ranks{};
  double out = -1;
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "ranks->size is 0",
                 upsweep_global_sum(&ranks, &field, nullptr, &out));
  ranks.size = sizeof ranks;
  expect_refused(UPSWEEP_INVALID_ARGUMENT, "a function of `ranks` is NULL",
                 upsweep_global_sum(&ranks, &field, nullptr, &out));
  ranks.add = ranks.add_before =
      ranks.least = [](void*, std::int64_t const*, std::int64_t*, int) { return 17; };
  expect_refused(UPSWEEP_COMMUNICATION, "ranks->add returned 17; the communicator failed",
                 upsweep_global_sum(&ranks, &field, nullptr, &out));
  EXPECT_EQ(-1, out);
}

}  // namespace
