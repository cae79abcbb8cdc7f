/// Runs a plan of the textbook on the emulator and returns the values with the report.
#pragma once

#include <support/random.hpp>
#include <support/scheduled.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
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

}  // namespace upsweep::test
