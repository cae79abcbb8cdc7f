/// Weighted sampling: positions drawn with probabilities proportional to their weights.
///
/// A scan computes the cumulative distribution once; a draw is a binary search in it. The draws
/// depend only on the weights and the given uniform numbers. Systematic resampling is that of
/// Kitagawa 1996 (Monte Carlo filter and smoother). docs/apps/weighted_sampling.md.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ranges>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::apps {

/// Draws positions of a range of weights. Positions with weight 0 are never drawn. Memory: 8 bytes
/// for each weight that is not 0, and 8 more if other weights exist.
class weighted_sampler {
 public:
  /// Computes the distribution of n weights, in doubles: O(n). Throws precondition_error for a
  /// weight that is negative or NaN, with its position, and if the weights sum to 0 or to infinity.
  template <elements Weights, executor E = cpu>
  explicit weighted_sampler(Weights const& weights, E const& on = {})
      : below_(std::ranges::begin(weights), std::ranges::end(weights)) {
    upsweep::cumulative_distribution(on, below_, below_);
    auto const is_zero = [](auto const& weight) { return std::size_t{weight == 0}; };
    if (upsweep::transform_reduce(on, weights, is_zero) > 0) {
      // A weight of 0 can still own an interval, of the size of a rounding error: drop it.
      position_.resize(below_.size());
      position_.resize(upsweep::select_positions(on, weights, position_));
      below_.resize(upsweep::select(on, below_, weights, below_));  // a weight is a flag: not 0
    }
    detail::expects(!below_.empty() && total() > 0,
                    "weighted_sampler: all weights are 0, so nothing can be drawn");
    detail::expects(total() < detail::infinity<double>,
                    "weighted_sampler: the sum of the weights is infinite; scale them down");
    largest_ = std::nextafter(total(), 0.0);
  }

  /// The sum of the weights, rounded.
  [[nodiscard]] double total() const { return below_.back(); }

  /// The position whose interval of the distribution holds u * total(), for u in [0, 1): O(log n).
  [[nodiscard]] std::size_t operator()(double u) const {
    expect_uniform(u);
    return position_of(index_at(u * total(), 0, below_.size()));
  }

  /// out[k] = the position drawn by uniform[k]; draws are independent if these numbers are.
  /// `uniform` and `out` have the same size. For at least an eighth as many draws as weights, a
  /// guide table built for the call (Chen & Asau 1974) saves most of the search. Throws
  /// precondition_error if the sizes differ, and for a number outside [0, 1).
  template <elements Uniform, elements Out, executor E = cpu>
  void draw(Uniform const& uniform, Out&& out, E const& on = {}) const {
    std::size_t const m = std::ranges::size(out);
    if (std::ranges::size(uniform) != m)
      detail::fail_sizes("weighted_sampler", std::ranges::size(uniform), m);
    auto const guide = m < below_.size() / 8 ? std::vector<std::size_t>() : make_guide(on);
    auto const parts = static_cast<double>(guide.size()) - 1;  // a power of two: u * parts is exact
    in_blocks(on, m, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        auto const u =
            static_cast<double>(std::ranges::begin(uniform)[static_cast<std::ptrdiff_t>(k)]);
        expect_uniform(u);
        auto const part = guide.empty() ? 0 : static_cast<std::size_t>(u * parts);
        std::size_t const from = guide.empty() ? 0 : guide[part],
                          to = guide.empty() ? below_.size() : guide[part + 1];
        store(out, k, position_of(index_at(u * total(), from, to)));
      }
    });
  }

  /// Systematic resampling: out[k] = the position at (k + u) / m of the distribution, for the m
  /// elements of `out`, in ascending order. A position of weight w is drawn m w / total() times,
  /// rounded down or up. Throws precondition_error for u outside [0, 1).
  template <elements Out, executor E = cpu>
  void draw_systematic(double u, Out&& out, E const& on = {}) const {
    expect_uniform(u);
    std::size_t const m = std::ranges::size(out);
    in_blocks(on, m, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin, at = 0; k < end; ++k) {
        double const share = (static_cast<double>(k) + u) / static_cast<double>(m);
        at = index_at(share * total(), at, below_.size());
        store(out, k, position_of(at));
      }
    });
  }

 private:
  static void expect_uniform(double u) {
    detail::expects(u >= 0 && u < 1, "weighted_sampler: a uniform number is not in [0, 1)");
  }
  /// The first interval of [from, to) that ends after `target`, or `to`.
  [[nodiscard]] std::size_t index_at(double target, std::size_t from, std::size_t to) const {
    auto const first = below_.begin();
    return static_cast<std::size_t>(std::upper_bound(first + static_cast<std::ptrdiff_t>(from),
                                                     first + static_cast<std::ptrdiff_t>(to),
                                                     std::min(target, largest_)) -
                                    first);
  }
  /// Where equal parts of the distribution begin, a power of two of them, and where the last ends:
  /// a draw then searches one part, instead of missing the cache at most steps of a long search.
  template <class E>
  [[nodiscard]] std::vector<std::size_t> make_guide(E const& on) const {
    std::size_t const parts = std::bit_ceil(below_.size() / 4 + 1);
    std::vector<std::size_t> guide(parts + 1);
    in_blocks(on, parts + 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin, at = 0; k < end; ++k) {
        double const share = static_cast<double>(k) / static_cast<double>(parts);
        guide[k] = at = index_at(share * total(), at, below_.size());
      }
    });
    return guide;
  }
  [[nodiscard]] std::size_t position_of(std::size_t index) const {
    return position_.empty() ? index : position_[index];
  }
  template <class Out>
  static void store(Out& out, std::size_t k, std::size_t position) {
    std::ranges::begin(out)[static_cast<std::ptrdiff_t>(k)] =
        static_cast<std::ranges::range_value_t<Out>>(position);
  }
  template <class E, class F>
  static void in_blocks(E const& on, std::size_t m, F const& f) {
    constexpr std::size_t block = 1024;
    on.for_each_line((m + block - 1) / block, block, [&](std::size_t b, auto const&) {
      f(b * block, std::min(m, (b + 1) * block));
    });
  }

  double largest_;  // a target: the product of a number just below 1 may be rounded to the total
  std::vector<double> below_;          // the sum of the weights up to and with this one
  std::vector<std::size_t> position_;  // of the weights that are not 0; empty if all are such
};

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
