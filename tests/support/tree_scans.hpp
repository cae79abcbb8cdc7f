/// Results of both scans by the combine tree, in 2n applications: those of reference.hpp, whose
/// cost is quadratic. support_itself.cpp compares the two.
#pragma once

#include <support/tree.hpp>
#include <upsweep/ops/monoid.hpp>

#include <optional>
#include <ranges>
#include <vector>

namespace upsweep::test {

/// Without an initial value, `op` has to have an identity.
template <class Range, class Op>
struct tree_scans {
  using A = accumulator_t<Op, std::ranges::range_value_t<Range>>;
  using R = result_t<Op, std::ranges::range_value_t<Range>>;
  std::vector<R> inclusive, exclusive;

  tree_scans(Range const& in, Op const& op, std::optional<A> const& initial = {}) {
    A before = initial ? *initial : identity_of<A>(op);
    for (A const& prefix : tree_prefixes(as_accumulators(in, op), op)) {
      exclusive.push_back(detail::finish(op, before));
      before = initial ? op(*initial, prefix) : prefix;
      inclusive.push_back(detail::finish(op, before));
    }
  }
};

}  // namespace upsweep::test
