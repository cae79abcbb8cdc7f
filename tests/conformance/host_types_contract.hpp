/// Element types that only executors on the host can hold: not trivially copyable, not
/// default-constructible, not assignable.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/types.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

namespace upsweep::test {

/// A constant member deletes its assignment.
struct sealed {
  std::uint64_t const value;
};
struct seal {
  template <class>
  using accumulator = sealed;
  sealed lift(std::uint64_t x) const { return {x * 3 + 1}; }
  sealed operator()(sealed const& earlier, sealed const& later) const {
    return {(earlier.value * 5) ^ later.value};
  }
  std::uint64_t finish(sealed const& a) const { return a.value; }
  sealed identity() const { return {77}; }
};
/// Exactly associative: scans combine it element by element, and that must not need assignment
/// either.
struct largest_sealed {
  static constexpr bool exact = true;
  template <class>
  using accumulator = sealed;
  sealed lift(std::uint64_t x) const { return {x}; }
  sealed operator()(sealed const& earlier, sealed const& later) const {
    return earlier.value < later.value ? later : earlier;
  }
  std::uint64_t finish(sealed const& a) const { return a.value; }
  sealed identity() const { return {0}; }
};

template <class Backend>
class host_types_contract : public testing::Test {};
TYPED_TEST_SUITE_P(host_types_contract);

CONTRACT_TEST(host_types_contract, strings_stay_in_sequence) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 17u, 64u, 100u, 500u, 1025u})
    ASSERT_TRUE((follows_tree_at<std::string>(TypeParam::make(), n, concatenate{})));
}

CONTRACT_TEST(host_types_contract, long_sequences_of_strings_reduce_in_order) {
  auto const in = random_elements<std::string>(slow_build ? 20000 : 300000);
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), in, concatenate{}),
            std::accumulate(in.begin(), in.end(), std::string()));
}

CONTRACT_TEST(host_types_contract, type_without_default_constructor) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 17u, 100u, 1009u, slow_build ? 9001u : 40009u})
    ASSERT_TRUE((follows_tree_at<length>(TypeParam::make(), n, join_lengths{})));
}

CONTRACT_TEST(host_types_contract, accumulator_that_cannot_be_assigned) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 17u, 100u, 1009u, slow_build ? 9001u : 40009u})
    ASSERT_TRUE((follows_tree_at<std::uint64_t>(TypeParam::make(), n, seal{})));
}

CONTRACT_TEST(host_types_contract, exact_accumulator_that_cannot_be_assigned) {
  for (std::size_t const n : {0u, 1u, 2u, 17u, 1009u, slow_build ? 17001u : 40009u})
    ASSERT_TRUE((follows_tree_at<std::uint64_t>(TypeParam::make(), n, largest_sealed{})));
}

REGISTER_TYPED_TEST_SUITE_P(host_types_contract, strings_stay_in_sequence,
                            long_sequences_of_strings_reduce_in_order,
                            type_without_default_constructor, accumulator_that_cannot_be_assigned,
                            exact_accumulator_that_cannot_be_assigned);

}  // namespace upsweep::test
