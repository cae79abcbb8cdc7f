/// pad and unpad move rows in place, and touch nothing else.
#pragma once

#include <conformance/contract_test.hpp>
#include <support/fenced.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/padding.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

template <class Backend>
class padding_contract : public testing::Test {};
TYPED_TEST_SUITE_P(padding_contract);

template <class T, class E>
void expect_padding(E const& on, std::size_t rows, std::size_t columns, std::size_t padded) {
  SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(columns) + " of " +
               std::to_string(padded));
  auto const element = [](std::size_t i) {
    if constexpr (std::is_same_v<T, std::string>)
      return std::to_string(i);
    else
      return static_cast<T>(i * 7919);
  };
  auto const fill = element(123'456'789);
  fenced<T> x(rows * padded);
  for (std::size_t i = 0; i < rows * columns; ++i) x.inside()[i] = element(i);
  upsweep::pad(on, x.inside(), rows, columns, padded, fill);
  ASSERT_TRUE(x.intact());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < padded; ++c)
      ASSERT_EQ(x[r * padded + c], c < columns ? element(r * columns + c) : fill) << r << " " << c;
  upsweep::unpad(on, x.inside(), rows, columns, padded);
  ASSERT_TRUE(x.intact());
  for (std::size_t i = 0; i < rows * columns; ++i) ASSERT_EQ(x[i], element(i)) << i;
}

CONTRACT_TEST(padding_contract, rows_move_in_place) {
  auto const on = TypeParam::make();
  for (std::size_t const rows : {0u, 1u, 2u, 3u, 17u, 1'000u})
    for (std::size_t const columns : {0u, 1u, 2u, 7u, 100u})
      for (std::size_t const more : {0u, 1u, 2u, 50u, 300u}) {
        expect_padding<std::uint16_t>(on, rows, columns, columns + more);
        if (rows < 100 && !is_device<TypeParam>)  // which has no strings
          expect_padding<std::string>(on, rows, columns, columns + more);
      }
  expect_padding<float>(on, 5'000, 31, 32);
  expect_padding<std::uint64_t>(on, 300, 1'000, 1'001);
  expect_padding<std::uint8_t>(on, 3, 100'000, 150'000);
}

/// Runs the lines of a call from the last to the first: rows that are moved at the same time must
/// not need an order.
struct backwards : serial {
  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    while (count-- > 0) f(count, *this);
  }
};

CONTRACT_TEST(padding_contract, rows_that_are_moved_together_need_no_order) {
  expect_padding<std::uint16_t>(backwards{}, 4'000, 31, 48);
  expect_padding<std::uint16_t>(backwards{}, 4'000, 100, 101);
  expect_padding<std::uint32_t>(backwards{}, 300, 5'000, 7'500);
}

CONTRACT_TEST(padding_contract, ranges_of_any_kind_are_padded) {
  std::deque<int> x{1, 2, 3, 4, 0, 0};
  upsweep::pad(TypeParam::make(), x, 2, 2, 3, -1);
  EXPECT_EQ(x, (std::deque<int>{1, 2, -1, 3, 4, -1}));
}

CONTRACT_TEST(padding_contract, a_fill_that_is_an_element_of_the_range_is_read_first) {
  std::vector<int> x{1, 2, 3, 4, 0, 0};
  upsweep::pad(TypeParam::make(), x, 2, 2, 3, x[3]);
  EXPECT_EQ(x, (std::vector{1, 2, 4, 3, 4, 4}));
  std::vector<std::string> words{"a", "b", "c", "d", "", ""};
  upsweep::pad(words, 2, 2, 3, words[3]);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b", "d", "c", "d", "d"}));
}

CONTRACT_TEST(padding_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> x(12, 5);
  EXPECT_TRUE(refuses({"rows of 4", "rows of 3"}, [&] { upsweep::pad(on, x, 4, 4, 3); }));
  EXPECT_TRUE(
      refuses({"pad", "12 elements", "5 rows of 3"}, [&] { upsweep::pad(on, x, 5, 2, 3); }));
  EXPECT_TRUE(refuses({"unpad", "4 rows of 4"}, [&] { upsweep::unpad(on, x, 4, 2, 4); }));
  std::size_t const huge = std::size_t{1} << 63;
  EXPECT_TRUE(refuses({"12 elements"}, [&] { upsweep::pad(on, x, huge, 2, 6); }));
  EXPECT_TRUE(refuses({"12 elements"}, [&] { upsweep::pad(on, x, 3, 0, 0); }));
  EXPECT_EQ(x, std::vector(12, 5));
}

REGISTER_TYPED_TEST_SUITE_P(padding_contract, rows_move_in_place,
                            rows_that_are_moved_together_need_no_order,
                            ranges_of_any_kind_are_padded,
                            a_fill_that_is_an_element_of_the_range_is_read_first,
                            wrong_calls_are_refused);

}  // namespace upsweep::test
