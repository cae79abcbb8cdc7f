/// Scans in blocks by levels beside those of the reference, on each kind of processor.
#pragma once

#include <conformance/processors.hpp>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::test {

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
