/// The scan of a tile by recursion over the nodes of the combine tree.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/scan_levels.hpp>
#include <upsweep/host/streaming.hpp>

#include <cstddef>
#include <type_traits>

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
  using large = scan_levels<A, Op>;
  using small = scan_levels<A, Op, true>;
  static constexpr bool has_small = std::is_arithmetic_v<A>;  // structures compile for longer

  A ascend(std::size_t position, std::size_t i, int k) {
    if constexpr (large::fits) {
      if (k == large::log2) return ascend_block<large>(position, &node_[i]);
      if constexpr (has_small)
        if (k == small::log2) return ascend_block<small>(position, &node_[i]);
    }
    return ascend_nodes(position, i, k);
  }
  A ascend_nodes(std::size_t position, std::size_t i, int k) {
    if (k == 0) return scan_.in(position);
    if (k == leaf) return ascend_leaf<leaf, 0>(elements_from(scan_.in, position), &node_[i]);
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = ascend(position, i, k - 1);
    node_[i + half - 1].construct(left);
    return op_(left, ascend(position + half, i + half, k - 1));
  }

  /// ascend for a block by levels. If anything throws, the block is combined once more in input
  /// order, so that the first exception in that order leaves.
  template <class block>
  A ascend_block(std::size_t position, detail::uninitialized<A>* node) {
    using Source = typename Scan::source;
    A* const left = reinterpret_cast<A*>(node);
    try {
      if constexpr (is_memory_of<Source, A> && !detail::has_lift<Op, A const&>) {
        return block::up(scan_.in.pointer(position), left, op_);
      } else {
        buffer<block> elements;
        fill(elements.first(), scan_.in, position, elements.size);
        return block::up(elements.first(), left, op_);
      }
    } catch (...) {
      (void)total_in_order(scan_.in, position, block::log2, op_);
      throw;
    }
  }
  /// The elements or results of a block.
  template <class block>
  struct buffer {
    static constexpr std::size_t size = std::size_t{1} << block::log2;
    alignas(64) typename block::word word[block::words_in_block];
    A* first() { return reinterpret_cast<A*>(word); }
  };

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
    if constexpr (large::fits) {
      if (k == large::log2) return descend_block<large>(0, 0, nullptr, after);
      if constexpr (has_small)
        if (k == small::log2) return descend_block<small>(0, 0, nullptr, after);
    }
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
    A const left = node_[half - 1].value();
    descend_first(k - 1, left);
    descend(0, half, k - 1, left, after);
  }

  void descend(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
    if constexpr (large::fits) {
      if (k == large::log2) return descend_block<large>(position, i, &before, after);
      if constexpr (has_small)
        if (k == small::log2) return descend_block<small>(position, i, &before, after);
    }
    descend_nodes(position, i, k, before, after);
  }
  void descend_nodes(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
    if (k == 0) {
      scan_.emit(position + i, kind == scan_kind::inclusive ? after : before);
    } else if (k != leaf) {
      std::size_t const half = std::size_t{1} << (k - 1);
      A const middle = op_(before, node_[i + half - 1].value());
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

  /// descend for the block by levels whose nodes begin at node_[i]; `before` is null at position 0.
  template <class block>
  void descend_block(std::size_t position, std::size_t i, A const* before, A const& after) {
    bool const is_first = kind == scan_kind::exclusive && !before;
    if constexpr (copies)
      if (!scan_.initial && !scan_.streamed) {
        A* const to = scan_.out.pointer(position + i);
        descend_levels<block>(position, i, before, after, to);
        if (is_first) to[0] = *scan_.first;
        return;
      }
    buffer<block> results;
    constexpr std::size_t size = results.size;
    A* const from = results.first();
    descend_levels<block>(position, i, before, after, from);
    if (scan_.initial)
      by_64(size, [&](std::size_t j) {
        return [to = from + j, this](int r) { to[r] = op_(*scan_.initial, to[r]); };
      });
    if (is_first) from[0] = *scan_.first;
    if constexpr (copies)
      if (scan_.streamed) return streaming_.copy(from, scan_.out.pointer(position + i), size);
    by_64(size, [&](std::size_t j) {
      return [out = results_from(scan_.out, position + i + j), from = from + j](int r) {
        out(r, from[r]);
      };
    });
  }
  template <class block>
  void descend_levels(std::size_t position, std::size_t i, A const* before, A const& after, A* to) {
    try {
      block::template down<kind>(reinterpret_cast<A*>(&node_[i]), before, after, to, op_);
    } catch (...) {
      (void)ascend_nodes(position + i, i, block::log2);
      if (before)
        descend_nodes(position, i, block::log2, *before, after);
      else
        descend_first_node(block::log2, after);
      throw;
    }
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
  streaming_stores const streaming_{scan_.streamed};
};

}  // namespace upsweep::host
