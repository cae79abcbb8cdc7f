/// Contract 8: an exception from a user's operator or function reaches the caller, the first in
/// input order; nothing leaks, nothing keeps running, and the next call works.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/probes.hpp>
#include <support/sizes.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::test {

inline std::vector<living> living_elements(std::size_t n, std::vector<std::size_t> const& bad) {
  random_bits next(test_seed());
  std::vector<living> x;
  x.reserve(n);
  for (std::size_t i = 0; i < n; ++i) x.push_back(living(next(), living::no_position));
  for (std::size_t const at : bad) x[at] = living(1, at);
  return x;
}

/// `call` must throw bad_element for position `expected`, leave no value, and not use its
/// operator afterwards.
template <class Call>
testing::AssertionResult throws_for(std::size_t expected, std::string const& what, Call&& call) {
  std::ptrdiff_t const before = living_now.load();
  try {
    call();
  } catch (bad_element const& e) {
    if (e.at != expected)
      return testing::AssertionFailure()
             << what << " threw for element " << e.at << "; the first bad one is " << expected;
    if (living_now.load() != before)
      return testing::AssertionFailure() << what << " left " << living_now.load() - before
                                         << " values alive after element " << expected;
    return testing::AssertionSuccess();
  } catch (std::exception const& e) {
    return testing::AssertionFailure() << what << " threw something else: " << e.what();
  }
  return testing::AssertionFailure()
         << what << " did not throw, though element " << expected << " is bad";
}

/// All verbs over n elements of which those in `bad` make the operator throw. n >= 2.
template <class E>
testing::AssertionResult operator_exception_arrives(E const& on, std::size_t n,
                                                    std::vector<std::size_t> const& bad) {
  std::string const size = std::to_string(n);
  std::vector<living> const in = living_elements(n, bad);
  std::vector<living> out(n, living::sentinel());
  std::size_t const first = *std::min_element(bad.begin(), bad.end());
  std::size_t const last = *std::max_element(bad.begin(), bad.end());
  add_living const op;
  if (auto const r =
          throws_for(first, "reduce of " + size, [&] { (void)upsweep::reduce(on, in, op); });
      !r)
    return r;
  if (auto const r = throws_for(last, "reversed reduce of " + size,
                                [&] { (void)upsweep::reduce(on, in, op, {.reverse = true}); });
      !r)
    return r;
  if (auto const r = throws_for(first, "inclusive_scan of " + size,
                                [&] { upsweep::inclusive_scan(on, in, out, op); });
      !r)
    return r;
  options<living> const o{.initial = living(3)};
  if (auto const r = throws_for(first, "inclusive_scan with initial of " + size,
                                [&] { upsweep::inclusive_scan(on, in, out, op, o); });
      !r)
    return r;
  if (first == n - 1)
    return testing::AssertionSuccess();  // an exclusive scan does not use its last element
  return throws_for(first, "exclusive_scan of " + size,
                    [&] { upsweep::exclusive_scan(on, in, out, op, o); });
}

/// The same where the fused function throws.
template <class E>
testing::AssertionResult function_exception_arrives(E const& on, std::size_t n,
                                                    std::vector<std::size_t> const& bad) {
  std::string const size = std::to_string(n);
  std::vector<living> const in = living_elements(n, bad);
  std::vector<std::uint64_t> out(n);
  std::size_t const first = *std::min_element(bad.begin(), bad.end());
  auto const f = [](living const& x) {
    if (x.bad_at() != living::no_position) throw bad_element(x.bad_at());
    return x.value();
  };
  if (auto const r = throws_for(first, "transform_reduce of " + size,
                                [&] { (void)upsweep::transform_reduce(on, in, f); });
      !r)
    return r;
  return throws_for(first, "transform_inclusive_scan of " + size,
                    [&] { upsweep::transform_inclusive_scan(on, in, out, f); });
}

inline std::vector<std::size_t> throwing_sizes() {
  return {257, 4099, slow_build ? 30011u : 150001u, slow_build ? std::size_t{70001} : many};
}

template <class Backend>
class exceptions_contract : public testing::Test {};
TYPED_TEST_SUITE_P(exceptions_contract);

CONTRACT_TEST(exceptions_contract, operator_may_throw_at_every_position) {
  for (std::size_t n = 2; n <= 70; ++n)
    for (std::size_t at = 0; at < n; ++at)
      ASSERT_TRUE(operator_exception_arrives(TypeParam::make(), n, {at}));
}

CONTRACT_TEST(exceptions_contract, function_may_throw_at_every_position) {
  for (std::size_t n = 1; n <= 70; ++n)
    for (std::size_t at = 0; at < n; ++at)
      ASSERT_TRUE(function_exception_arrives(TypeParam::make(), n, {at}));
}

CONTRACT_TEST(exceptions_contract, operator_may_throw_anywhere_in_a_long_input) {
  random_bits next(test_seed());
  for (std::size_t const n : throwing_sizes())
    for (std::size_t const at : {std::size_t{0}, std::size_t{1}, n / 2, n - 2, n - 1,
                                 static_cast<std::size_t>(next.below(n))})
      ASSERT_TRUE(operator_exception_arrives(TypeParam::make(), n, {at}));
}

CONTRACT_TEST(exceptions_contract, first_of_several_exceptions_reaches_the_caller) {
  random_bits next(test_seed());
  for (std::size_t const n : throwing_sizes()) {
    for (int round = 0; round < 6; ++round) {
      std::vector<std::size_t> bad;
      for (int i = 0; i <= round * 2; ++i) bad.push_back(next.below(n));
      ASSERT_TRUE(operator_exception_arrives(TypeParam::make(), n, bad)) << seed_note();
      ASSERT_TRUE(function_exception_arrives(TypeParam::make(), n, bad)) << seed_note();
    }
  }
}

CONTRACT_TEST(exceptions_contract, every_element_may_be_bad) {
  for (std::size_t const n : throwing_sizes()) {
    std::vector<std::size_t> bad(n);
    for (std::size_t i = 0; i < n; ++i) bad[i] = i;
    ASSERT_TRUE(function_exception_arrives(TypeParam::make(), n, bad));
  }
}

CONTRACT_TEST(exceptions_contract, no_worker_runs_after_the_exception_has_arrived) {
  std::atomic<bool> returned{false};
  std::atomic<int> late{0};
  std::vector<std::uint64_t> in(many, 1);
  in[many / 3] = 2;
  auto const f = [&](std::uint64_t x) {
    if (returned.load()) ++late;
    if (x == 2) throw bad_element(many / 3);
    return x;
  };
  for (int round = 0; round < 5; ++round) {
    returned = false;
    EXPECT_THROW((void)upsweep::transform_reduce(TypeParam::make(), in, f), bad_element);
    returned = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(late.load(), 0);
  }
}

CONTRACT_TEST(exceptions_contract, next_call_works_after_an_exception) {
  auto const x = random_elements<double>(many);
  double const expected = tree_prefixes(x, plus{}).back();
  for (int round = 0; round < 10; ++round) {
    EXPECT_TRUE(operator_exception_arrives(TypeParam::make(), 4099,
                                           {static_cast<std::size_t>(round) * 400}));
    ASSERT_TRUE(equal_at("reduce after an exception", many, upsweep::reduce(TypeParam::make(), x),
                         expected));
  }
}

CONTRACT_TEST(exceptions_contract, values_are_destroyed_when_nothing_throws_too) {
  std::ptrdiff_t const before = living_now.load();
  {
    auto const in = living_elements(slow_build ? 20011 : 100003, {});
    ASSERT_TRUE(follows_tree(TypeParam::make(), in, add_living{}, living(9)));
  }
  EXPECT_EQ(living_now.load(), before);
}

REGISTER_TYPED_TEST_SUITE_P(
    exceptions_contract, operator_may_throw_at_every_position, function_may_throw_at_every_position,
    operator_may_throw_anywhere_in_a_long_input, first_of_several_exceptions_reaches_the_caller,
    every_element_may_be_bad, no_worker_runs_after_the_exception_has_arrived,
    next_call_works_after_an_exception, values_are_destroyed_when_nothing_throws_too);

}  // namespace upsweep::test
