/// The test of every scan of the textbook: any size, every schedule, several types; the result
/// must equal the reference's, without findings.
#pragma once

#include <support/bits.hpp>
#include <support/tree.hpp>
#include <textbook/run_on_sim.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

/// The scan that the contract defines: by reference.hpp where that is fast enough, else by a second
/// implementation of the same tree.
template <bool exclusive, class T, class Op>
[[nodiscard]] std::vector<T> expected_scan(std::vector<T> const& in, Op const& op) {
  auto const own = unwidened<T>(op);
  if (in.size() <= 600)
    return exclusive ? reference::exclusive_scan(in, own) : reference::inclusive_scan(in, own);
  std::vector<T> prefixes = tree_prefixes(in, own);
  if (exclusive) {
    prefixes.pop_back();
    prefixes.insert(prefixes.begin(), own.identity());
  }
  return prefixes;
}

/// A description of the first difference; empty if both have the same bits.
template <class T>
[[nodiscard]] std::string first_difference(std::vector<T> const& got,
                                           std::vector<T> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!same_bits(got[i], expected[i]))
      return "element " + std::to_string(i) + " is " + shown(got[i]) + " and should be " +
             shown(expected[i]);
  return "";
}

template <class Plan, class T, class Op>
void expect_scans(std::size_t n, Op const& op, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << s);
  std::vector<T> const in = small_elements<T>(n, test_seed() + n);
  outcome<T> const got = run_on_sim<Plan>(in, n, op, options_of(s));
  EXPECT_EQ(first_difference(got.values, expected_scan<Plan::exclusive>(in, op)), "")
      << seed_note();
  EXPECT_EQ(findings_of(got.report), "");
}

template <class Plan, class T, class Op>
void expect_scans_on_every_schedule(std::size_t n, Op const& op) {
  for (scheduled const& s : every_schedule()) expect_scans<Plan, T>(n, op, s);
}

template <class Plan, class T, class Op>
void expect_scans_every_size(Op const& op) {
  for (std::size_t const n : sizes_around_tiles<Plan>()) expect_scans<Plan, T>(n, op);
}

/// The whole test of one algorithm. Affine maps do not commute, so swapped operands change the
/// result.
template <template <int> class Plan>
void expect_scans_everything() {
  expect_scans_every_size<Plan<128>, map32>(affine{});
  expect_scans_on_every_schedule<Plan<128>, map32>(3001, affine{});
  expect_scans_every_size<Plan<128>, float>(plus{});
  expect_scans_every_size<Plan<256>, std::int32_t>(upsweep::max{});
  expect_scans_on_every_schedule<Plan<256>, std::int32_t>(6007, plus{});
  expect_scans<Plan<128>, std::int64_t>(3001, plus{});
  expect_scans<Plan<128>, double>(3001, upsweep::min{});
}

}  // namespace upsweep::test
