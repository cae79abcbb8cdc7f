/// The scan of a tile whose accumulators are large, or not trivial to copy, move or destroy:
/// strings, matrices, sets.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::host {

/// Any operator, by loops over nodes on the heap. Without recursion the stack holds a few
/// accumulators at a time, and nodes are moved rather than copied. The layout is that of the
/// textbook's in-place algorithm: after up(), node[i] is the total of the 2^z elements that end at
/// element i, where z is the number of trailing zeros of i + 1; down() replaces it by the prefix of
/// i + 1 elements.
template <scan_kind kind, class Scan>
class object_engine {
 public:
  using A = typename Scan::accumulator;

  explicit object_engine(Scan const& scan) : scan_(scan), op_(scan.op), node_(scan.nodes) {}

  /// The total of the block; keeps the nodes for down().
  A up(std::size_t position, int k) {
    node_.clear();
    for (std::size_t i = 0, last = (std::size_t{1} << k) - 1;; ++i) {
      std::optional<A> total(std::in_place, scan_.in(position + i));
      for (std::size_t size = 1; i & size; size *= 2)
        total.emplace(op_(node_[i - size], std::as_const(*total)));
      if (i == last) return *std::move(total);
      node_.push(*std::move(total));
    }
  }

  /// Emits the results of the block of the last up(), where `before` is the prefix before it
  /// (null at position 0) and `after` the prefix at its end.
  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const last = (std::size_t{1} << k) - 1;
    A const* exclusive = before;
    for (std::size_t i = 0; i <= last; ++i) {
      if constexpr (kind == scan_kind::exclusive) {
        if (exclusive)
          scan_.emit(position + i, *exclusive);
        else
          scan_.out(position + i, *scan_.first);
      }
      if (i < last) {
        std::size_t const begin = i & (i + 1);  // of node i
        if (A const* const earlier = begin == 0 ? before : &node_[begin - 1])
          node_.replace(i, op_(*earlier, node_[i]));
        exclusive = &node_[i];
      }
      if constexpr (kind == scan_kind::inclusive)
        scan_.emit(position + i, i < last ? node_[i] : after);
    }
  }

 private:
  Scan const& scan_;
  typename Scan::operation const& op_;
  detail::value_stack<A> node_;
};

}  // namespace upsweep::host
