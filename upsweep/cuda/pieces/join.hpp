/// The carry behind pieces that follow each other from element 0 on, from the totals of each.
/// 1 launch of one block · the bits of the combine tree
/// docs/design/0008-pieces.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/pieces/blocks.hpp>

namespace upsweep::device {

inline constexpr unsigned join_threads = 64;

/// floor(log2(x)), x >= 1.
__device__ inline unsigned highest_digit(std::size_t x) {
  return 63 - static_cast<unsigned>(__clzll(static_cast<long long>(x)));
}

/// Called by one thread: appends a block of 2^digit elements at `position`, as a binary counter
/// does.
template <class A, class Op>
__device__ void push_digit(boxed<A>* digits, std::size_t& position, unsigned digit, A total,
                           Op const& op) {
  std::size_t const end = position + (std::size_t{1} << digit);
  for (; (position >> digit & 1) != 0; ++digit) {
    A const earlier = digits[digit];
    total = op(earlier, total);
  }
  digits[digit] = total;
  position = end;
}

/// Stores the totals of the digits of the position behind the `count` pieces in `carry`, and their
/// total in *prefix.
template <class A, class Op>
__global__ void __launch_bounds__(join_threads, 1)
    join_pieces(piece_totals<A> const* pieces, unsigned count, A* carry, A* prefix, Op op) {
  __shared__ shared_values<A, 64> growing;
  __shared__ shared_values<A, 64> shrinking;
  __shared__ shared_values<A, 64> digits;
  unsigned const k = threadIdx.x;
  std::size_t position = 0;
  wait_for_earlier_work();
  std::size_t next_begin = 0, next_end = 0;  // loaded one piece ahead, as the masks depend on them
  if (count > 0) next_begin = pieces[0].begin, next_end = pieces[0].end;
  for (unsigned p = 0; p < count; ++p) {
    std::size_t const end = next_end;
    piece_blocks const blocks(next_begin, end);
    if (p + 1 < count) next_begin = pieces[p + 1].begin, next_end = pieces[p + 1].end;
    if ((blocks.growing >> k & 1) != 0) {
      A const total = pieces[p].growing[k];
      growing[k] = total;
    }
    if ((blocks.shrinking >> k & 1) != 0) {
      A const total = pieces[p].shrinking[k];
      shrinking[k] = total;
    }
    __syncthreads();  // the totals of the piece are there
    if (k == 0) {
      for (std::size_t left = blocks.growing; left != 0; left &= left - 1) {
        unsigned const digit = highest_digit(left & -left);
        push_digit<A>(digits, position, digit, growing[digit], op);
      }
      for (std::size_t left = blocks.shrinking; left != 0;) {
        unsigned const digit = highest_digit(left);
        push_digit<A>(digits, position, digit, shrinking[digit], op);
        left ^= std::size_t{1} << digit;
      }
    }
    position = end;
    __syncthreads();  // the totals have been read
  }
  if ((position >> k & 1) != 0) {
    A const total = digits[k];
    carry[k] = total;
  }
  if (k != 0 || position == 0) return;
  unsigned digit = highest_digit(position);
  A all = digits[digit];
  while (digit-- > 0) {
    if ((position >> digit & 1) == 0) continue;
    A const total = digits[digit];
    all = op(all, total);
  }
  prefix[0] = all;
}

}  // namespace upsweep::device
