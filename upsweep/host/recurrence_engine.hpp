/// Recurrences by the vector kernels: the total of a block, and the scan of a tile.
#pragma once

#include <upsweep/core/call_memory.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/tiles.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::host {

/// True when the elements are numbers in plain memory times a weight.
template <class Source>
inline constexpr bool is_weighted = false;
template <class It, class T, class Op>
inline constexpr bool is_weighted<source<It, weighted<T>, Op, false>> =
    std::contiguous_iterator<It>;

/// Whether the engine below may scan n elements, and is worth its memory: a few take the tree.
template <class Op>
bool is_worth_blocks(Op const& op, std::size_t n) {
  return n >= 16 && recurrence_has_blocks(op);
}

/// A tile is scanned block by block. The elements of any source are converted to an array in L1,
/// unless they are plain memory of the operator's numbers; so are results. The states between
/// blocks are combined by the operator. Needs is_worth_blocks().
template <scan_kind kind, class Scan>
class recurrence_engine {
 public:
  using A = typename Scan::accumulator;

  explicit recurrence_engine(Scan const& scan)
      : scan_(scan),
        blocks_(scan.nodes <= size ? 1 : scan.nodes / size),
        memory_(sizeof(T) * (order * blocks_ + 2) * size),
        x_(reinterpret_cast<T*>(memory_.first())),
        results_(x_ + size),
        node_(results_ + size),
        total_(blocks_),
        prefix_(blocks_) {}

  A up(std::size_t position, int k) {
    std::size_t const n = std::size_t{1} << k;
    if (n < simd::least_recurrence_block) return total_in_order(scan_.in, position, k, scan_.op);
    std::size_t const count = n <= size ? 1 : n / size;
    for (std::size_t b = 0; b < count; ++b)
      total_[b].construct(up_block(position + b * size, detail::at_most(n, size), b));
    // The total of each node replaces that of its last block.
    for (std::size_t s = 1; s < count; s *= 2)
      for (std::size_t b = 2 * s - 1; b < count; b += 2 * s)
        total_[b].value() = scan_.op(total_[b - s].value(), total_[b].value());
    return total_[count - 1].value();
  }

  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    if (n < simd::least_recurrence_block) {
      (void)up_block(position, n, 0);
      down_block(position, n, 0, before, after, &after);
      return;
    }
    std::size_t const count = n <= size ? 1 : n / size;
    A const* block_before = before;
    for (std::size_t b = 0; b < count; ++b) {
      std::size_t const s = (b + 1) & -(b + 1);
      A const* const left = s == b + 1 ? before : &prefix_[b - s].value();
      A const block_after = b + 1 == count ? after
                            : left         ? scan_.op(*left, total_[b].value())
                                           : total_[b].value();
      down_block(position + b * size, detail::at_most(n, size), b, block_before, block_after);
      prefix_[b].construct(block_after);
      block_before = &prefix_[b].value();
    }
  }

  /// The whole range on this thread, whose elements are read once.
  void run(std::size_t, std::size_t n, A const* before)
    requires std::is_void_v<detail::scan_total_t<typename Scan::sink, A>>
  {
    // By j: the total of the last block of 2^j blocks that begins a larger one, and the prefix at
    // the last odd multiple of 2^j blocks.
    A total[levels], prefix[levels];
    A const* block_before = before;
    std::size_t b = 0;
    for (; n - b * size >= size; ++b) {
      A block = up_block(b * size, size, 0);
      std::size_t j = 0;
      for (; (b >> j & 1) != 0; ++j) block = scan_.op(total[j], block);
      total[j] = block;
      std::size_t const left = b & ~((std::size_t{1} << j) - 1);
      A const* const earlier = left == 0 ? before : &prefix[std::countr_zero(left)];
      if (earlier) block = scan_.op(*earlier, block);
      down_block(b * size, size, 0, block_before, block);
      prefix[j] = block;
      block_before = &prefix[j];
    }
    if (std::size_t const rest = n - b * size; rest != 0) {
      A const block = up_block(b * size, rest, 0);
      down_block(b * size, rest, 0, block_before,
                 block_before ? scan_.op(*block_before, block) : block);
    }
  }

 private:
  using Op = typename Scan::operation;
  using T = typename recurrence_numbers<Op>::type;
  static constexpr std::size_t order = recurrence_numbers<Op>::order, size = simd::recurrence_block;
  static constexpr std::size_t levels = 64 - detail::floor_log2(size);

  /// What the kernels see: at least their least block, a power of two.
  [[nodiscard]] simd::recurrence_nodes<T> nodes(std::size_t n, std::size_t b) const {
    std::size_t const least = simd::least_recurrence_block;
    return {scan_.op.powers(), n < least ? least : std::bit_ceil(n), node_ + b * order * size};
  }

  /// Block b of the tile, of n elements; zeros fill it up to a power of two.
  A up_block(std::size_t position, std::size_t n, std::size_t b) {
    auto block = nodes(n, b);
    T const* x = x_;
    if (n == block.n) {
      if constexpr (is_memory_of<typename Scan::source, T>) {
        x = scan_.in.pointer(position);
      } else if constexpr (is_weighted<typename Scan::source>) {
        auto const& f = scan_.in.function();
        T const* const first = std::to_address(scan_.in.first()) + (position - scan_.in.base());
        if (first != f.as_is) {
          x = first;
          block.weight = f.weight;
        }
      }
    }
    if (x == x_) {
      fill_numbers(x_, scan_.in, position, n);
      for (std::size_t i = n; i < block.n; ++i) x_[i] = 0;
    }
    A state{.y = {}, .length = block.n};
    kernel_.up(block, x, state.y);
    return state;
  }

  /// The results of the same block. `after` is the prefix at the end of what fills it up; `last` is
  /// that at the end of its n elements, if they complete a larger node of the tree.
  void down_block(std::size_t position, std::size_t n, std::size_t b, A const* before,
                  A const& after, A const* last = nullptr) {
    auto const block = nodes(n, b);
    T* to = results_;
    if constexpr (stores_numbers)
      if (n == block.n && !scan_.streamed) to = scan_.out.pointer(position);
    constexpr bool exclusive = kind == scan_kind::exclusive;
    kernel_.down(block, exclusive, before ? before->y : nullptr, after.y, to);
    if (!exclusive && last) to[n - 1] = last->y[0];
    if (exclusive && !before) to[0] = scan_.op.finish(*scan_.first);
    if (to == results_) store(position, n);
  }

  void store(std::size_t position, std::size_t n) {
    if constexpr (stores_numbers)
      if (scan_.streamed) return streaming_.copy(results_, scan_.out.pointer(position), n);
    by_64(n, [&](std::size_t i) {
      return [&out = scan_.out, at = position + i, from = results_ + i](int j) {
        out.store(at + static_cast<std::size_t>(j), from[j]);
      };
    });
  }

  static constexpr bool stores_numbers = is_memory_of<typename Scan::sink, T>;

  Scan const& scan_;
  simd::recurrence_kernel<T> const kernel_ = simd::recurrence_kernel_of<T>(order);
  std::size_t const blocks_;
  detail::aligned_memory<> const memory_;
  T* const x_;
  T* const results_;
  T* const node_;
  detail::uninitialized_array<A> total_, prefix_;
  streaming_stores const streaming_{scan_.streamed};
};

}  // namespace upsweep::host
