/// The tree of anchored blocks in one thread: groups of tokens in registers and, between groups,
/// the totals and results of a binary counter.
#pragma once

#include <upsweep/cuda/anchored/call.hpp>

#include <cstddef>

namespace upsweep::device {

/// Puts the total of the aligned block that ends with slot i there. Blocks without a new token,
/// whose last slot is not `is_new`, have their totals already.
template <unsigned tokens, class N, class IsNew>
__device__ void combine_in_place(recurrence_map<N> (&x)[tokens], IsNew const& is_new) {
#pragma unroll
  for (unsigned size = 1; size < tokens; size *= 2)
#pragma unroll
    for (unsigned i = 2 * size - 1; i < tokens; i += 2 * size)
      if (is_new(i)) x[i] = x[i].after(x[i - size]);
}
/// The results of tokens from such totals: `start` is the one before them, and `longer` the one
/// before the aligned block that ends with the last. Calls use(i, result) as soon as that of token
/// i is there.
template <unsigned tokens, class N, class Use>
__device__ void results_of(recurrence_map<N> const (&x)[tokens], N start, N longer,
                           N (&results)[tokens], Use const& use) {
#pragma unroll
  for (unsigned i = 0; i < tokens; ++i) {
    unsigned const rest = (i + 1) & i;
    results[i] = x[i](i + 1 == tokens ? longer : rest == 0 ? start : results[rest - 1]);
    use(i, results[i]);
  }
}

/// Of one line, between groups of 16 tokens. Groups of a block are numbered from 0 on.
template <class N>
class anchored_fold {
  using map = recurrence_map<N>;

 public:
  static constexpr unsigned tokens = 16, levels = upsweep::detail::anchored_digits - 4,
                            groups = 1U << levels;

  /// `state` is the result before the block of the next token.
  explicit __device__ anchored_fold(N state) : last_(state) {
    for (N& before : before_) before = state;
  }

  /// The same after `group` groups of a block: total_of(level) is the total of 2^level groups.
  template <class Total>
  __device__ anchored_fold(N state, unsigned group, Total const& total_of) : last_(state) {
#pragma unroll
    for (unsigned k = levels; k-- > 0;) {
      before_[k] = last_;
      if ((group >> k & 1) == 0) continue;
      totals_[k] = total_of(k);
      last_ = totals_[k](last_);
    }
  }

  /// The result before the block.
  [[nodiscard]] __device__ N state() const { return before_[levels - 1]; }
  /// The result of the groups so far.
  [[nodiscard]] __device__ N last() const { return last_; }
  [[nodiscard]] __device__ map const& total(unsigned level) const { return totals_[level]; }

  /// Appends group `group`. `total` is that of its tokens, and becomes that of the longest aligned
  /// block that ends with them. Returns the result before that block.
  __device__ N append(unsigned group, map& total) {
    N const longer = join<0>(group, total, last_);
    last_ = total(longer);
#pragma unroll
    for (unsigned k = 0; k < levels; ++k)
      if ((~group & ((2U << k) - 1)) == 0) before_[k] = last_;
    return longer;
  }

 private:
  template <unsigned k>
  __forceinline__ __device__ N join(unsigned group, map& total, N longer) {
    if constexpr (k < levels) {
      if ((group >> k & 1) != 0) {
        total = total.after(totals_[k]);
        return join<k + 1>(group, total, before_[k]);
      }
      totals_[k] = total;
    }
    return longer;
  }

  N last_;
  map totals_[levels];
  N before_[levels];  ///< before the current aligned block of 2^(k + 1) groups
};

}  // namespace upsweep::device
