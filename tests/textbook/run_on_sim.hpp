/// Runs a plan of the textbook on the emulator and returns the values with the report; the test of
/// every scan.
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>
#include <support/scheduled.hpp>
#include <support/tree.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// The struct of the textbook's tests: eight bytes, exactly associative, not commutative.
using map32 = affine_map<std::uint32_t>;

/// `op` with the element type as its accumulator, as the kernels apply it: no widening.
template <class T, class Op>
[[nodiscard]] auto unwidened(Op const& op) {
  return monoid([op](T const& earlier, T const& later) { return T(op(earlier, later)); },
                identity_of<T>(op));
}

/// Values so small that sums of floats are exact in any grouping; maps with odd slopes, which are
/// invertible, so that every element affects the result.
template <class T>
[[nodiscard]] std::vector<T> small_elements(std::size_t n, std::uint64_t seed = 1) {
  random_bits next(seed);
  std::vector<T> x(n);
  for (T& value : x) {
    std::uint64_t const u = next();
    if constexpr (std::is_same_v<T, map32>)
      value = {static_cast<std::uint32_t>(u) | 1u, static_cast<std::uint32_t>(u >> 32)};
    else
      value = static_cast<T>(static_cast<int>(u >> 60) - 5);
  }
  return x;
}

/// Sizes at which a warp, a tile, a level or a grid ends. The last makes three levels of the
/// smallest tiles.
template <class Plan>
[[nodiscard]] std::vector<std::size_t> sizes_around_tiles() {
  std::size_t tile = 256;
  if constexpr (requires { Plan::tile; }) tile = Plan::tile;
  return {0, 1, 2, 3, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 3, 20011};
}

/// Every kind of schedule, with several seeds.
[[nodiscard]] inline std::vector<scheduled> every_schedule() {
  using enum sim::schedule;
  return {{in_order},      {in_order, 0, 1}, {round_robin},    {random, 1},      {random, 2, 3},
          {random, 3, 64}, {adversarial, 0}, {adversarial, 1}, {adversarial, 2}, {adversarial, 3}};
}

/// Options for cost tests: counters and checks, without pre-emption.
[[nodiscard]] inline sim::options counted() {
  return options_of({}, true);
}

template <class T>
struct outcome {
  std::vector<T> values;
  sim::report report;
};

/// Runs `Plan` with `results` elements of output on a fresh emulator. `more` is passed after the
/// operator.
template <class Plan, class T, class Op, class... More>
[[nodiscard]] outcome<T> run_on_sim(std::vector<T> const& in, std::size_t results, Op const& op,
                                    sim::options const& options, More... more) {
  sim::machine machine(options);
  sim::operation<T> const erased(op);
  T* const from = machine.allocate<T>(in.size(), "in");
  T* const to = machine.allocate<T>(results, "out");
  machine.to_device(from, std::span<T const>(in));
  Plan::run(machine, static_cast<T const*>(from), to, in.size(), erased, more...);
  return {machine.to_host(to, results), machine.result()};
}

/// The findings, one sentence per line; empty if there are none.
[[nodiscard]] inline std::string findings_of(sim::report const& report) {
  std::string text;
  for (auto const& finding : report.findings) text += finding.sentence + "\n";
  return text;
}

// The test of every scan of the textbook: any size, every schedule, several types; the result
// must equal the reference's, without findings.

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
