/// Direct calls of an executor with a user-defined source, operator and sink. Sinks may scatter,
/// and scans return their total to a sink that wants it.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {

template <class Backend>
class calls_contract : public testing::Test {};
TYPED_TEST_SUITE_P(calls_contract);

/// 1 for each element that is kept.
struct kept_flags {
  using accumulator = std::size_t;
  std::vector<int> const& x;
  std::size_t operator()(std::size_t i) const { return x[i] % 3 == 0; }
};
/// Stores a kept element at the index that is the number of elements kept before it.
struct kept_elements {
  static constexpr bool wants_total = true;
  std::vector<int> const& x;
  std::vector<int>& out;
  void operator()(std::size_t i, std::size_t before) const {
    if (x[i] % 3 == 0) out[before] = x[i];
  }
};

CONTRACT_TEST(calls_contract, selection_is_a_scan_of_flags_whose_sink_scatters) {
  auto const on = TypeParam::make();
  plus const op;
  std::size_t const none = 0;
  for (std::size_t const n : {1ul, 2ul, 31ul, 1000ul, 16384ul, 16385ul, 100003ul, 1000003ul}) {
    std::vector<int> x(n), out(n, -1), expected;
    random_bits next(test_seed());
    for (int& each : x) each = static_cast<int>(next() % 1000);
    std::ranges::copy_if(x, std::back_inserter(expected), [](int a) { return a % 3 == 0; });
    call const c{kept_flags{x}, n, op, mode::reproducible, static_cast<std::size_t const*>(nullptr),
                 &none};
    std::size_t const kept =
        on.template scan<scan_kind::exclusive>(c, kept_elements{.x = x, .out = out});
    ASSERT_EQ(kept, expected.size()) << "n = " << n;
    ASSERT_TRUE(std::ranges::equal(std::span(out).first(kept), expected)) << "n = " << n;
    ASSERT_TRUE(std::ranges::all_of(std::span(out).subspan(kept), [](int a) { return a == -1; }));
  }
}

/// Stores the results of an operator that is not commutative, as strings.
struct letters {
  using accumulator = std::string;
  std::size_t period;
  std::string operator()(std::size_t i) const {
    return std::string(1, static_cast<char>('a' + i % period));
  }
};
struct stored_texts {
  static constexpr bool wants_total = true;
  std::vector<std::string>& out;
  void operator()(std::size_t i, std::string const& a) const { out[i] = a; }
};

CONTRACT_TEST(calls_contract, total_is_the_initial_value_and_all_elements_in_order) {
  auto const on = TypeParam::make();
  concat const op;
  std::string const initial = "<";
  for (std::size_t const n : {1ul, 5ul, 200ul}) {
    std::vector<std::string> out(n);
    call const c{letters{7}, n, op, mode::reproducible, &initial, &initial};
    std::string const total = on.template scan<scan_kind::inclusive>(c, stored_texts{.out = out});
    std::string expected = initial;
    for (std::size_t i = 0; i < n; ++i) {
      expected += letters{7}(i);
      ASSERT_EQ(out[i], expected) << "i = " << i;
    }
    ASSERT_EQ(total, expected);
    ASSERT_EQ(initial + on.reduce(call{letters{7}, n, op}), expected);
  }
}

REGISTER_TYPED_TEST_SUITE_P(calls_contract, selection_is_a_scan_of_flags_whose_sink_scatters,
                            total_is_the_initial_value_and_all_elements_in_order);

}  // namespace upsweep::test
