/// Scans in blocks by levels beside those of the reference, on each kind of processor.
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::test {

/// Calls `test`, which takes the target's name, with AVX2, if this processor has it, and without.
template <class F>
void on_each_kind_of_processor(F const& test) {
  for (char const* name : {"AVX2", "SSE4", "SSSE3", "SSE2"}) {
    auto const all = host::simd::targets();
    if (std::find(all.begin(), all.end(), name) == all.end()) continue;
    host::simd::forced_target const forced(name);
    test(std::string(name));
  }
  test(std::string("the default target"));
}

template <class A>
bool same(std::vector<A> const& got, std::vector<A> const& want) {
  return std::equal(got.begin(), got.end(), want.begin(), want.end(),
                    [](A const& a, A const& b) { return same_bits(a, b); });
}

/// Both scans of x by `op`, with and without an initial value, in place too.
template <class T, class Op>
void expect_the_references_scans(std::vector<T> const& x, Op const& op, T const& start) {
  using A = accumulator_t<Op, T>;
  for (auto const& initial : {std::optional<A>{}, std::optional<A>(start)}) {
    auto const inclusive = reference::inclusive_scan(x, op, initial);
    auto const exclusive = reference::exclusive_scan(x, op, initial);
    on_each_kind_of_processor([&](std::string const& target) {
      auto const what = std::to_string(x.size()) + " elements, " + target + "; " + seed_note();
      serial const on;
      std::vector<T> out(x.size());
      upsweep::inclusive_scan(on, x, out, op, {.initial = initial});
      EXPECT_TRUE(same(out, inclusive)) << "inclusive, " << what;
      upsweep::exclusive_scan(on, x, out, op, {.initial = initial});
      EXPECT_TRUE(same(out, exclusive)) << "exclusive, " << what;
      out = x;
      upsweep::exclusive_scan(on, out, out, op, {.initial = initial});
      EXPECT_TRUE(same(out, exclusive)) << "exclusive in place, " << what;
    });
  }
}

}  // namespace upsweep::test
