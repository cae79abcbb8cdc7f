/// The look-back of many lines at once, such as the columns of a row of tiles: the prefixes of each
/// line before and after a tile.
///
/// Tiles are the leaves of a tree of radix 8 along the line. A tile whose number ends in z octal
/// sevens completes a node of 8^z tiles, and publishes its total in the tile's slot; smaller nodes
/// that end there are read by no other tile. A tile reads up to seven nodes of each level that its
/// number has digits for, at once, so z levels take z waits. Progress: a tile waits only for tiles
/// with lower tickets, which wait only for lower ones.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

// The prefixes of a line of tiles that one thread passes in order.

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

/// The radix of the tree is 2^line_bits.
inline constexpr unsigned line_bits = 3;

/// The levels that look-backs along `tiles` tiles have.
[[nodiscard]] __host__ __device__ constexpr unsigned line_levels(std::size_t tiles) {
  unsigned levels = 0;
  for (std::size_t last = tiles > 0 ? tiles - 1 : 0; last > 0; last >>= line_bits) ++levels;
  return levels;
}

/// One line in one tile.
template <class A, class Op>
class line_lookback {
  static constexpr unsigned words = words_of<A>;

 public:
  /// Line `line` of `lines` in tile number `tile` of those along it. `blocks` has a value for each
  /// bit of the tile's number, `apart` from one another. Without `exists` there is no such line:
  /// nothing is read or published, and the prefixes are arbitrary.
  __device__ line_lookback(tile_totals<A> totals, std::size_t line, std::size_t lines, bool exists,
                           unsigned tile, boxed<A>* blocks, unsigned apart)
      : totals_(totals),
        line_(line),
        lines_(lines),
        exists_(exists),
        tile_(tile),
        blocks_(blocks),
        apart_(apart) {}

  /// Whether the tile is the last one of a node of several, which it publishes in finish().
  __device__ bool completes_node() const { return sevens() > 0; }

  /// Publishes the total of the line in this tile, if it is a node that others read.
  __device__ void publish(A const& own) const {
    if (!completes_node()) publish_node(own);
  }

  /// Waits for the nodes of the levels first, first + step, ... and stores the totals of the blocks
  /// of tiles that the binary digits of the tile's number represent. `any` is an element, to which
  /// the operator may be applied in vain.
  __device__ void gather(unsigned first, unsigned step, A const& any, Op const& op) const {
    auto const bits = bits_of_tile();
    for (unsigned level = first; line_bits * level < bits; level += step)
      gather_level(level, any, op);
  }

  /// The prefixes before and after the tile, when all levels have been gathered, and publishes the
  /// node that the tile completes. `own` is the total of the line in this tile.
  __device__ tile_prefixes<A, Op> finish(A const& own, Op const& op) const {
    A total = own;
    unsigned const node_bits = line_bits * sevens();
    unsigned bit = 0;
    for (; (tile_ >> bit & 1) != 0; ++bit) {
      total = static_cast<A>(op(block(bit), total));
      if (bit + 1 == node_bits) publish_node(total);
    }
    tile_prefixes<A, Op> result{{own, false}, {own, false}};
    for (unsigned b = bits_of_tile(); b-- > bit;)
      if ((tile_ >> b & 1) != 0) result.before.append(block(b), op);
    result.after = result.before;
    result.after.append(total, op);
    while (bit-- > 0) result.before.append(block(bit), op);
    return result;
  }

 private:
  /// How many binary digits the number of the tile has.
  [[nodiscard]] __device__ unsigned bits_of_tile() const {
    return tile_ == 0 ? 0 : static_cast<unsigned>(detail::floor_log2(tile_)) + 1;
  }
  /// How many octal sevens the tile's number ends in.
  __device__ unsigned sevens() const {
    unsigned count = 0;
    while ((tile_ >> (line_bits * count)) % 8 == 7) ++count;
    return count;
  }
  __device__ A block(unsigned bit) const {
    A const a = blocks_[bit * apart_];
    return a;
  }
  /// The totals of the line, where that of `tile` is the first.
  __device__ tile_totals<A> at(std::size_t tile) const {
    return {totals_.words + (tile * lines_ + line_) * words, totals_.epoch};
  }
  __device__ void publish_node(A const& total) const {
    if (exists_) at(tile_).publish(0, total);
  }

  /// The seven nodes are the four of the largest block, the two of the next, and the last.
  __device__ void gather_level(unsigned level, A const& any, Op const& op) const {
    constexpr unsigned nodes = 7;
    unsigned const shift = line_bits * level, digit = (tile_ >> shift) % 8;
    std::size_t const first = tile_ >> shift & ~7u;
    unsigned missing = (digit & 4 ? 0x0fu : 0) | (digit & 2 ? 0x30u : 0) | (digit & 1 ? 0x40u : 0);
    if (!exists_) missing = 0;
    typename tile_totals<A>::tagged_total found[nodes];
#pragma unroll
    for (unsigned i = 0; i < nodes; ++i) found[i] = totals_.tagged(any);
    while (missing != 0) {
      unsigned const wanted = missing;
#pragma unroll
      for (unsigned i = 0; i < nodes; ++i) {
        std::size_t const node = first + (i < 4 ? i : i < 6 ? (digit & 4) + i - 4 : digit & 6);
        at(((node + 1) << shift) - 1).look(0, wanted & 1u << i, found[i]);
      }
      missing = 0;
#pragma unroll
      for (unsigned i = 0; i < nodes; ++i)
        if (totals_.missing(found[i]) != 0) missing |= 1u << i;
      if (missing != 0) look_again();
    }
    A const four[] = {found[0].value(), found[1].value(), found[2].value(), found[3].value()};
    A const left = static_cast<A>(op(four[0], four[1])),
            right = static_cast<A>(op(four[2], four[3]));
    blocks_[(shift + 2) * apart_] = static_cast<A>(op(left, right));
    blocks_[(shift + 1) * apart_] = static_cast<A>(op(found[4].value(), found[5].value()));
    blocks_[shift * apart_] = found[6].value();
  }

  tile_totals<A> totals_;
  std::size_t line_, lines_;
  bool exists_;
  unsigned tile_;
  boxed<A>* blocks_;
  unsigned apart_;
};

}  // namespace upsweep::device
