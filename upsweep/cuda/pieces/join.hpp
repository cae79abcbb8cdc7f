/// The carry after pieces that follow each other from element 0 on, from the totals of each.
/// 1 launch of one block · the bits of the combine tree
/// docs/design/0008-pieces.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/pieces/blocks.hpp>

#include <cstddef>

namespace upsweep::device {

/// Pieces whose totals are loaded at once, 64 threads for each: 16 KiB of shared memory at most.
template <class A>
inline constexpr unsigned pieces_at_once = sizeof(A) <= 16   ? 8
                                           : sizeof(A) <= 32 ? 4
                                                             : 2;
template <class A>
inline constexpr unsigned join_threads = 64 * pieces_at_once<A>;

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

/// Called by one thread: appends the blocks of a piece, whose totals are given.
template <class A, class Op>
__device__ void push_piece(boxed<A>* digits, std::size_t& position, piece_blocks const& blocks,
                           boxed<A> const* growing, boxed<A> const* shrinking, Op const& op) {
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

/// Where to tell that one of the pieces of `ranks` ranks is that of a failed one.
struct failure_report {
  unsigned ranks = 0;
  unsigned* to = nullptr;  ///< its rank plus 1
};

/// Stores the totals of the digits of the position after the `count` pieces in `carry`, and their
/// total in *prefix; unspecified values if one of them is that of a failed rank.
template <class A, class Op>
__global__ void __launch_bounds__(join_threads<A>, 1)
    join_pieces(piece_totals<A> const* pieces, unsigned count, A* carry, A* prefix, Op op,
                failure_report failed) {
  constexpr unsigned at_once = pieces_at_once<A>;
  __shared__ shared_values<A, 64 * at_once> growing;
  __shared__ shared_values<A, 64 * at_once> shrinking;
  __shared__ shared_values<A, 64> digits;
  __shared__ std::size_t borders[at_once + 1];  // of the pieces
  unsigned const k = threadIdx.x % 64, mine = threadIdx.x / 64;
  std::size_t position = 0;
  wait_for_earlier_work();
  for (unsigned r = threadIdx.x; r < failed.ranks; r += join_threads<A>)
    if (pieces[r].end < pieces[r].begin) failed.to[0] = r + 1;
  for (unsigned first = 0; first < count; first += at_once) {
    unsigned const here = count - first < at_once ? count - first : at_once;
    if (mine < here) {
      piece_totals<A> const* const piece = pieces + first + mine;
      std::size_t const begin = piece->begin, end = piece->end;
      piece_blocks const blocks(begin, end);
      if ((blocks.growing >> k & 1) != 0) {
        A const total = piece->growing[k];
        growing[threadIdx.x] = total;
      }
      if ((blocks.shrinking >> k & 1) != 0) {
        A const total = piece->shrinking[k];
        shrinking[threadIdx.x] = total;
      }
      if (k == 0 && mine == 0) borders[0] = begin;
      if (k == 0) borders[mine + 1] = end;
    }
    __syncthreads();  // the totals and borders of the pieces are there
    if (threadIdx.x == 0)
      for (unsigned p = 0; p < here; ++p)
        push_piece<A>(digits, position, piece_blocks(borders[p], borders[p + 1]), growing + 64 * p,
                      shrinking + 64 * p, op);
    position = borders[here];
    __syncthreads();  // they have been read, and the digits are there
  }
  if (threadIdx.x < 64 && (position >> k & 1) != 0) {
    A const total = digits[k];
    carry[k] = total;
  }
  if (threadIdx.x != 0 || position == 0) return;
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
