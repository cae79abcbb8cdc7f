/// The scan of a tile by recursion over the nodes of the combine tree.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/scan_levels.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

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

  explicit tree_engine(Scan const& scan)
      : scan_(scan), op_(scan.op), room_(scan.nodes + line), node_(first_of_line(&room_[0])) {}

  /// The total of the block; keeps the left children, from node_[i] on, for down().
  A up(std::size_t position, int k, std::size_t i = 0) {
    return k < least ? ascend_nodes(position, i, k) : ascend_levels(position, i, k);
  }

  /// Emits the results of the block of the last up(), where `before` is the prefix before it
  /// (null at position 0) and `after` the prefix at its end.
  void down(std::size_t position, int k, A const* before, A const& after) {
    descend(position, 0, k, before, after);
  }

 private:
  using large = scan_levels<A, Op>;
  using small = scan_levels<A, Op, true>;
  static constexpr bool has_small = std::is_arithmetic_v<A>;  // structures compile for longer
  static constexpr bool may_use_registers = fits_registers<A>;
  /// log2 of the blocks by levels.
  static constexpr int least = has_small ? small::log2 : large::log2;
  static bool is_in_registers(int k) {
    if constexpr (may_use_registers) return fits_scan_registers<A>(k);
    return false;
  }

  [[gnu::noinline]] A ascend_levels(std::size_t position, std::size_t i, int k) {
    try {
      if constexpr (may_use_registers)
        if (is_in_registers(k))
          return up_in_registers(block_elements<typename Scan::source>(scan_.in, position), left(i),
                                 k, op_);
      if constexpr (large::fits) {
        if (k == large::log2) return ascend_by<large>(position, i);
        if constexpr (has_small)
          if (k == small::log2) return ascend_by<small>(position, i);
      }
    } catch (...) {
      (void)total_in_order(scan_.in, position, k,
                           op_);  // throws the first exception in input order
      throw;
    }
    return ascend_nodes(position, i, k);
  }
  A ascend_nodes(std::size_t position, std::size_t i, int k) {
    if (k == 0) return scan_.in(position);
    if (k == leaf) return ascend_leaf<leaf>(elements_from(scan_.in, position), &node_[i]);
    std::size_t const half = std::size_t{1} << (k - 1);
    A const left = up(position, k - 1, i);
    node_[i + half - 1].construct(left);
    return op_(left, up(position + half, k - 1, i + half));
  }
  /// Where a block keeps its left children.
  A* left(std::size_t i) { return reinterpret_cast<A*>(&node_[i]); }

  /// up() of a block of 2^Levels::log2, through arrays.
  template <class Levels>
  A ascend_by(std::size_t position, std::size_t i) {
    using Source = typename Scan::source;
    if constexpr (is_memory_of<Source, A> && !detail::has_lift<Op, A const&>) {
      return Levels::up(scan_.in.pointer(position), left(i), op_);
    } else {
      buffer elements;
      fill(elements.first(), scan_.in, position, std::size_t{1} << Levels::log2);
      return Levels::up(elements.first(), left(i), op_);
    }
  }
  /// The elements or results of a block.
  struct buffer {
    alignas(64) typename large::word word[large::words_in_block];
    A* first() { return reinterpret_cast<A*>(word); }
  };

  /// up(), completely unrolled.
  template <int K, class Elements>
  UPSWEEP_INLINED A ascend_leaf(Elements const& x, detail::uninitialized<A>* node, int i = 0) {
    if constexpr (K == 0) {
      return x(i);
    } else {
      constexpr int half = 1 << (K - 1);
      A const left = ascend_leaf<K - 1>(x, node, i);
      node[i + half - 1].construct(left);
      return op_(left, ascend_leaf<K - 1>(x, node, i + half));
    }
  }

  /// down() of the block whose nodes begin at node_[i].
  void descend(std::size_t position, std::size_t i, int k, A const* before, A const& after) {
    if (k < least || !descend_levels(position, i, k, before, after))
      descend_nodes(position, i, k, before, after);
  }
  /// Not inlined: copies in the recursion would make a user's file a fifth larger.
  [[gnu::noinline]] void descend_nodes(std::size_t position, std::size_t i, int k, A const* before,
                                       A const& after) {
    if (k == leaf && before) return descend_leaf(position, i, *before, after);
    if (k == leaf && !scan_.initial)
      return descend_leaf<leaf, false>(&node_[i], after, after,
                                       results_from(scan_.out, position + i));
    if (k == 0) {
      if constexpr (kind == scan_kind::inclusive)
        scan_.emit(position + i, after);
      else if (before)
        scan_.emit(position + i, *before);
      else
        scan_.out(position + i, *scan_.first);
      return;
    }
    std::size_t const half = std::size_t{1} << (k - 1);
    A const& left = node_[i + half - 1].value();
    A const middle = before ? static_cast<A>(op_(*before, left)) : left;
    descend(position, i, k - 1, before, middle);
    descend(position, i + half, k - 1, &middle, after);
  }
  /// Not inlined, so that it saves no registers of the recursion.
  [[gnu::noinline]] void descend_leaf(std::size_t position, std::size_t i, A const& before,
                                      A const& after) {
    auto const out = results_from(scan_.out, position + i);
    if (scan_.initial)
      descend_leaf<leaf>(&node_[i], before, after, [&out, this](int j, A const& prefix) {
        out(j, op_(*scan_.initial, prefix));
      });
    else
      descend_leaf<leaf>(&node_[i], before, after, out);
  }

  /// descend(), if the block is one by levels.
  [[gnu::noinline]] bool descend_levels(std::size_t position, std::size_t i, int k, A const* before,
                                        A const& after) {
    bool const in_registers = is_in_registers(k);
    if constexpr (!large::fits) {
      return false;
    } else if (!in_registers && k != large::log2 && !(has_small && k == small::log2)) {
      return false;
    } else {
      buffer results;
      std::size_t const size = std::size_t{1} << k;
      A *const from = results.first(), *to = from;
      if constexpr (copies)
        if (A* const out = scan_.out.pointer(position + i);
            !scan_.initial && !scan_.streamed &&
            !(in_registers && may_overwrite(position + i, size, out)))
          to = out;
      try {
        if constexpr (may_use_registers)
          if (in_registers) down_in_registers<kind>(left(i), before, after, to, op_, k);
        if (!in_registers && k == large::log2)
          large::template down<kind>(left(i), before, after, to, op_);
        if constexpr (has_small)
          if (!in_registers && k == small::log2)
            small::template down<kind>(left(i), before, after, to, op_);
      } catch (...) {  // the first exception in input order leaves
        (void)ascend_nodes(position + i, i, k);
        descend_nodes(position, i, k, before, after);
        throw;
      }
      if (scan_.initial)
        by_64(size, [&](std::size_t j) {
          return [to = from + j, this](int r) { to[r] = op_(*scan_.initial, to[r]); };
        });
      if (kind == scan_kind::exclusive && !before) to[0] = *scan_.first;
      if (to == from) store(position + i, size, from);
      return true;
    }
  }
  void store(std::size_t position, std::size_t size, A const* from) {
    if constexpr (copies) {
      A* const out = scan_.out.pointer(position);
      if (scan_.streamed)
        streaming_.copy(from, out, size);
      else
        __builtin_memcpy(out, from, size * sizeof(A));
    } else {
      by_64(size, [&](std::size_t j) {
        return [out = results_from(scan_.out, position + j), from = from + j](int r) {
          out(r, from[r]);
        };
      });
    }
  }
  /// Whether the results of a block from `to` on may lie on its elements, which are read again if
  /// the operator throws.
  bool may_overwrite(std::size_t position, std::size_t size, A const* to) {
    if constexpr (requires { requires Scan::source::plain; }) {
      auto const* const from = scan_.in.pointer(position);
      auto const address = [](auto const* p) { return reinterpret_cast<std::uintptr_t>(p); };
      return address(to) < address(from + size) && address(from) < address(to + size);
    }
    return true;
  }

  /// descend(), completely unrolled. Without a prefix before the block, `before` is not used.
  template <int K, bool has_before = true, class Out>
  UPSWEEP_INLINED void descend_leaf(detail::uninitialized<A> const* node, A const& before,
                                    A const& after, Out const& out, int i = 0) {
    if constexpr (K > 0) {
      constexpr int half = 1 << (K - 1);
      A const& left = node[i + half - 1].value();
      A const middle = has_before ? static_cast<A>(op_(before, left)) : left;
      descend_leaf<K - 1, has_before>(node, before, middle, out, i);
      descend_leaf<K - 1>(node, middle, after, out, i + half);
    } else if constexpr (kind == scan_kind::inclusive) {
      out(i, after);
    } else {
      out(i, has_before ? before : *scan_.first);
    }
  }

  static constexpr bool copies = stores_copies<typename Scan::sink, A, Op>;
  static constexpr int leaf = 4;

  Scan const& scan_;
  Op const& op_;
  /// The nodes of a block begin a cache line, if a line holds several.
  static constexpr std::size_t line = sizeof(A) <= 16 ? 64 / sizeof(A) : 0;
  static detail::uninitialized<A>* first_of_line(detail::uninitialized<A>* room) {
    if (line == 0) return room;
    return room + (64 - reinterpret_cast<std::uintptr_t>(room) % 64) / sizeof(A);
  }
  detail::uninitialized_array<A> room_;
  detail::uninitialized<A>* const node_;
  streaming_stores const streaming_{scan_.streamed};
};

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
