/// Pairs of brackets, depths, parents, and sums of subtrees, on all threads.
///
/// The depth of a bracket is a scan of +1 and -1. Brackets of one depth, in order, alternate
/// between opening and closing, so a stable sort by depth makes the two of a pair neighbors. In
/// that order siblings follow each other too: the first of them knows its parent, the bracket
/// before it, and a scan that keeps the latest known value tells the others.
/// Cost: for m brackets two scans, one stable sort by depth, and two permutations of m integers.
/// Source: Bar-On & Vishkin 1985 for the problem; Blelloch 1990 for trees as scans.
#pragma once

#include <upsweep/apps/indices.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <vector>

namespace upsweep {

namespace apps {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// The brackets of a sequence, in order; all ranges have one element per bracket. A node of their
/// tree is its opening bracket.
struct bracket_tree {
  std::vector<std::size_t> positions;  ///< in the input
  std::vector<std::size_t> partners;   ///< the number of the other bracket of the pair
  std::vector<std::size_t> parents;    ///< of the opening bracket around it, or `nowhere`
  std::vector<std::uint32_t> depths;   ///< 1 for an outermost pair
  [[nodiscard]] std::size_t size() const { return positions.size(); }
  [[nodiscard]] bool opens(std::size_t k) const { return partners[k] > k; }
};

/// What is wrong with brackets: nothing, or what the bracket at `position` of the input is.
struct bracket_fault {
  enum kind { none, never_opened, other_kind, never_closed } what = none;
  std::size_t position = nowhere;
};

}  // namespace apps

namespace detail {

/// Keeps the latest value that is known: an exact operator that does not commute.
struct latest_known {
  static constexpr bool exact = true;
  static constexpr std::size_t unknown = static_cast<std::size_t>(-2);
  [[nodiscard]] static std::size_t identity() { return unknown; }
  [[nodiscard]] std::size_t operator()(std::size_t earlier, std::size_t later) const {
    return later == unknown ? earlier : later;
  }
};

/// Finds partners and parents from kinds and depths; returns the number of the first bracket that
/// closes another kind, or the number of brackets.
template <class E, class Kinds>
std::size_t pair_brackets(E const& on, Kinds const& kinds, apps::bracket_tree& tree) {
  std::size_t const m = tree.size();
  std::vector<std::size_t> order(m), parents(m);
  upsweep::argsort(on, tree.depths, order);
  tree.partners.assign(m, apps::nowhere);
  for_each_index(on, m, [&](std::size_t j) {
    std::size_t const k = order[j];
    bool const first = k == 0 || tree.depths[k] == 1, below = k > 0 && kinds[k - 1] > 0;
    parents[j] = kinds[k] < 0 ? latest_known::unknown
                 : first      ? apps::nowhere
                 : below      ? k - 1
                              : latest_known::unknown;
    if (kinds[k] > 0 && j + 1 < m && tree.depths[order[j + 1]] == tree.depths[k]) {
      tree.partners[k] = order[j + 1];
      tree.partners[order[j + 1]] = k;
    }
  });
  upsweep::inclusive_scan(on, parents, parents, latest_known{});
  tree.parents.resize(m);
  for_each_index(on, m, [&](std::size_t j) { tree.parents[order[j]] = parents[j]; });
  return first_index(on, m, [&](std::size_t k) {
    return kinds[k] < 0 && kinds[tree.partners[k]] + kinds[k] != 0;
  });
}

}  // namespace detail

namespace apps {

/// Stores the brackets of `in` in `tree`, and returns the first fault. `kind_of(element)` is k > 0
/// for an opening bracket of kind k, -k for a closing one, and 0 for other elements; it is called
/// twice for each bracket. Brackets before the fault are correct. The others are not in the tree,
/// except opening ones without a partner if the fault is `never_closed`, whose position is that of
/// the outermost of them.
template <elements In, class KindOf, executor E = cpu>
bracket_fault match_brackets(In const& in, KindOf const& kind_of, bracket_tree& tree,
                             E const& on = {}) {
  using namespace upsweep::detail;
  auto const x = first_of(in);
  tree.positions.resize(std::ranges::size(in));
  std::size_t m = upsweep::select_positions(
      on, in, tree.positions, [&](auto const& element) { return kind_of(element) != 0; });
  tree.positions.resize(m);
  std::vector<int> kinds(m);
  std::vector<std::int64_t> depths(m);
  for_each_index(on, m, [&](std::size_t k) {
    kinds[k] = static_cast<int>(kind_of(element_at(x, tree.positions[k])));
    depths[k] = kinds[k] > 0 ? 1 : -1;
  });
  upsweep::inclusive_scan(on, depths, depths);  // a closing bracket's is one less than its pair's
  std::size_t const unopened = first_index(on, m, [&](std::size_t k) { return depths[k] < 0; });
  bracket_fault fault;
  if (unopened < m) fault = {bracket_fault::never_opened, tree.positions[unopened]};
  tree.positions.resize(m = unopened);
  tree.depths.resize(m);
  for_each_index(on, m, [&](std::size_t k) {
    tree.depths[k] = static_cast<std::uint32_t>(depths[k] + (kinds[k] < 0));
  });
  std::size_t const other = pair_brackets(on, kinds, tree);
  if (other < m) return {bracket_fault::other_kind, tree.positions[other]};
  if (fault.what != bracket_fault::none || m == 0 || depths[m - 1] == 0) return fault;
  return {bracket_fault::never_closed, tree.positions[first_index(on, m, [&](std::size_t k) {
            return tree.partners[k] == nowhere;
          })]};
}

/// sums[k] = the sum of values[j] over the opening brackets j from k to its partner (the node and
/// its descendants), for each opening bracket k; 0 for a closing one. `values` has an integer for
/// each bracket; those of closing brackets do not count. Sums wrap modulo 2^64. Throws
/// precondition_error for sizes that differ from those of the tree. The brackets must be without
/// fault.
template <elements Values, executor E = cpu>
[[nodiscard]] std::vector<std::int64_t> subtree_sums(bracket_tree const& tree, Values const& values,
                                                     E const& on = {}) {
  using namespace upsweep::detail;
  static_assert(std::is_integral_v<std::ranges::range_value_t<Values>>,
                "upsweep: subtree_sums needs integers, because it subtracts prefix sums, which is "
                "exact for integers only");
  std::size_t const m = tree.size();
  if (std::ranges::size(values) != m)
    fail("subtree_sums: there are %zu brackets, but %zu values; give one value for each bracket", m,
         std::ranges::size(values));
  std::vector<std::uint64_t> before(m);
  std::vector<std::int64_t> sums(m);
  auto const x = first_of(values);
  for_each_index(on, m, [&](std::size_t k) {
    before[k] = tree.opens(k) ? static_cast<std::uint64_t>(element_at(x, k)) : 0;
  });
  upsweep::exclusive_scan(on, before, before);
  for_each_index(on, m, [&](std::size_t k) {
    if (tree.opens(k)) sums[k] = static_cast<std::int64_t>(before[tree.partners[k]] - before[k]);
  });
  return sums;
}

}  // namespace apps

}  // namespace upsweep
