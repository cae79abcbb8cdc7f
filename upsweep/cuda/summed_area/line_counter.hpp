/// The prefixes of a line of tiles that one thread passes in order.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/warp.hpp>

namespace upsweep::device {

/// The tiles so far, counted in binary: each digit that is 1 represents a block of the combine
/// tree, and has its total and the prefix before it.
template <class A, class Op>
class line_counter {
  using prefix = prefix_of<A, Op>;

 public:
  /// `digits` has two values for each binary digit of the number of tiles, `apart` from one
  /// another.
  __device__ line_counter(boxed<A>* digits, unsigned apart) : digits_(digits), apart_(apart) {}

  /// The prefixes before and after tile k, of which `own` is the total. `before` is what was after
  /// the tile before; arbitrary if k is 0.
  __device__ tile_prefixes<A, Op> next(unsigned k, A const& own, A const& before,
                                       Op const& op) const {
    A total = own, front = before;
    unsigned digit = 0;
    for (; (k >> digit & 1) != 0; ++digit) {
      A const block = digits_[2 * digit * apart_];
      front = digits_[(2 * digit + 1) * apart_];
      total = static_cast<A>(op(block, total));
    }
    // The tile completes a block of 2^digit tiles.
    digits_[2 * digit * apart_] = total;
    digits_[(2 * digit + 1) * apart_] = front;
    tile_prefixes<A, Op> result{prefix(before, k > 0), prefix(front, k >> digit != 0)};
    result.after.append(total, op);
    return result;
  }

 private:
  boxed<A>* digits_;
  unsigned apart_;
};

}  // namespace upsweep::device
