/// Reduction on the processor: the total of an aligned block, by the fastest way its operator
/// allows, and the tiles that threads share.
#pragma once

#include <upsweep/cpu/compiled.hpp>
#include <upsweep/cpu/simd/kernels.hpp>
#include <upsweep/cpu/tiles.hpp>
#include <upsweep/executor.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep {

/// True for exact operators that fold an element into a large accumulator in place: there a left
/// fold replaces the tree.
template <class Source>
inline constexpr bool folds = is_exact<typename Source::operation, typename Source::accumulator> &&
                              has_absorb<typename Source::operation, typename Source::accumulator,
                                         typename Source::transformed>;

/// The total of the 2^K elements x(first), x(first + 1), ..., completely unrolled.
template <int K, int first = 0, class Elements, class Op>
[[gnu::always_inline]] inline auto small_block(Elements const& x, Op const& op) {
  if constexpr (K == 0) {
    return x(first);
  } else {
    auto earlier = small_block<K - 1, first>(
        x, op);  // before the later half: the first exception in input order is the one that leaves
    auto later = small_block<K - 1, first + (1 << (K - 1))>(x, op);
    return static_cast<decltype(earlier)>(op(std::as_const(earlier), std::as_const(later)));
  }
}

/// Accumulators above this size are combined on the heap, because a recursion would hold dozens of
/// them on the stack.
template <class A>
inline constexpr bool large_accumulator = sizeof(A) > 256;

/// The total of the aligned block of 2^k elements at `position`, by a binary counter: the stack
/// holds one total for each binary digit of the number of elements so far.
template <class Source, class Op>
typename Source::accumulator large_block_total(Source const& in, std::size_t position, int k,
                                               Op const& op) {
  using A = typename Source::accumulator;
  value_stack<A> totals(static_cast<std::size_t>(k) + 1);
  for (std::size_t i = 0; i < std::size_t{1} << k; ++i) {
    std::optional<A> total(std::in_place, in(position + i));
    for (std::size_t digits = i; digits & 1u; digits >>= 1) {
      total.emplace(op(totals.top(), std::as_const(*total)));
      totals.pop();
    }
    totals.push(*std::move(total));
  }
  return totals.top();
}

/// The total of the aligned block of 2^k elements at `position`.
template <class Source, class Op>
typename Source::accumulator block_total(Source const& in, std::size_t position, int k,
                                         Op const& op,
                                         [[maybe_unused]] mode m = mode::reproducible) {
  if constexpr (compiled::reduces<Source>) {
    return simd::reduce<Op>(in.pointer(position), std::size_t{1} << k, m);
  } else if constexpr (folds<Source>) {
    auto total = in(position);
    in.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  } else if constexpr (large_accumulator<typename Source::accumulator>) {
    return large_block_total(in, position, k, op);
  } else {
    switch (k) {
      case 0:
        return small_block<0>(in.from(position), op);
      case 1:
        return small_block<1>(in.from(position), op);
      case 2:
        return small_block<2>(in.from(position), op);
      case 3:
        return small_block<3>(in.from(position), op);
      case 4:
        return small_block<4>(in.from(position), op);
      default:
        break;
    }
    std::size_t const half = std::size_t{1} << (k - 1);
    auto const earlier = block_total(in, position, k - 1, op);
    return op(earlier, block_total(in, position + half, k - 1, op));
  }
}

/// log2 of a tile's elements, such that each thread gets at least four tiles, and at most
/// `largest`.
[[nodiscard]] inline int tile_log2(std::size_t n, int threads, int largest) {
  std::size_t const share = n / (4 * static_cast<std::size_t>(threads));
  return share == 0 ? 0 : floor_log2(share) < largest ? floor_log2(share) : largest;
}

/// log2 of the elements of a reduction's tile: 2 MiB of them. Each new tile starts the hardware
/// prefetcher afresh: tiles of 256 KiB reached 0.8 of the read limit, 1 MiB 0.95, 2 MiB all of it
/// (docs/design/0002-cpu.md).
template <class Source>
inline constexpr int reduce_tile =
    floor_log2((std::size_t{1} << 21) / at_most(sizeof(typename Source::element), 64));

/// Fewer elements than this are reduced by the calling thread alone: waking others would take
/// longer (docs/design/0002-cpu.md). 1 MiB for the vector kernels; operators that we do not know
/// get a number of elements.
template <class Source>
inline constexpr std::size_t parallel_cutoff =
    compiled::reduces<Source> ? (std::size_t{1} << 20) / sizeof(typename Source::element)
                              : std::size_t{1} << 14;

/// Pushes the elements [left.position(), end) to `left`, on exactly `threads` threads.
template <class Source, class Op>
void reduce_into(Source const& in, std::size_t end, Op const& op, int threads,
                 carry<typename Source::accumulator>& left, mode m = mode::reproducible) {
  using A = typename Source::accumulator;
  std::size_t const n = end - left.position();
  block_sequence const blocks(left.position(), end,
                              threads > 1 ? tile_log2(n, threads, reduce_tile<Source>) : 62);
  if (threads <= 1) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      left.push(blocks[b].k, block_total(in, blocks[b].position, blocks[b].k, op, m), op);
    return;
  }
  tile_board<A> board(blocks.size());
  auto work = [&](int) {
    while (auto const b = board.take()) {
      try {
        board.publish(*b, block_total(in, blocks[*b].position, blocks[*b].k, op, m));
      } catch (...) {
        board.fail(*b);
      }
    }
  };
  threads::run(threads, work);
  board.rethrow();
  for (std::size_t b = 0; b < blocks.size(); ++b) left.push(blocks[b].k, *board.total(b), op);
}

/// prefix(n) on the calling thread.
template <class Source, class Op>
typename Source::accumulator reduce_serially(Source const& in, std::size_t n, Op const& op,
                                             [[maybe_unused]] mode m) {
  if constexpr (compiled::reduces<Source>) {
    return simd::reduce<Op>(in.pointer(0), n, m);
  } else if constexpr (folds<Source>) {
    auto total = in(0);
    in.absorb_into(total, 1, n);
    return total;
  } else {
    std::size_t position = std::bit_floor(n);
    std::optional<typename Source::accumulator> total(std::in_place,
                                                      block_total(in, 0, floor_log2(n), op));
    while (position < n) {
      int const k = aligned_block(position, n);
      total.emplace(op(std::as_const(*total), block_total(in, position, k, op)));
      position += std::size_t{1} << k;
    }
    return *std::move(total);
  }
}

/// prefix(n) on up to `threads` threads (0: all available).
template <class Source, class Op>
typename Source::accumulator reduce_on(Source const& in, std::size_t n, Op const& op, int threads,
                                       mode m) {
  int const count = threads::team_size(n, parallel_cutoff<Source>, threads);
  if (count <= 1) return reduce_serially(in, n, op, m);
  carry<typename Source::accumulator> left;
  reduce_into(in, n, op, count, left, m);
  return *left.prefix();
}

/// Pushes a chunk of n elements to `left`, on up to `threads` threads (0: all available).
template <class Source, class Op>
void reduce_chunk_on(Source const& in, std::size_t n, Op const& op, int threads,
                     carry<typename Source::accumulator>& left) {
  reduce_into(in, left.position() + n, op, threads::team_size(n, parallel_cutoff<Source>, threads),
              left);
}

}  // namespace upsweep
