/// Where the elements of each bin stand in the stable order by bins, for each part of the input.
#pragma once

#include <upsweep/bins.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/generic/histogram/counts.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// The input is cut into parts, one a thread, which count their elements of each bin. The positions
/// of a bin begin at a multiple of `alignment`. Places are those of find_block: bin b is place
/// b + 1.
class bin_positions {
 public:
  template <class E, class Find>
  bin_positions(E const& on, std::size_t n, std::size_t bins, std::size_t alignment,
                Find const& find)
      : n_(n), first_(counting_threads(on, n, bins + 3)), offsets_(bins + 1), sizes_(bins) {
    for_each_part(on, [&](std::size_t part, std::size_t begin, std::size_t end) {
      std::vector<std::size_t> counts(bins + 3);
      std::uint32_t found[count_block];
      for (std::size_t i = begin; i < end; i += count_block) {
        std::size_t const size = at_most(count_block, end - i);
        find(i, size, found);
        for (std::size_t j = 0; j < size; ++j) ++counts[found[j]];
      }
      first_[part] = std::move(counts);
    });
    std::size_t sum = 0;
    auto const append = [&](std::size_t place) {
      std::size_t const before = sum;
      for (auto& counts : first_) sum += std::exchange(counts[place], sum);
      return sum - before;
    };
    for (std::size_t b = 0; b < bins; ++b) {
      sizes_[b] = append(b + 1);
      sum = (sum + alignment - 1) / alignment * alignment;
      offsets_[b + 1] = sum;
    }
    outside_ = {.below = append(0), .above = append(bins + 1), .nan = append(bins + 2)};
  }

  /// Calls f(part, begin, end) for the elements [begin, end) of each part.
  template <class E, class F>
  void for_each_part(E const& on, F const& f) const {
    run_in_rounds(on, 1, parts(), [&](std::size_t, std::size_t part, auto const&) {
      f(part, part_begin(n_, parts(), part), part_begin(n_, parts(), part + 1));
    });
  }

  [[nodiscard]] std::size_t parts() const { return first_.size(); }
  /// The position of a part's first element of each place.
  [[nodiscard]] std::vector<std::size_t> const& first(std::size_t part) const {
    return first_[part];
  }
  /// Where the positions of each bin begin, and where those of the last one end.
  [[nodiscard]] std::vector<std::size_t> const& offsets() const { return offsets_; }
  /// How many elements are in bin b.
  [[nodiscard]] std::size_t size(std::size_t b) const { return sizes_[b]; }
  [[nodiscard]] outside_counts const& outside() const { return outside_; }

 private:
  std::size_t n_;
  std::vector<std::vector<std::size_t>> first_;
  std::vector<std::size_t> offsets_, sizes_;
  outside_counts outside_;
};

}  // namespace upsweep::detail
