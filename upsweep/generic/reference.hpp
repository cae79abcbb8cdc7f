/// The definition of every verb, serial and literal. Tests compare every backend with this file;
/// nothing here is tuned. Segments and windows are reduced and scanned as if each were alone; sort
/// is std::stable_sort.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/ops/monoid.hpp>

#include <bit>
#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::reference {

/// block(k, j): the total of the aligned block of 2^k elements that starts at x[j * 2^k].
template <class A, class Op>
A block(std::vector<A> const& x, int k, std::size_t j, Op const& op) {
  if (k == 0) return x[j];
  return op(block(x, k - 1, 2 * j, op), block(x, k - 1, 2 * j + 1, op));
}

/// `fold`, and the aligned blocks that [start, m) splits into, largest first, combined from left to
/// right.
template <class A, class Op>
A with_blocks(A const& fold, std::vector<A> const& x, std::size_t start, std::size_t m,
              Op const& op) {
  if (start == m) return fold;
  auto const k = static_cast<int>(std::bit_width(m - start)) - 1;
  return with_blocks<A>(op(fold, block(x, k, start >> k, op)), x, start + (std::size_t{1} << k), m,
                        op);
}

/// prefix(m) for m >= 1: the aligned blocks that [0, m) splits into, largest first, combined from
/// left to right.
template <class A, class Op>
A prefix(std::vector<A> const& x, std::size_t m, Op const& op) {
  auto const k = static_cast<int>(std::bit_width(m)) - 1;
  return with_blocks<A>(block(x, k, 0, op), x, std::size_t{1} << k, m, op);
}

/// The result for m >= 1 elements: initial op prefix(m), but operators with continues(a) begin the
/// fold with the initial value.
template <class A, class Op>
A result_after(std::optional<A> const& initial, std::vector<A> const& x, std::size_t m,
               Op const& op) {
  if (!initial) return prefix(x, m, op);
  if constexpr (detail::continues<Op, A>)
    return with_blocks<A>(*initial, x, 0, m, op);
  else
    return op(detail::start(op, *initial), prefix(x, m, op));
}

/// f(x[0], y[0]), f(x[1], y[1]), ...: the elements that the two-range forms of the transform verbs
/// combine.
template <class X, class Y, class F>
auto transformed(X const& x, Y const& y, F const& f) {
  detail::expects(std::size(x) == std::size(y), "reference: the inputs differ in size");
  std::vector<std::remove_cvref_t<decltype(f(*std::begin(x), *std::begin(y)))>> both;
  auto from_y = std::begin(y);
  for (auto const& element : x) both.push_back(f(element, *from_y++));
  return both;
}

/// The elements of a range, which may be proxies (std::vector<bool>).
template <class Range>
using element_of = std::iter_value_t<decltype(std::begin(std::declval<Range const&>()))>;

/// The elements as accumulators.
template <class Range, class Op>
auto lifted(Range const& in, Op const& op) {
  std::vector<accumulator_t<Op, element_of<Range>>> x;
  for (auto const& element : in) x.push_back(detail::lift(op, element, x.size()));
  return x;
}

template <class Range, class Op, class A = accumulator_t<Op, element_of<Range>>>
auto reduce(Range const& in, Op const& op, std::optional<A> const& initial = {}) {
  using R = std::remove_cvref_t<decltype(detail::finish(op, std::declval<A>()))>;
  auto const x = lifted(in, op);
  if (x.empty() && !initial && detail::refuses_empty<Op>)
    detail::fail("reference: the operator has no result for an empty input");
  if (x.empty()) return R(detail::finish(op, initial ? *initial : upsweep::identity_of<A>(op)));
  return R(detail::finish(op, result_after(initial, x, x.size(), op)));
}

/// result[i] = initial op prefix(i + 1)
template <class Range, class Op, class A = accumulator_t<Op, element_of<Range>>>
auto inclusive_scan(Range const& in, Op const& op, std::optional<A> const& initial = {}) {
  auto const x = lifted(in, op);
  std::vector<std::remove_cvref_t<decltype(detail::finish(op, std::declval<A>()))>> out;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.push_back(detail::finish(op, result_after(initial, x, i + 1, op)));
  return out;
}

/// result[0] = initial or the identity; result[i] = initial op prefix(i)
template <class Range, class Op, class A = accumulator_t<Op, element_of<Range>>>
auto exclusive_scan(Range const& in, Op const& op, std::optional<A> const& initial = {}) {
  auto const x = lifted(in, op);
  std::vector<std::remove_cvref_t<decltype(detail::finish(op, std::declval<A>()))>> out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0) {
      out.push_back(detail::finish(op, initial ? *initial : upsweep::identity_of<A>(op)));
      continue;
    }
    out.push_back(detail::finish(op, result_after(initial, x, i, op)));
  }
  return out;
}

/// The positions of the elements for which `keep` returns true.
template <class Range, class Predicate>
std::vector<std::size_t> select_positions(Range const& in, Predicate const& keep) {
  std::vector<std::size_t> positions;
  std::size_t i = 0;
  for (auto const& element : in) {
    if (keep(element)) positions.push_back(i);
    ++i;
  }
  return positions;
}

/// The elements at these positions.
template <class Range>
auto elements_at(Range const& in, std::vector<std::size_t> const& positions) {
  std::vector<element_of<Range>> out;
  for (std::size_t const i : positions)
    out.push_back(std::begin(in)[static_cast<std::ptrdiff_t>(i)]);
  return out;
}

/// Where a run of adjacent elements that are `equal` begins.
template <class Range, class Same>
std::vector<std::size_t> run_starts(Range const& in, Same const& equal) {
  std::vector<std::size_t> starts;
  auto const x = std::begin(in);
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(std::size(in)); ++i)
    if (i == 0 || !equal(x[i - 1], x[i])) starts.push_back(static_cast<std::size_t>(i));
  return starts;
}

/// The values of each run of `keys`.
template <class Keys, class Range, class Same>
auto values_of_runs(Keys const& keys, Range const& in, Same const& equal) {
  using T = element_of<Range>;
  std::vector<std::vector<T>> runs;
  auto const key = std::begin(keys);
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(std::size(keys)); ++i) {
    if (i == 0 || !equal(key[i - 1], key[i])) runs.emplace_back();
    runs.back().push_back(std::begin(in)[i]);
  }
  return runs;
}

/// The bin of x, from the first border on; -1 below, -2 above, -3 NaN.
template <class T>
long bin_of(T x, std::vector<double> const& borders, bool closed_right) {
  // long double has 64 bits of precision, and so every number of at most 8 bytes.
  auto const value =
      static_cast<long double>(static_cast<std::conditional_t<detail::is_float<T>, double, T>>(x));
  if (value != value) return -3;
  if (value < borders.front()) return -1;
  auto const bins = static_cast<long>(borders.size()) - 1;
  for (long b = 0; b < bins; ++b)
    if (value < borders[static_cast<std::size_t>(b) + 1]) return b;
  return closed_right && value == borders.back() ? bins - 1 : -2;
}

}  // namespace upsweep::reference
