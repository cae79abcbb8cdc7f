/// Weights in the order of their bins; and weights of few bins with many elements each, for
/// operators whose order matters: groups of 16 weights of a bin wait in the cache until they are
/// complete, and their totals are combined at the end. No weight is moved to memory, as it is where
/// bins become segments.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/counts.hpp>
#include <upsweep/generic/segments/short.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// The stable order of elements by their bins; those outside come last. Each bin begins at a
/// multiple of `step`, a power of two. The slots that `find` finds are kept unless `find_again`.
class bin_order {
 public:
  template <class E, class Find>
  bin_order(E const& on, std::size_t n, std::size_t bins, Find const& find, std::size_t step = 1,
            bool find_again = false)
      : n_(n),
        found_(find_again ? scratch<std::uint32_t>() : memory_for<std::uint32_t>(n)),
        next_(counting_threads(on, n, bins + 3)),
        offsets_(bins + 1) {
    for_each_part(on, next_.size(), n / next_.size(), [&](std::size_t part) {
      std::vector<std::size_t> counts(bins + 3);
      std::uint32_t block[count_block];
      std::size_t const end = begin_of(part + 1);
      for (std::size_t i = begin_of(part); i < end; i += count_block) {
        std::size_t const size = at_most(count_block, end - i);
        std::uint32_t* const to = found_ ? found_.get() + i : block;
        find(i, size, to);
        for (std::size_t j = 0; j < size; ++j) ++counts[to[j]];
      }
      next_[part] = std::move(counts);
    });
    std::size_t sum = 0;
    auto const append = [&](std::size_t place) {
      std::size_t const before = sum;
      for (auto& counts : next_) sum += std::exchange(counts[place], sum);
      return sum - before;
    };
    for (std::size_t b = 0; b < bins; ++b) {
      append(b + 1);
      offsets_[b + 1] = sum = (sum + step - 1) & ~(step - 1);
    }
    outside_ = {.below = append(0), .above = append(bins + 1), .nan = append(bins + 2)};
  }

  /// Calls f(part, begin, end, place, next) for each part of the input: place[i] is that of element
  /// i, unless `place` is null, and next[p] where its next one in place p is put, which f is to
  /// advance.
  template <class E, class F>
  void each_part(E const& on, F const& f) {
    for_each_part(on, next_.size(), n_ / next_.size(), [&](std::size_t part) {
      f(part, begin_of(part), begin_of(part + 1), found_.get(), next_[part].data());
    });
  }
  /// Calls put(to, i) for each element i, which is number `to` in the order. To be called once.
  template <class E, class Put>
  void place(E const& on, Put const& put) {
    each_part(on, [&](std::size_t, std::size_t i, std::size_t end, std::uint32_t const* place,
                      std::size_t* next) {
      for (; i < end; ++i) put(next[place[i]]++, i);
    });
  }

  /// Where the elements of each bin begin, and where those of the last one end.
  [[nodiscard]] std::vector<std::size_t> const& offsets() const { return offsets_; }
  [[nodiscard]] outside_counts const& outside() const { return outside_; }
  [[nodiscard]] std::size_t parts() const { return next_.size(); }
  /// How many elements each slot has had in the parts up to this one.
  [[nodiscard]] std::vector<std::size_t> const& next(std::size_t part) const { return next_[part]; }
  void store_sizes(std::size_t* sizes) const {
    for (std::size_t b = 0; b + 1 < offsets_.size(); ++b) sizes[b] = offsets_[b + 1] - offsets_[b];
  }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t part) const {
    return part_begin(n_, next_.size(), part);
  }

  std::size_t n_;
  scratch<std::uint32_t> found_;                // the slot of each element
  std::vector<std::vector<std::size_t>> next_;  // for each part: where its next one is put
  std::vector<std::size_t> offsets_;
  outside_counts outside_;
};

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
