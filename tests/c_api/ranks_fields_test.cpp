/// Sums of many fields over ranks that are threads: values that only some ranks have, whose sums
/// are known from arithmetic, and what the messages contain.
#include <upsweep/c_api/ranks.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

constexpr int size = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

/// Ranks that are threads, and the lengths of the messages that they sent.
struct team {
  std::barrier<> all{size};
  std::array<std::vector<std::int64_t>, size> sent;
  std::vector<int> lengths;  // of the messages of rank 0
};
struct member {
  team* of;
  std::size_t rank;
};

/// out = the combination of `first` and what all ranks send, or those before this one.
template <class Op>
int combine(void* context, std::int64_t const* in, std::int64_t* out, int n, std::int64_t first,
            bool before, Op const& op) {
  auto const& [of, rank] = *static_cast<member*>(context);
  of->sent[rank].assign(in, in + n);
  if (rank == 0) of->lengths.push_back(n);
  of->all.arrive_and_wait();
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    out[i] = first;
    for (std::size_t r = 0; r < (before ? rank : size); ++r) out[i] = op(out[i], of->sent[r].at(i));
  }
  of->all.arrive_and_wait();
  return 0;
}
int add(void* context, std::int64_t const* in, std::int64_t* out, int n) {
  return combine(context, in, out, n, 0, false, std::plus<>());
}
int add_before(void* context, std::int64_t const* in, std::int64_t* out, int n) {
  return combine(context, in, out, n, 0, true, std::plus<>());
}
int least(void* context, std::int64_t const* in, std::int64_t* out, int n) {
  return combine(context, in, out, n, INT64_MAX, false,
                 [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
}

/// Calls f(ranks, number) on each rank; returns the lengths of its messages.
template <class F>
std::vector<int> on_ranks(F const& f) {
  team all;
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < size; ++r)
    threads.emplace_back([&all, &f, r] {
      member me{&all, r};
      upsweep_ranks ranks = upsweep_one_rank();
      ranks.context = &me;
      ranks.add = add;
      ranks.add_before = add_before;
      ranks.least = least;
      f(ranks, r);
    });
  for (auto& thread : threads) thread.join();
  return all.lengths;
}

upsweep_field field_of(std::vector<double> const& x) {
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), x.size());
  return field;
}
std::uint64_t bits_of(double x) {
  return std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x);
}

/// A field: what each rank has of it, its sum, and its counts.
struct example {
  std::array<std::vector<double>, size> x;
  double sum;
  std::int64_t n = 0, nan = 0, plus = 0, minus = 0;
};
std::vector<example> const examples = {
    {{{{1, 2}, {3}, {4}}}, 10, 4},
    {{{{1}, {}, {std::nan("")}}}, std::nan(""), 2, 1},
    {{{{}, {infinity}, {infinity, 1}}}, infinity, 3, 0, 2},
    {{{{-infinity}, {-1}, {}}}, -infinity, 2, 0, 0, 1},
    {{{{-infinity}, {infinity}, {7}}}, std::nan(""), 3, 0, 1, 1},
    {{{{-0.0}, {-0.0}, {-0.0}}}, -0.0, 3},
    {{{{-0.0}, {}, {}}}, -0.0, 1},
    {{{{-0.0}, {}, {0.0}}}, 0.0, 2},
    {{{{}, {}, {}}}, 0.0, 0},
    {{{{1e300}, {-1e300}, {1}}}, 1, 3},
    {{{{-1}, {-1}, {1}}}, -1, 3},
    {{{{tiny}, {tiny}, {-tiny}}}, tiny, 3},
    {{{{1.5e308}, {1.5e308}, {-1.5e308}}}, 1.5e308, 3},
    {{{{1.5e308}, {1.5e308}, {}}}, infinity, 2},
    {{{{0x1p-32}, {-0x1p-33}, {0x1p53}}}, 0x1p53, 3},
    {{{{1}, {0x1p-53}, {0x1p-1074}}}, 1 + 0x1p-52, 3},
    {{{{-0x1p64}, {0x1p64}, {}}}, 0.0, 2},
};

void expect_counts(example const& wanted, upsweep_element_counts const& got, std::size_t k) {
  EXPECT_EQ(wanted.n, got.elements) << k;
  EXPECT_EQ(wanted.nan, got.nan) << k;
  EXPECT_EQ(wanted.plus, got.plus_infinity) << k;
  EXPECT_EQ(wanted.minus, got.minus_infinity) << k;
}

/// The fields `first`, first + step ... below `last`, of which the rank `counting` wants counts.
void expect_examples(std::size_t first, std::size_t last, std::size_t step, std::size_t counting) {
  on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
    std::vector<upsweep_field> fields;
    for (std::size_t k = first; k < last; k += step)
      fields.push_back(field_of(examples[k].x[rank]));
    std::vector<double> sums(fields.size());
    std::vector<upsweep_element_counts> counts(fields.size());
    ASSERT_EQ(UPSWEEP_OK,
              upsweep_global_sums(&ranks, fields.data(), fields.size(), UPSWEEP_F64,
                                  rank == counting ? counts.data() : nullptr, sums.data()));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      example const& wanted = examples[first + i * step];
      EXPECT_EQ(bits_of(wanted.sum), bits_of(sums[i])) << first + i * step << ", rank " << rank;
      if (rank == counting) expect_counts(wanted, counts[i], first + i * step);
    }
  });
}

TEST(c_ranks_fields, each_sum_and_its_counts_are_those_of_the_field_alone) {
  for (std::size_t k = 0; k < examples.size(); ++k) expect_examples(k, k + 1, 1, k % size);
}
TEST(c_ranks_fields, each_sum_and_its_counts_are_right_beside_any_other_field) {
  for (std::size_t counting = 0; counting <= size; ++counting)  // the last one is no rank
    for (std::size_t k = 0; k < examples.size(); ++k) {
      for (std::size_t step = 1; k + step < examples.size(); ++step)
        expect_examples(k, k + step + 1, step, counting);
    }
  expect_examples(0, examples.size(), 1, size);
  expect_examples(0, examples.size(), 1, 0);
}

/// Products that one number cannot hold, beside a usual field.
TEST(c_ranks_fields, products_too_large_or_too_small_for_a_number_cancel_over_ranks) {
  for (double const factor : {1e200, 1e-200})
    on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
      std::vector<double> const x = {rank == 1 ? -factor : factor}, w = {rank == 2 ? 0.0 : factor};
      std::vector<double> const usual = {static_cast<double>(rank)};
      std::vector<upsweep_field> fields = {field_of(usual), field_of(x), field_of(usual)};
      fields[1].weights = upsweep_array_of(UPSWEEP_F64, w.data(), 1);
      std::array<double, 3> sums{};
      ASSERT_EQ(UPSWEEP_OK,
                upsweep_global_sums(&ranks, fields.data(), 3, UPSWEEP_F64, nullptr, sums.data()));
      EXPECT_EQ((std::array<double, 3>{3, 0, 3}), sums);
      if (rank == 1) fields[1] = field_of(usual);
      ASSERT_EQ(UPSWEEP_OK,
                upsweep_global_sums(&ranks, fields.data(), 3, UPSWEEP_F64, nullptr, sums.data()));
      EXPECT_EQ(factor > 1 ? infinity : 1, sums[1]);
    });
}

/// Whole numbers up to 2^13 are in one limb, those up to 2^45 in two.
TEST(c_ranks_fields, only_what_some_field_uses_on_some_rank_is_sent) {
  auto const lengths = [](std::size_t count, double largest, bool counts_too) {
    return on_ranks([=](upsweep_ranks const& ranks, std::size_t rank) {
      std::vector<double> const x = {1, rank == 1 ? largest : 2};
      std::vector<upsweep_field> fields(count, field_of(x));
      std::vector<double> sums(count);
      std::vector<upsweep_element_counts> counts(count);
      ASSERT_EQ(UPSWEEP_OK, upsweep_global_sums(&ranks, fields.data(), count, UPSWEEP_F64,
                                                counts_too ? counts.data() : nullptr, sums.data()));
      EXPECT_EQ(count, static_cast<std::size_t>(std::ranges::count(sums, largest + 7)));
    });
  };
  EXPECT_EQ((std::vector{81}), lengths(0, 3, true));
  EXPECT_EQ((std::vector{81}), lengths(1, 3, true));
  EXPECT_EQ((std::vector{81, 2}), lengths(2, 3, false));
  EXPECT_EQ((std::vector{81, 100}), lengths(100, 8000, false));
  EXPECT_EQ((std::vector{81, 200}), lengths(100, 0x1p40, false));
  EXPECT_EQ((std::vector{81, 200}), lengths(100, 8000, true));
}

/// A result of a long sum of integers beside short ones.
TEST(c_ranks_fields, integers_that_need_more_limbs_on_one_rank_are_exact) {
  on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
    std::vector<std::int64_t> const small = {static_cast<std::int64_t>(rank)};
    std::vector<std::int64_t> const large = {rank == 0   ? INT64_MAX
                                             : rank == 1 ? INT64_MAX
                                                         : INT64_MIN};
    std::array<upsweep_field, 2> fields{};
    fields[0].values = upsweep_array_of(UPSWEEP_I64, small.data(), 1);
    fields[1].values = upsweep_array_of(UPSWEEP_I64, large.data(), 1);
    std::array<std::int64_t, 2> sums{};
    ASSERT_EQ(UPSWEEP_OK,
              upsweep_global_sums(&ranks, fields.data(), 2, UPSWEEP_I64, nullptr, sums.data()));
    EXPECT_EQ((std::array<std::int64_t, 2>{3, INT64_MAX - 1}), sums);
  });
}

/// Another axis, direction, function or number of fields on one rank, of which all learn.
TEST(c_ranks_fields, ranks_that_call_with_other_arguments_all_learn_it) {
  std::array<double, 4> const values{1, 2, 3, 4};
  std::array<std::size_t, 2> const shape{2, 2};
  for (std::size_t odd = 0; odd < size; ++odd)
    on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
      int const other = rank == odd ? 1 : 0;
      upsweep_array const a = upsweep_array_of_shape(UPSWEEP_F64, values.data(), 2, shape.data());
      std::array<double, 4> out{};
      upsweep_array const to = upsweep_array_of_shape(UPSWEEP_F64, out.data(), 2, shape.data());
      EXPECT_EQ(UPSWEEP_RANKS_DIFFER, upsweep_global_running_sum(&ranks, &a, other, 0, &to));
      EXPECT_EQ(UPSWEEP_RANKS_DIFFER, upsweep_global_running_sum(&ranks, &a, 0, other, &to));
      upsweep_field field{};
      field.values = a;
      std::array<upsweep_field, 3> const fields{field, field, field};
      for (std::size_t const n : {0U, 1U, 2U})
        EXPECT_EQ(UPSWEEP_RANKS_DIFFER,
                  upsweep_global_sums(&ranks, fields.data(), n + static_cast<std::size_t>(other),
                                      UPSWEEP_F64, nullptr, out.data()));
      EXPECT_EQ(UPSWEEP_RANKS_DIFFER,
                upsweep_global_sums(&ranks, fields.data(), 2,
                                    other != 0 ? UPSWEEP_F32 : UPSWEEP_F64, nullptr, out.data()));
      EXPECT_EQ((std::array<double, 4>{}), out);
    });
}

/// Two lines over three ranks: what docs/fortran.md says of the messages.
template <class T, class R>
std::vector<int> lengths_of_running_sums(upsweep_type type, upsweep_type result) {
  return on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
    std::array<T, 4> const x{1, 2, 3, static_cast<T>(rank)};
    std::array<R, 4> out{};
    std::array<std::size_t, 2> const shape{2, 2};
    upsweep_array const a = upsweep_array_of_shape(type, x.data(), 2, shape.data());
    upsweep_array const to = upsweep_array_of_shape(result, out.data(), 2, shape.data());
    ASSERT_EQ(UPSWEEP_OK, upsweep_global_running_sum(&ranks, &a, 0, 0, &to));
    std::size_t const left = rank * 4, right = rank * 2 + (rank * (rank - 1)) / 2;
    EXPECT_EQ((std::array<R, 4>{static_cast<R>(left + 1), static_cast<R>(right + 2),
                                static_cast<R>(left + 4), static_cast<R>(right + 2 + rank)}),
              out);
  });
}
TEST(c_ranks_fields, running_sums_send_one_integer_for_each_32_bits_of_a_line) {
  EXPECT_EQ((std::vector{81, 2 * 73}),
            (lengths_of_running_sums<double, double>(UPSWEEP_F64, UPSWEEP_F64)));
  EXPECT_EQ((std::vector{81, 2 * 17}),
            (lengths_of_running_sums<float, float>(UPSWEEP_F32, UPSWEEP_F32)));
  EXPECT_EQ((std::vector{81, 2 * 9, 1}),
            (lengths_of_running_sums<std::int64_t, std::int64_t>(UPSWEEP_I64, UPSWEEP_I64)));
}

/// 2^14 is a bit of its own word, with zeros in the next lower one.
TEST(c_ranks_fields, running_sums_continue_from_a_power_of_two) {
  on_ranks([&](upsweep_ranks const& ranks, std::size_t rank) {
    for (double const power : {0x1p14, -0x1p14, 0x1p78, 0x1p-50}) {
      double const x = rank == 0 ? power : power / 4;
      double out = 0;
      auto const a = upsweep_array_of(UPSWEEP_F64, &x, 1),
                 to = upsweep_array_of(UPSWEEP_F64, &out, 1);
      ASSERT_EQ(UPSWEEP_OK, upsweep_global_running_sum(&ranks, &a, 0, 0, &to));
      EXPECT_EQ(power * (1 + 0.25 * static_cast<double>(rank)), out);
    }
  });
}

}  // namespace
