/// The order of elements by their bins.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/counts.hpp>

#include <cstddef>
#include <cstdint>
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

}  // namespace upsweep::detail
