/// Group-by aggregation of rows in any order: "sum of this by that".
///
/// A stable sort of the rows by the hash of their keys makes the rows of a group neighbors, in
/// input order, so the results are reductions of runs. The first row of each run is the first
/// appearance of its group, by which the groups are ordered.
/// Cost: one hash per row, one sort of 64-bit hashes with positions, one read of the values in
/// sorted order.
/// Source: grouping by sorting, as databases and libcudf do; the order of appearance as in pandas.
#pragma once

#include <upsweep/apps/indices.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <vector>

namespace upsweep {

namespace apps {

/// Groups in the order in which they first appear.
template <class R>
struct grouped {
  std::vector<std::size_t> first;   ///< the first row of each group, where its key is
  std::vector<std::size_t> counts;  ///< of its rows
  std::vector<R> totals;            ///< reduce() of its values, in the order of the rows
  [[nodiscard]] std::size_t size() const { return first.size(); }
};

}  // namespace apps

namespace detail {

/// The rows in an order in which those of equal keys are neighbors, in the order of the input, and
/// marks[k]: a number that changes between neighbors where their keys differ.
template <class E, class Keys, class Hash>
void sort_rows(E const& on, Keys const& keys, Hash const& hash, std::vector<std::size_t>& order,
               std::vector<std::uint64_t>& marks) {
  std::size_t const n = std::ranges::size(keys);
  auto const key = first_of(keys);
  std::vector<std::uint64_t> hashes(n);
  for_each_index(on, n, [&](std::size_t i) { hashes[i] = hash(element_at(key, i)); });
  upsweep::argsort(on, hashes, order);
  for_each_index(on, n, [&](std::size_t k) { marks[k] = hashes[order[k]]; });
  auto const differ = [&](std::size_t k) {
    return k > 0 && !(element_at(key, order[k]) == element_at(key, order[k - 1]));
  };
  bool const collide = first_index(on, n, [&](std::size_t k) {
                         return k > 0 && marks[k] == marks[k - 1] && differ(k);
                       }) < n;
  if (!collide) return;
  upsweep::argsort(on, keys, order, std::less<>());  // two keys have one hash
  for_each_index(on, n, [&](std::size_t k) { marks[k] = differ(k) ? 1 : 0; });
  upsweep::inclusive_scan(on, marks, marks);
}

}  // namespace detail

namespace apps {

/// For each key of `keys`: the reduction of the values of its rows by `op`, with the bits of
/// reduce() on those values alone, in input order. `keys` and `values` have n elements each, n >=
/// 0. Keys are compared by == and hashed by `hash`; if two keys have one hash, they are sorted by
/// <. Throws precondition_error if the sizes differ. Runs on the CPU executors.
template <elements Keys, elements Values, class Op = plus, executor E = cpu,
          class Hash = std::hash<std::ranges::range_value_t<Keys>>>
[[nodiscard]] auto group_totals(Keys const& keys, Values const& values, Op const& op = {},
                                E const& on = {}, Hash const& hash = {}) {
  using namespace upsweep::detail;
  using T = std::ranges::range_value_t<Values>;
  std::size_t const n = std::ranges::size(keys);
  if (n != std::ranges::size(values)) fail_inputs("group_totals", n, std::ranges::size(values));
  std::vector<std::size_t> order(n), starts(n);
  std::vector<std::uint64_t> marks(n);
  sort_rows(on, keys, hash, order, marks);
  starts.resize(upsweep::run_starts(on, marks, starts));
  std::size_t const count = starts.size();

  std::vector<T> sorted(n);
  auto const value = first_of(values);
  for_each_index(on, n, [&](std::size_t k) { sorted[k] = element_at(value, order[k]); });
  std::vector<result_t<Op, T>> totals(count);
  std::vector<std::uint64_t> runs(count);
  upsweep::reduce_runs(on, marks, sorted, runs, totals, op);

  std::vector<std::size_t> first(count), appearance(count);
  for_each_index(on, count, [&](std::size_t g) { first[g] = order[starts[g]]; });
  upsweep::argsort(on, first, appearance);
  grouped<result_t<Op, T>> groups{std::vector<std::size_t>(count), std::vector<std::size_t>(count),
                                  std::vector<result_t<Op, T>>(count)};
  for_each_index(on, count, [&](std::size_t k) {
    std::size_t const g = appearance[k];
    groups.first[k] = first[g];
    groups.counts[k] = (g + 1 < count ? starts[g + 1] : n) - starts[g];
    groups.totals[k] = totals[g];
  });
  return groups;
}

}  // namespace apps

}  // namespace upsweep
