/// Every prefix of the combine tree in 2n applications: the definition of reference.hpp, fast
/// enough for millions of elements. It shares no code with the library. It stores all levels of
/// blocks; prefix(m) is prefix(m without its lowest set bit) op that bit's block.
#pragma once

#include <upsweep/ops/monoid.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

/// prefix(1), ..., prefix(n), after `before` if it is given.
template <class A, class Op>
std::vector<A> tree_prefixes(std::vector<A> const& x, Op const& op,
                             std::optional<A> const& before = {}) {
  std::vector<std::vector<A>> level{x};
  while (level.back().size() >= 2) {
    std::vector<A> const& below = level.back();
    std::vector<A> above;
    above.reserve(below.size() / 2);
    for (std::size_t j = 0; j + 1 < below.size(); j += 2)
      above.push_back(op(below[j], below[j + 1]));
    level.push_back(std::move(above));
  }
  std::vector<A> prefix;
  prefix.reserve(x.size());
  for (std::size_t m = 1; m <= x.size(); ++m) {
    auto const k = static_cast<std::size_t>(std::countr_zero(m));
    std::size_t const start = m - (std::size_t{1} << k);
    A const& total = level[k][start >> k];
    if (start == 0)
      prefix.push_back(before ? op(*before, total) : total);
    else
      prefix.push_back(op(prefix[start - 1], total));
  }
  return prefix;
}

/// The elements as accumulators, in the scan's direction. `lift` gets the position in the input in
/// either direction.
template <class Range, class Op>
auto as_accumulators(Range const& in, Op const& op, bool reverse = false) {
  std::vector<accumulator_t<Op, std::iter_value_t<decltype(std::begin(in))>>> x;
  std::size_t at = 0;
  for (auto const& element : in) x.push_back(detail::lift(op, element, at++));
  if (!reverse) return x;
  return decltype(x)(x.rbegin(), x.rend());
}

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
