/// The weights of histograms: combined in a table by each thread where every order of combining
/// gives the same bits, otherwise moved to the segments of their bins.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/call/selection.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/groups.hpp>
#include <upsweep/generic/segments/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::detail {

/// Whether weights may be combined in tables, which begin with the identity, instead of a
/// reduction of each bin, in which positions count from its first weight.
template <class Source, class Op = typename Source::operation,
          class A = typename Source::accumulator>
inline constexpr bool adds_in_tables =
    is_exact<Op, A> && monoid_over<Op, A> && !refuses_empty<Op> && reduces_short<Op, A> &&
    !requires(Op const& op, typename Source::transformed const& x) { op.lift(x, std::size_t{}); };

/// What one thread has found.
template <class A>
struct bin_table {
  std::unique_ptr<A[]> totals;
  outside_counts outside;

  template <class Find, class Source, class Op>
  bin_table(std::size_t begin, std::size_t end, Find const& find, Source const& weights,
            Op const& op, std::size_t bins)
      : totals(new A[bins]) {
    A* const total = totals.get();
    std::fill_n(total, bins, upsweep::identity_of<A>(op));
    std::size_t count[3] = {};  // below, above, NaN
    std::uint32_t found[count_block];
    for (std::size_t i = begin; i < end; i += count_block) {
      std::size_t const size = at_most(count_block, end - i);
      find(i, size, found);
      auto const weight = weights.from(i);
      for (std::size_t j = 0; j < size; ++j) {
        std::size_t const bin = std::size_t{found[j]} - 1;
        if (bin < bins)
          total[bin] = static_cast<A>(op(total[bin], weight(static_cast<int>(j))));
        else
          ++count[found[j] == 0 ? 0 : bin - bins + 1];
      }
    }
    outside = {.below = count[0], .above = count[1], .nan = count[2]};
  }
  bin_table() = default;
};

/// Each thread combines the weights of a part of the input in a table of its own; tables are
/// combined in the order of the parts.
template <class E, class Find, class Source, class Op, class Sink>
outside_counts reduce_in_tables(E const& on, std::size_t n, Find const& find, Source const& weights,
                                Op const& op, Sink const& results, std::size_t bins) {
  using A = typename Source::accumulator;
  std::size_t const parts = counting_threads(on, n, bins);
  std::vector<bin_table<A>> tables(parts);
  for_each_part(on, parts, n / parts, [&](std::size_t part) {
    tables[part] = bin_table<A>(part_begin(n, parts, part), part_begin(n, parts, part + 1), find,
                                weights, op, bins);
  });
  constexpr std::size_t line = 1024;
  for_each_part(on, (bins + line - 1) / line, line * parts, [&](std::size_t k) {
    for (std::size_t b = k * line; b < at_most(bins, (k + 1) * line); ++b) {
      A total = tables[0].totals[b];
      for (std::size_t t = 1; t < parts; ++t)
        total = static_cast<A>(op(total, tables[t].totals[b]));
      results(b, total);
    }
  });
  outside_counts sum;
  for (auto const& t : tables) {
    sum.below += t.outside.below;
    sum.above += t.outside.above;
    sum.nan += t.outside.nan;
  }
  return sum;
}

/// Stores the number of elements of each bin.
template <class E, class Find>
void count_bins(E const& on, std::size_t n, Find const& find, std::size_t bins,
                std::size_t* sizes) {
  auto const counts =
      counts_of(on, n, bins + 3, [&](count_table& table, std::size_t i, std::size_t size) {
        std::uint32_t found[count_block];
        find(i, size, found);
        table.add(found, size);
      });
  std::copy_n(counts.begin() + 1, bins, sizes);
}

/// Stores in results[b] the reduction of those of the n weights whose elements lie in bin b.
/// find(i, size, to) stores the slots of the elements i, i + 1, ..., as find_block does. Results
/// are stored when all else has been read. `sizes`, unless it is null, takes the number of elements
/// of each bin. Slots are kept in memory unless `find_again`, which is for a `find` that takes no
/// longer than to read them.
template <class E, class Find, class Weights, class Results, class Op>
outside_counts reduce_weights(E const& on, std::size_t n, Find const& find, Weights const& weights,
                              Results& results, Op const& op, std::size_t* sizes = nullptr,
                              bool find_again = false) {
  using W = std::ranges::range_value_t<Weights>;
  std::size_t const bins = std::ranges::size(results);
  as_is const f;
  auto const source = source_of<false>(weights, n, f, op);
  using Source = std::remove_const_t<decltype(source)>;
  auto const from = first_of(weights);
  auto const sink = sink_of<false>(results, bins, op);
  expect_segments<E, decltype(sink_of<false>(results, bins, op))>();
  if constexpr (adds_in_tables<Source>) {
    if (sizes) count_bins(on, n, find, bins, sizes);
    return reduce_in_tables(on, n, find, source, op, sink, bins);
  } else {
    if constexpr (adds_in_groups<Source>)
      if (fill_groups(n, bins)) {
        grouped_weights<Source, Op> all(on, n, bins, find, source, op, find_again);
        all.reduce(on, n, bins, sink, sizes);
        return all.outside();
      }
    bin_order order(on, n, bins, find);
    if (sizes) order.store_sizes(sizes);
    auto const reduce = [&](auto const& sorted) {
      auto const x = source_of<false>(sorted, order.offsets().back(), f, op);
      reduce_each_segment(on, x, op, {}, order.offsets().data(), bins, sink);
    };
    if constexpr (std::is_trivially_copyable_v<W> && std::is_trivially_default_constructible_v<W>) {
      auto const sorted = memory_for<W>(n);
      order.place(on, [to = sorted.get(), &from](std::size_t at, std::size_t i) {
        to[at] = element_at(from, i);
      });
      reduce(std::span(sorted.get(), n));
    } else {
      auto const position = memory_for<std::size_t>(n);
      order.place(on, [&](std::size_t at, std::size_t i) { position[at] = i; });
      std::vector<W> sorted;
      sorted.reserve(n);
      for (std::size_t j = 0; j < n; ++j) sorted.push_back(element_at(from, position[j]));
      reduce(std::span(sorted));
    }
    return order.outside();
  }
}

}  // namespace upsweep::detail
