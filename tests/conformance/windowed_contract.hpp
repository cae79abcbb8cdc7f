/// Contract 12 for windows: each has the bits of reduce over its elements alone.
#pragma once

#include <conformance/contract_test.hpp>
#include <conformance/devices.hpp>
#include <conformance/refusals.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/functions.hpp>
#include <support/uneven.hpp>
#include <support/varied.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/windowed.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {

template <class R, class T, class Op, class E>
void expect_windows(E const& on, std::vector<T> const& x, std::size_t width, Op const& op,
                    options<accumulator_t<Op, T>> const& o = {}) {
  std::size_t const windows = x.size() < width ? 0 : x.size() - width + 1;
  fenced<R> out(windows);
  upsweep::windowed(on, x, width, out.inside(), op, o);
  ASSERT_TRUE(out.intact());
  std::optional<accumulator_t<Op, T>> const& initial = o.initial;
  // All windows if that is quick, otherwise those at the ends and at the borders of tiles.
  for (std::size_t i = 0; i < windows; ++i) {
    if (windows * width > 300'000 && i > 20 && i + 20 < windows && i % 4096 > 1 && i % 4096 < 4095)
      continue;
    std::vector<T> const alone(x.begin() + static_cast<std::ptrdiff_t>(i),
                               x.begin() + static_cast<std::ptrdiff_t>(i + width));
    ASSERT_TRUE(same_bits(out[i], static_cast<R>(reference::reduce(alone, op, initial))))
        << "window " << i << " of " << windows << ", width " << width;
  }
}

template <class Backend>
class windowed_contract : public testing::Test {};
TYPED_TEST_SUITE_P(windowed_contract);

CONTRACT_TEST(windowed_contract, sums_have_the_bits_of_their_window_alone) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{1}, std::size_t{100}, std::size_t{13'001}})
    for (std::size_t const width : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 32u, 100u, 1'023u, 4'095u,
                                    4'096u, 4'097u, 6'000u, 13'001u, 20'000u}) {
      expect_windows<float>(on, uneven_numbers<float>(n), width, plus{});
      if (width < 200)
        expect_windows<double>(on, uneven_numbers<double>(n), width, plus{}, {.initial = 0x1p60});
    }
}

CONTRACT_TEST(windowed_contract, wide_windows_are_divided_among_threads) {
  auto const on = TypeParam::make();
  auto const x = uneven_numbers<float>(40'007);
  for (std::size_t const width : {2'047u, 2'048u, 5'005u, 20'003u, 20'004u, 20'005u, 40'000u}) {
    expect_windows<float>(on, x, width, plus{});
    expect_windows<float>(on, x, width, min{});
  }
}

CONTRACT_TEST(windowed_contract, windows_near_those_whose_lowest_levels_are_apart) {
  auto const on = TypeParam::make();
  auto const floats = uneven_numbers<float>(5'000);
  auto const doubles = uneven_numbers<double>(3'000);
  random_bits next(test_seed());
  std::vector<std::int32_t> integers;
  for (int i = 0; i < 5'000; ++i) integers.push_back(static_cast<std::int32_t>(next()));
  std::vector<std::int64_t> const wide(integers.begin(), integers.begin() + 3'000);
  for (std::size_t const width : {255u, 256u, 257u, 258u, 511u, 512u, 513u, 514u, 767u, 1'023u}) {
    expect_windows<float>(on, floats, width, plus{});
    expect_windows<double>(on, doubles, width, plus{});
    expect_windows<double>(on, doubles, width, max_number{});
    expect_windows<std::int32_t>(on, integers, width, max{});
    expect_windows<std::int64_t>(on, wide, width, min{});
    expect_windows<std::int64_t>(on, wide, width, plus{});
  }
}

CONTRACT_TEST(windowed_contract, every_kind_of_operator_is_applied_in_each_window) {
  auto const on = TypeParam::make();
  std::size_t const n = 5'003;
  auto const [small, maps, words] = varied_elements(n);
  for (std::size_t const width : {1u, 3u, 16u, 29u}) {
    expect_windows<std::int64_t>(on, small, width, plus{});
    expect_windows<std::int16_t>(on, small, width, max{});
    expect_windows<upsweep::affine_map<float>>(on, maps, width, affine{});
    expect_windows<float>(on, uneven_numbers<float>(n), width, monoid(sum_of_two{}, 0.0f));
    if (is_device<TypeParam>) continue;  // it has neither strings nor positions in windows
    expect_windows<std::string>(on, words, width, concat{});
    expect_windows<std::size_t>(on, small, width, argmax{});
  }
}

/// Accumulators of 32 bytes, of which the memory that `new` returns holds no whole cache lines.
CONTRACT_TEST(windowed_contract, windows_of_matrices) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  random_bits next(test_seed());
  std::vector<matrix2x2<std::int64_t>> x(5'003);
  for (auto& m : x)
    m = {static_cast<std::int64_t>(next.below(9)), static_cast<std::int64_t>(next.below(9)), 1, 3};
  for (std::size_t const width : {1u, 3u, 16u, 29u, 1'000u})
    for (int repeat = 0; repeat < 4; ++repeat)
      expect_windows<matrix2x2<std::int64_t>>(on, x, width, matrix2x2_product{});
}

CONTRACT_TEST(windowed_contract, extrema_order_zeros_and_nan) {
  auto const on = TypeParam::make();
  auto const expect_type = [&]<class T>(T) {
    T const special[] = {T{0},
                         -T{0},
                         std::numeric_limits<T>::quiet_NaN(),
                         -std::numeric_limits<T>::quiet_NaN(),
                         std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(),
                         T{1},
                         T{-1},
                         T(1e-40),
                         T(-3e38)};
    random_bits next(test_seed());
    std::vector<T> x;
    for (std::size_t i = 0; i < 3'000; ++i)
      x.push_back(special[next() % (i % 2 == 0 || i > 1'500 ? 10 : 2)]);
    for (std::size_t const width : {1u, 2u, 3u, 10u, 100u}) {
      expect_windows<T>(on, x, width, max{});
      expect_windows<T>(on, x, width, min{});
      expect_windows<T>(on, x, width, max_number{});
      expect_windows<T>(on, x, width, min_number{}, {.initial = T{0}});
    }
  };
  expect_type(float{});
  expect_type(double{});
}

CONTRACT_TEST(windowed_contract, ranges_of_any_kind_have_windows) {
  auto const on = TypeParam::make();
  std::deque<int> const x{1, 2, 3, 4, 5};
  std::deque<long> sums(3);
  upsweep::windowed(on, x, 3, sums);
  EXPECT_EQ(sums, (std::deque<long>{6, 9, 12}));
  std::vector<bool> const flags{true, false, true, true};
  std::vector<int> counts(3);
  upsweep::windowed(on, flags, 2, counts);
  EXPECT_EQ(counts, (std::vector{1, 1, 2}));
  std::deque<float> const with_nan{1, std::numeric_limits<float>::quiet_NaN(), 3, 2};
  std::deque<float> largest(3);
  upsweep::windowed(on, with_nan, 2, largest, max{});
  EXPECT_TRUE(std::isnan(largest[0]) && std::isnan(largest[1]) && largest[2] == 3);
  upsweep::windowed(on, with_nan, 2, largest, max_number{});
  EXPECT_EQ(largest, (std::deque<float>{1, 3, 3}));
}

/// A sum to which elements are appended, not only combined with.
struct continued_sum : plus {
  UPSWEEP_BOTH bool continues(std::int64_t) const { return true; }
};
CONTRACT_TEST(windowed_contract, elements_are_appended_to_an_initial_value_that_continues) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  for (std::size_t const n : {5u, 300u, 5000u}) {
    std::vector<std::int64_t> const x(n, 3);
    for (std::size_t const width : {1u, 2u, 5u}) {
      std::vector<std::int64_t> out(n - width + 1);
      upsweep::windowed(on, x, width, out, continued_sum{}, {.initial = 100});
      EXPECT_EQ(out, std::vector(out.size(), static_cast<std::int64_t>(100 + 3 * width)));
    }
  }
}

CONTRACT_TEST(windowed_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> x(1'000, 1), out(991);
  upsweep::windowed(on, x, 10, out);
  EXPECT_EQ(out, std::vector<int>(991, 10));
  EXPECT_TRUE(refuses({"at least 1"}, [&] { upsweep::windowed(on, x, 0, out); }));
  EXPECT_TRUE(refuses({"990 windows", "991 elements"}, [&] { upsweep::windowed(on, x, 11, out); }));
  EXPECT_TRUE(refuses({"0 windows"}, [&] { upsweep::windowed(on, x, 1'001, out); }));
  EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::windowed(on, x, 10, std::span(x).first(991)); }));
  if (is_device<TypeParam>) return;  // checked operators throw
  std::vector<std::int64_t> large(100, std::int64_t{1} << 62), sums(98);
  EXPECT_THROW(upsweep::windowed(on, large, 3, sums, checked_plus{}), overflow_error);
}

REGISTER_TYPED_TEST_SUITE_P(windowed_contract, sums_have_the_bits_of_their_window_alone,
                            wide_windows_are_divided_among_threads,
                            windows_near_those_whose_lowest_levels_are_apart,
                            every_kind_of_operator_is_applied_in_each_window, windows_of_matrices,
                            extrema_order_zeros_and_nan, ranges_of_any_kind_have_windows,
                            elements_are_appended_to_an_initial_value_that_continues,
                            wrong_calls_are_refused);

}  // namespace upsweep::test
