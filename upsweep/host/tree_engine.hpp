/// The scan of a tile by recursion over the nodes of the combine tree.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/blocks.hpp>

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
  A ascend(std::size_t position, std::size_t i, int k) {
    if (k == 0) return scan_.in(position);
    if (k == leaf) return ascend_leaf<leaf, 0>(elements_from(scan_.in, position), &node_[i]);
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = ascend(position, i, k - 1);
    node_[i + half - 1].construct(left);
    return op_(left, ascend(position + half, i + half, k - 1));
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
    if (k == 0) {
      if constexpr (kind == scan_kind::inclusive)
        scan_.emit(0, after);
      else
        scan_.out(std::size_t{0}, *scan_.first);
      return;
    }
    std::size_t const half = std::size_t{1} << (k - 1);
    A const& left = node_[half - 1].value();
    descend_first(k - 1, left);
    descend(0, half, k - 1, left, after);
  }

  void descend(std::size_t position, std::size_t i, int k, A const& before, A const& after) {
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

  static constexpr int leaf = 4;

  Scan const& scan_;
  Op const& op_;
  detail::uninitialized_array<A> node_;
};

}  // namespace upsweep::host
