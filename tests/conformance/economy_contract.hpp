/// Contract 10: the number of operator applications.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/probes.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

inline testing::AssertionResult within(std::size_t applications, double allowed_per_element,
                                       std::size_t n, std::string const& what) {
  double const each = static_cast<double>(applications) / static_cast<double>(n);
  if (each <= allowed_per_element) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << what << " applied the operator " << each << " times per element, "
         << allowed_per_element << " are allowed";
}

/// At most 1.05 n applications in a reduction and 2.1 n in a scan; an initial value costs an
/// inexact operator one more per output.
template <class T, class E, class Op>
testing::AssertionResult is_economical(E const& on, std::size_t n, Op const& op,
                                       mode how = mode::reproducible) {
  using A = accumulator_t<Op, T>;
  std::atomic<std::size_t> applications{0};
  counted<Op> const counting{op, &applications};
  std::vector<T> const in = random_elements<T>(n);
  std::vector<result_t<Op, T>> out(n, sentinel<result_t<Op, T>>());
  A const initial = detail::lift(op, in.front(), 0);
  double const extra = is_exact<Op, A> ? 0.0 : 1.0;
  auto count = [&](auto&& call) {
    applications = 0;
    call();
    return applications.load();
  };
  for (bool const with_initial : {false, true}) {
    options<A> o{.mode = how};
    if (with_initial) o.initial.emplace(initial);
    double const scan_limit = 2.1 + (with_initial ? extra : 0.0);
    auto const reduced = count([&] { (void)upsweep::reduce(on, in, counting, o); });
    if (auto const r = within(reduced, 1.05, n, form("reduce", n, o)); !r) return r;
    auto const inclusive = count([&] { upsweep::inclusive_scan(on, in, out, counting, o); });
    if (auto const r = within(inclusive, scan_limit, n, form("inclusive_scan", n, o)); !r) return r;
    auto const exclusive = count([&] { upsweep::exclusive_scan(on, in, out, counting, o); });
    if (auto const r = within(exclusive, scan_limit, n, form("exclusive_scan", n, o)); !r) return r;
  }
  return testing::AssertionSuccess();
}

inline std::vector<std::size_t> economy_sizes() {
  std::vector<std::size_t> n{4096, 4097, 5000, 8191, 20000, 65535, 65536, 65537, 100003, 300007};
  if (!slow_build) n.push_back(many);
  return n;
}

template <class Backend>
class economy_contract : public testing::Test {};
TYPED_TEST_SUITE_P(economy_contract);

CONTRACT_TEST(economy_contract, inexact_operator_is_applied_no_more_than_promised) {
  for (std::size_t const n : economy_sizes())
    EXPECT_TRUE((is_economical<tree_name>(TypeParam::make(), n, name_tree{})));
}

CONTRACT_TEST(economy_contract, exact_operator_is_applied_no_more_than_promised) {
  for (std::size_t const n : economy_sizes())
    EXPECT_TRUE(
        (is_economical<affine_map<std::uint64_t>>(TypeParam::make(), n, compose_maps<true>{})));
}

CONTRACT_TEST(economy_contract, fast_mode_is_applied_no_more_than_promised) {
  for (std::size_t const n : economy_sizes())
    EXPECT_TRUE((is_economical<affine_map<double>>(TypeParam::make(), n, compose_maps<false>{},
                                                   mode::fast)));
}

CONTRACT_TEST(economy_contract, reduction_of_n_elements_takes_exactly_n_minus_1_applications) {
  for (std::size_t n = 1; n <= 300; ++n) {
    std::atomic<std::size_t> applications{0};
    (void)upsweep::reduce(TypeParam::make(), random_elements<tree_name>(n),
                          counted<name_tree>{{}, &applications});
    ASSERT_EQ(applications.load(), n - 1);
  }
}

CONTRACT_TEST(economy_contract, fused_function_runs_once_per_element_of_a_reduction) {
  for (std::size_t const n : economy_sizes()) {
    std::atomic<std::size_t> runs{0};
    auto const f = [&](std::uint64_t x) {
      runs.fetch_add(1, std::memory_order_relaxed);
      return x;
    };
    (void)upsweep::transform_reduce(TypeParam::make(), random_elements<std::uint64_t>(n), f);
    EXPECT_EQ(runs.load(), n);
  }
}

REGISTER_TYPED_TEST_SUITE_P(economy_contract, inexact_operator_is_applied_no_more_than_promised,
                            exact_operator_is_applied_no_more_than_promised,
                            fast_mode_is_applied_no_more_than_promised,
                            reduction_of_n_elements_takes_exactly_n_minus_1_applications,
                            fused_function_runs_once_per_element_of_a_reduction);

}  // namespace upsweep::test
