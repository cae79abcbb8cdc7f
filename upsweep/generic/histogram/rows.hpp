/// Weights that are combined in the order of the tree while they are read: those of a bin are
/// collected in a row of 16, whose total is a leaf.
#pragma once

#include <upsweep/bins.hpp>
#include <upsweep/call/results.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/generic/histogram/counts.hpp>
#include <upsweep/generic/histogram/positions.hpp>
#include <upsweep/generic/segments/short.hpp>
#include <upsweep/generic/segments/stretches.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// Weights that rows may take: numbers that are accumulators and results as they are.
template <class Source, class Op = typename Source::operation,
          class A = typename Source::accumulator>
concept adds_in_rows =
    has_fixed_shape<A> && reduces_short<Op, A> && std::is_same_v<accumulator_t<Op, A>, A> &&
    !has_lift<Op, typename Source::transformed const&> && !has_lift<Op, A const&> &&
    !requires(Op const& op, A const& a) { op.finish(a); };

/// Whether most rows are filled several times, so that they are less memory than the weights.
[[nodiscard]] constexpr bool are_worth_rows(std::size_t n, std::size_t bins) {
  return bins <= n / (4 * group);
}

/// The weights of a part of the input that are in no leaf yet. Weight `at` of the positions is in
/// its bin's row at at % group.
template <class A>
struct part_of_bins {
  scratch<A> rows;   // the latest weights of each bin
  scratch<A> heads;  // of each bin the end of the row that parts before this one began
};

/// The bins of a call. Positions are aligned to rows, and the total of a row is leaf at / group.
template <class A, class Op>
class bins_in_rows {
 public:
  bins_in_rows(bin_positions const& positions, std::size_t bins, Op const& op)
      : positions_(positions),
        bins_(bins),
        op_(op),
        parts_(positions.parts()),
        leaves_(memory_for<A>(positions.offsets().back() / group)) {}

  /// Reads the weights [begin, end) of a part.
  template <class Find, class Source>
  void read(std::size_t part, std::size_t begin, std::size_t end, Find const& find,
            Source const& weights) {
    auto rows = memory_for<A>(bins_ * group), heads = memory_for<A>(part > 0 ? bins_ * group : 0);
    std::vector<std::size_t> const& first = positions_.first(part);
    std::vector<std::size_t> next = first;
    std::uint32_t found[count_block];
    for (std::size_t i = begin; i < end; i += count_block) {
      std::size_t const size = at_most(count_block, end - i);
      find(i, size, found);
      auto const weight = weights.from(i);
      for (std::size_t j = 0; j < size; ++j) {
        std::size_t const place = found[j], bin = place - 1;
        if (bin >= bins_) continue;
        std::size_t const at = next[place]++;
        A* const row = rows.get() + bin * group;
        row[at % group] = weight(static_cast<int>(j));
        if (at % group != group - 1) continue;
        if (at / group * group >= first[place])
          leaves_[at / group] = total_of(row);
        else
          copy(row, heads.get() + bin * group, first[place] % group, group);
      }
    }
    parts_[part] = {std::move(rows), std::move(heads)};
  }

  /// The total of a bin with elements, when all parts have been read.
  template <class E>
  A total(E const& on, std::size_t bin) {
    A row[group]{};
    std::size_t const offset = positions_.offsets()[bin], size = positions_.size(bin);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      std::size_t const first = positions_.first(part)[bin + 1],
                        end = part + 1 < parts_.size() ? positions_.first(part + 1)[bin + 1]
                                                       : offset + size;
      if (first == end) continue;
      std::size_t slot = first % group;
      if (first / group < end / group) {
        if (slot > 0) {
          copy(parts_[part].heads.get() + bin * group, row, slot, group);
          leaves_[first / group] = total_of(row);
        }
        slot = 0;
      }
      copy(parts_[part].rows.get() + bin * group, row, slot, end % group);
    }
    auto const x = [&row](int i) { return row[i]; };
    if (size < group) return fixed_prefix<A>(x, size, op_);
    as_is const f;
    std::span const leaves(leaves_.get() + offset / group, size / group);
    auto const source = source_of<false>(leaves, leaves.size(), f, op_);
    call const c{source, leaves.size(), op_, mode::reproducible, static_cast<A const*>(nullptr)};
    A const before = reduce_segment(on, c, 0, leaves.size());
    return rest_of(before, row, size % group);
  }

 private:
  static void copy(A const* from, A* to, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
  }
  [[nodiscard]] A total_of(A const* row) const {
    return fixed_block<group_log2, 0, A>([row](int i) { return row[i]; }, op_);
  }
  /// before op the aligned blocks of the `rest` weights of a row, the largest first.
  [[nodiscard]] A rest_of(A before, A const* row, std::size_t rest) const {
    for (std::size_t at = 0, size = group / 2; size > 0; size /= 2)
      if ((rest & size) != 0) {
        A block[group / 2];
        copy(row + at, block, 0, size);
        before = static_cast<A>(op_(before, reduce_values(block, size, op_)));
        at += size;
      }
    return before;
  }

  bin_positions const& positions_;
  std::size_t bins_;
  Op const& op_;
  std::vector<part_of_bins<A>> parts_;
  scratch<A> leaves_;
};

/// The reductions of the weights of each bin. The input is read twice: for the sizes of the bins
/// and for the weights.
template <class E, class Find, class Source, class Op, class Sink>
outside_counts reduce_in_rows(E const& on, std::size_t n, Find const& find, Source const& weights,
                              Op const& op, Sink const& results, std::size_t bins) {
  using A = typename Source::accumulator;
  bin_positions const positions(on, n, bins, group, find);
  bins_in_rows<A, Op> in_rows(positions, bins, op);
  positions.for_each_part(on, [&](std::size_t part, std::size_t begin, std::size_t end) {
    in_rows.read(part, begin, end, find, weights);
  });
  constexpr std::size_t line = 256;
  on.for_each_line((bins + line - 1) / line, n / bins * line, [&](std::size_t k, auto const& here) {
    for (std::size_t b = k * line; b < at_most(bins, (k + 1) * line); ++b)
      results(b, positions.size(b) > 0 ? in_rows.total(here, b)
                                       : static_cast<A>(nothing(op, options<A>{})));
  });
  return positions.outside();
}

}  // namespace upsweep::detail
