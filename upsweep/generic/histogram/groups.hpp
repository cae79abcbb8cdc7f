/// Weights of few bins with many elements each, for operators whose order matters: groups of 16
/// weights of a bin wait in the cache until they are complete, and their totals are combined at the
/// end. No weight is moved to memory, as it is where bins become segments.
#pragma once

#include <upsweep/generic/histogram/order.hpp>
#include <upsweep/generic/segments/short.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// Whether weights may be combined in groups: sums and products of floats.
template <class Source, class Op = typename Source::operation,
          class A = typename Source::accumulator>
inline constexpr bool adds_in_groups =
    std::is_floating_point_v<A> && (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies>);

/// Whether that is faster: if groups fill, and those of a thread stay in its second cache.
inline bool fill_groups(std::size_t n, std::size_t bins) {
  constexpr std::size_t most_bins = 4096;
  return bins <= most_bins && bins * 4 * group <= n;
}

/// The reductions of bins, whose elements are in the order of bin_order by steps of a group.
template <class Source, class Op>
class grouped_weights {
 public:
  using A = typename Source::accumulator;

  template <class E, class Find>
  grouped_weights(E const& on, std::size_t n, std::size_t bins, Find const& find,
                  Source const& weights, Op const& op, bool find_again)
      : order_(on, n, bins, find, group, find_again),
        op_(op),
        totals_(memory_for<A>(n / group + bins + 1)),
        parts_(order_.parts()) {
    order_.each_part(on, [&](std::size_t part, std::size_t begin, std::size_t end,
                             std::uint32_t const* place, std::size_t* next) {
      parts_[part] = waiting(std::vector<std::size_t>(next, next + bins + 3));
      combine(parts_[part], begin, end, next, weights,
              [&](std::size_t i, std::size_t size, std::uint32_t* block) {
                if (place) return place + i;
                find(i, size, block);
                return static_cast<std::uint32_t const*>(block);
              });
    });
  }

  /// Stores the reduction of each bin, and unless `sizes` is null, the number of its elements.
  template <class E, class Sink>
  void reduce(E const& on, std::size_t n, std::size_t bins, Sink const& results,
              std::size_t* sizes) {
    std::vector<std::size_t> const& ends = order_.next(parts_.size() - 1);
    for_each_part(on, bins, n / bins / group, [&](std::size_t b) {
      std::size_t const begin = order_.offsets()[b], end = ends[b + 1];
      if (sizes) sizes[b] = end - begin;
      results(b, begin == end ? upsweep::identity_of<A>(op_) : reduce_bin(b, begin, end));
    });
  }

  [[nodiscard]] outside_counts const& outside() const { return order_.outside(); }

 private:
  static constexpr std::size_t last = group - 1;

  /// The groups of one part of the input, by slot.
  struct waiting {
    scratch<A> latest;               ///< the weights of the last group
    scratch<A> first;                ///< those of a first group that begins in another part
    std::vector<std::size_t> begin;  ///< the position of the first weight

    waiting() = default;
    explicit waiting(std::vector<std::size_t> positions)
        : latest(memory_for<A>(positions.size() * group)),
          first(memory_for<A>(positions.size() * group)),
          begin(std::move(positions)) {}
  };

  [[nodiscard]] A total_of(A const* of) const {
    return total_by<A>(op_, [of](auto const& by) {
      return fixed_block<group_log2, A>([of](int i) { return of[i]; }, by);
    });
  }

  /// Stores the totals of the groups that begin and end among the elements [begin, end).
  template <class Places>
  void combine(waiting& mine, std::size_t begin, std::size_t end, std::size_t* next,
               Source const& weights, Places const& places_from) {
    std::uint32_t block[count_block];
    for (std::size_t i = begin; i < end; i += count_block) {
      auto const weight = weights.from(i);
      int const size = static_cast<int>(at_most(count_block, end - i));
      auto const* const place = places_from(i, static_cast<std::size_t>(size), block);
      for (int j = 0; j < size; ++j) {
        std::size_t const p = place[j], at = next[p]++;
        A* const to = mine.latest.get() + p * group;
        to[at & last] = weight(j);
        if ((at & last) != last) continue;
        if (at - last >= mine.begin[p])
          totals_[at / group] = total_of(to);
        else
          std::copy_n(to, group, mine.first.get() + p * group);
      }
    }
  }

  /// The reduction of the weights [begin, end) of bin b.
  A reduce_bin(std::size_t b, std::size_t begin, std::size_t end) {
    A rest[group] = {};
    put_together(b + 1, rest);
    std::size_t const groups = (end - begin) / group;
    if (groups == 0) return reduce_values(rest, end - begin, op_);
    A total = reduce_values(totals_.get() + begin / group, groups, op_);
    for (std::size_t i = 0, size = group / 2; size > 0; size /= 2)
      if ((end & size) != 0) {
        total = static_cast<A>(op_(total, reduce_values(rest + i, size, op_)));
        i += size;
      }
    return total;
  }
  /// Stores the totals of a slot's groups that several parts have a share of, and the weights of
  /// its last group, which is not complete.
  void put_together(std::size_t p, A* rest) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      waiting const& mine = parts_[part];
      std::size_t const from = mine.begin[p], to = order_.next(part)[p];
      bool const is_within = from / group == to / group;
      if (!is_within && (from & last) != 0) {
        A const* const first = mine.first.get() + p * group;
        std::copy(first + (from & last), first + group, rest + (from & last));
        totals_[from / group] = total_of(rest);
      }
      A const* const latest = mine.latest.get() + p * group;
      std::size_t const begin = is_within ? from & last : 0;
      std::copy(latest + begin, latest + (to & last), rest + begin);
    }
  }

  bin_order order_;
  Op const& op_;
  scratch<A> totals_;  // of the groups
  std::vector<waiting> parts_;
};

}  // namespace upsweep::detail
