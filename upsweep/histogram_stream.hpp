/// Histograms of numbers that arrive in chunks.
#pragma once

#include <upsweep/histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace upsweep {

/// Histogram over chunks: the counts of `histogram` on all chunks so far.
template <class T, detail::bins_of_numbers Bins, executor E = detail::default_executor_t<T>>
class histogram_stream {
 public:
  /// `size` bins: `even{low, high}`, or a range of size + 1 borders. Throws as histogram does.
  histogram_stream(std::size_t size, Bins bins, histogram_options o = {})
      : histogram_stream(E{}, size, std::move(bins), o) {}
  histogram_stream(E on, std::size_t size, Bins bins, histogram_options o = {})
      : bins_(std::move(bins)), options_(o), on_(std::move(on)), counts_(size), chunk_(size) {
    push({});
  }
  /// Counts a chunk of any length. If it throws, no element of the chunk is counted.
  void push(std::span<T const> chunk) {
    auto const out = upsweep::histogram(on_, chunk, chunk_, bins_, options_);
    for (std::size_t b = 0; b < counts_.size(); ++b) counts_[b] += chunk_[b];
    outside_.below += out.below;
    outside_.above += out.above;
    outside_.nan += out.nan;
  }
  /// Numbers of elements in each bin.
  [[nodiscard]] std::span<std::uint64_t const> counts() const { return counts_; }
  /// Numbers of elements in no bin.
  [[nodiscard]] outside_counts outside() const { return outside_; }

 private:
  Bins bins_;
  histogram_options options_;
  E on_;
  std::vector<std::uint64_t> counts_, chunk_;
  outside_counts outside_;
};

}  // namespace upsweep
