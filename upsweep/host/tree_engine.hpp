/// The scan of a tile by recursion over the nodes of the combine tree.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/rows.hpp>
#include <upsweep/host/streaming.hpp>

#include <cstddef>

namespace upsweep::host {

/// Any operator over accumulators that are small and trivially copyable. The up-sweep keeps the
/// left child of every inner node in the layout of the textbook's in-place algorithm: node[i] is
/// the total of the 2^z elements that end at element i, where z is the number of trailing zeros of
/// i + 1. The down-sweep applies the operator once for each of them.
template <scan_kind kind, class Scan>
class tree_engine {
 public:
  using A = typename Scan::accumulator;
  using Op = typename Scan::operation;

  explicit tree_engine(Scan const& scan) : scan_(scan), op_(scan.op), node_(scan.nodes) {}

  /// The total of the block; keeps the left children for down().
  A up(std::size_t position, int k) { return ascend(position, 0, k); }

  /// Emits the results of the block of the last up(), where `before` is the prefix in front of it
  /// (null at position 0) and `after` the prefix at its end.
  void down(std::size_t position, int k, A const* before, A const& after) {
    if (before)
      descend(position, 0, k, *before, after);
    else
      descend_first(k, after);
  }

 private:
  using block = row_block<A, Op>;
  using word = typename block::word;
  static constexpr std::size_t block_size = std::size_t{1} << block::log2;

  /// Where the block by rows whose nodes begin at node_[i] has its columns.
  word* column_at(std::size_t i) { return reinterpret_cast<word*>(&node_[i]); }

  /// The total of the `half` elements whose nodes begin at node_[i]. Where they lie in blocks by
  /// rows it is at the end of the last of these.
  void keep(std::size_t i, std::size_t half, A const& total) {
    if constexpr (block::fits)
      if (by_rows_ && half >= block_size)
        return block::set_last(column_at(i + half - block_size), total);
    node_[i + half - 1].construct(total);
  }
  A kept(std::size_t i, std::size_t half) {
    if constexpr (block::fits)
      if (by_rows_ && half >= block_size) return block::last(column_at(i + half - block_size));
    return node_[i + half - 1].value();
  }

  A ascend(std::size_t position, std::size_t i, int k) {
    if constexpr (block::fits)
      if (k == block::log2 && by_rows_) return ascend_rows(position, column_at(i));
    return ascend_nodes(position, i, k);
  }
  A ascend_nodes(std::size_t position, std::size_t i, int k) {
    if (k == 0) return scan_.in(position);
    if (k == leaf) return ascend_leaf<leaf, 0>(elements_from(scan_.in, position), &node_[i]);
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = ascend(position, i, k - 1);
    keep(i, half, left);
    return op_(left, ascend(position + half, i + half, k - 1));
  }

  /// ascend for a block by rows. If anything throws, the block is combined once more in input
  /// order, so that the first exception in that order leaves.
  A ascend_rows(std::size_t position, word* column) {
    using Source = typename Scan::source;
    try {
      if constexpr (is_memory_of<Source, A> && !detail::has_lift<Op, A const&>) {
        block::load(scan_.in.pointer(position), column);
      } else {
        alignas(64) word row[block::words_in_block];
        fill(reinterpret_cast<A*>(row), scan_.in, position, block_size);
        block::load(row, column);
      }
      return block::up(column, op_);
    } catch (...) {
      (void)total_in_order(scan_.in, position, block::log2, op_);
      throw;
    }
  }

  /// ascend, completely unrolled.
  template <int K, int i, class Elements>
  [[gnu::always_inline]] A ascend_leaf(Elements const& x, detail::uninitialized<A>* node) {
    if constexpr (K == 0) {
      return x(i);
    } else {
      constexpr int half = 1 << (K - 1);
      A const left = ascend_leaf<K - 1, i>(x, node);
      node[i + half - 1].construct(left);
      return op_(left, ascend_leaf<K - 1, i + half>(x, node));
    }
  }

  /// The block at position 0, which has no prefix.
  void descend_first(int k, A const& after) {
    if constexpr (block::fits)
      if (k == block::log2 && by_rows_) return descend_rows(0, 0, nullptr, after);
    descend_first_node(k, after);
  }
  void descend_first_node(int k, A const& after) {
    if (k == 0) {
      if constexpr (kind == scan_kind::inclusive)
        scan_.emit(0, after);
      else
        scan_.out(std::size_t{0}, *scan_.first);
      return;
    }
    if (k == leaf && !scan_.initial)
      return descend_first_leaf<leaf>(&node_[0], after, results_from(scan_.out, 0));
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = kept(0, half);
    descend_first(k - 1, left);
    descend(0, half, k - 1, left, after);
  }

  void descend(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
    if constexpr (block::fits)
      if (k == block::log2 && by_rows_) return descend_rows(position, i, &before, after);
    descend_nodes(position, i, k, before, after);
  }
  void descend_nodes(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
    if (k == 0) {
      scan_.emit(position + i, kind == scan_kind::inclusive ? after : before);
    } else if (k != leaf) {
      std::size_t const half = std::size_t{1} << (k - 1);
      A const middle = op_(before, kept(i, half));
      descend(position, i, k - 1, before, middle);
      descend(position, i + half, k - 1, middle, after);
    } else if (scan_.initial) {
      descend_leaf<leaf, 0>(&node_[i], before, after,
                            [w = results_from(scan_.out, position + i), this](
                                int j, A const& prefix) { w(j, op_(*scan_.initial, prefix)); });
    } else {
      descend_leaf<leaf, 0>(&node_[i], before, after, results_from(scan_.out, position + i));
    }
  }

  /// descend for the block by rows whose nodes begin at node_[i]; `before` is null at position 0.
  void descend_rows(std::size_t position, std::size_t i, A const* before, A const& after) {
    alignas(64) word in_front[block::words * block_rows];
    word* const column = column_at(i);
    try {
      block::down(column, in_front, before, after, op_);
    } catch (...) {
      (void)ascend_nodes(position + i, i, block::log2);
      if (before)
        descend_nodes(position, i, block::log2, *before, after);
      else
        descend_first_node(block::log2, after);
      throw;
    }
    bool const is_first = kind == scan_kind::exclusive && !before;
    if constexpr (copies)
      if (!scan_.initial && !scan_.streamed) {
        A* const to = scan_.out.pointer(position + i);
        store_rows(in_front, column, to);
        if (is_first) to[0] = *scan_.first;
        return;
      }
    alignas(64) word words[block::words_in_block];
    store_rows(in_front, column, words);
    A* const row = reinterpret_cast<A*>(words);
    if (scan_.initial)
      by_64(block_size, [&](std::size_t j) {
        return [to = row + j, this](int r) { to[r] = op_(*scan_.initial, to[r]); };
      });
    if (is_first) row[0] = *scan_.first;
    if constexpr (copies)
      if (scan_.streamed) return streaming_.copy(row, scan_.out.pointer(position + i), block_size);
    by_64(block_size, [&](std::size_t j) {
      return [out = results_from(scan_.out, position + i + j), from = row + j](int r) {
        out(r, from[r]);
      };
    });
  }
  static void store_rows(word const* in_front, word const* column, void* row) {
    if constexpr (kind == scan_kind::inclusive)
      block::store_inclusive(column, row);
    else
      block::store_exclusive(in_front, column, row);
  }

  /// descend, completely unrolled.
  template <int K, int i, class Out>
  [[gnu::always_inline]] void descend_leaf(detail::uninitialized<A> const* node, A const& before,
                                           A const& after, Out const& out) {
    if constexpr (K == 0) {
      out(i, kind == scan_kind::inclusive ? after : before);
    } else {
      constexpr int half = 1 << (K - 1);
      A const middle = op_(before, node[i + half - 1].value());
      descend_leaf<K - 1, i>(node, before, middle, out);
      descend_leaf<K - 1, i + half>(node, middle, after, out);
    }
  }

  template <int K, class Out>
  [[gnu::always_inline]] void descend_first_leaf(detail::uninitialized<A> const* node,
                                                 A const& after, Out const& out) {
    if constexpr (K == 0) {
      out(0, kind == scan_kind::inclusive ? after : *scan_.first);
    } else {
      constexpr int half = 1 << (K - 1);
      A const left = node[half - 1].value();
      descend_first_leaf<K - 1>(node, left, out);
      descend_leaf<K - 1, half>(node, left, after, out);
    }
  }

  static constexpr bool copies = stores_copies<typename Scan::sink, A, Op>;
  static constexpr int leaf = 4;

  Scan const& scan_;
  Op const& op_;
  detail::uninitialized_array<A> node_;
  bool const by_rows_ = block::pays();
  streaming_stores const streaming_{scan_.streamed};
};

}  // namespace upsweep::host
