/// The combine tree of the contract (reference.hpp) for prefixes of growing length: what results
/// that are rounded are compared with.
#pragma once

#include <upsweep/ops/monoid.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::bench {

/// add(x, i) takes the element at position i, result() is reference::reduce of the elements so far.
/// At most two applications of Op for each element on average.
template <class Op, class T>
class running_tree {
 public:
  void add(T x, std::size_t i) {
    accumulator total = detail::lift(op_, x, i);
    for (std::size_t bits = i; bits % 2 == 1; bits /= 2) {  // the blocks that element i completes
      total = op_(blocks_.back().total, total);
      blocks_.pop_back();
    }
    blocks_.push_back({total, blocks_.empty() ? total : op_(blocks_.back().prefix, total)});
  }
  [[nodiscard]] auto result() const { return detail::finish(op_, blocks_.back().prefix); }

 private:
  using accumulator = accumulator_t<Op, T>;
  /// An aligned block whose size is a power of two, and the prefix that ends with it.
  struct block {
    accumulator total, prefix;
  };
  Op op_{};
  std::vector<block> blocks_;  ///< from the left, the largest first
};

}  // namespace upsweep::bench
