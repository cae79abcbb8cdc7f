/// The test of every reduction of the textbook: any size, every schedule, several types; the result
/// must equal the reference's, without findings.
#pragma once

#include <textbook/run_on_sim.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {

template <class Plan, class T, class Op, class... More>
void expect_reduces(std::size_t n, Op const& op, scheduled const& s, More... more) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << s);
  std::vector<T> const in = small_elements<T>(n, test_seed() + n);
  T const expected = reference::reduce(in, unwidened<T>(op));
  outcome<T> const got = run_on_sim<Plan>(in, 1, op, options_of(s), more...);
  EXPECT_TRUE(got.values[0] == expected) << seed_note();
  EXPECT_EQ(findings_of(got.report), "");
}

template <class Plan, class T, class Op, class... More>
void expect_reduces_on_every_schedule(std::size_t n, Op const& op, More... more) {
  for (scheduled const& s : every_schedule()) expect_reduces<Plan, T>(n, op, s, more...);
}

template <class Plan, class T, class Op, class... More>
void expect_reduces_every_size(Op const& op, More... more) {
  for (std::size_t const n : sizes_around_tiles<Plan>())
    expect_reduces<Plan, T>(n, op, {}, more...);
}

/// The whole test of one algorithm. Maps do not commute, so only algorithms that keep the order are
/// tested with them.
template <template <int> class Plan>
void expect_reduces_everything() {
  expect_reduces_every_size<Plan<128>, float>(plus{});
  expect_reduces_every_size<Plan<256>, std::int32_t>(upsweep::max{});
  expect_reduces_on_every_schedule<Plan<128>, float>(3001, plus{});
  expect_reduces<Plan<256>, std::int64_t>(3001, plus{}, {});
  expect_reduces<Plan<256>, double>(3001, upsweep::min{}, {});
  if constexpr (Plan<128>::keeps_order) {
    expect_reduces_every_size<Plan<128>, map32>(affine{});
    expect_reduces_on_every_schedule<Plan<128>, map32>(3001, affine{});
  }
}

}  // namespace upsweep::test
