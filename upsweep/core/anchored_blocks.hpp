/// The tree of anchored blocks, as index arithmetic: blocks of 256 elements in the combine tree,
/// joined by a loop from left to right (docs/spec/blocks.md). What goes on element by element keeps
/// one state and at most eight totals, whatever the number of elements before.
///
/// Of the m elements of a block, the result is that of m without its lowest set bit 2^k, joined
/// with the total of the aligned block of 2^k elements that ends there; of no elements, it is the
/// state before the block. The result of 256 elements is the state before the next block.
#pragma once

#include <upsweep/core/combine_tree.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::detail {

/// A block has 2^anchored_digits elements.
inline constexpr int anchored_digits = 8;
inline constexpr std::size_t anchored_size = std::size_t{1} << anchored_digits;

/// The digit of the result that the result of `m` elements, m <= 256, is computed from: the lowest
/// set bit of what remains of m without its own, or anchored_digits for the state.
[[nodiscard]] constexpr int digit_before(std::size_t m) {
  std::size_t const rest = m & (m - 1);
  return rest == 0 ? anchored_digits : trailing_zeros(rest);
}

/// Appends an element to a block of `m` < 256 elements: merge(k) joins the total of digit k on the
/// left of the new one, for all digits that overflow; join(k, before) stores the new total as that
/// of digit k, and the result of digit `before` joined with it as that of digit k.
template <class Merge, class Join>
constexpr void append_anchored(std::size_t m, Merge const& merge, Join const& join) {
  int k = 0;
  for (; (m >> k & 1u) != 0; ++k) merge(k);
  join(k, digit_before(m + 1));
}

/// Calls join(k, before) for each aggregate of a block of `m` elements, the largest first: results
/// follow from the state and the aggregates.
template <class Join>
constexpr void restore_anchored(std::size_t m, Join const& join) {
  int before = anchored_digits;
  for (int k = anchored_digits - 1; k >= 0; --k)
    if ((m >> k & 1u) != 0) {
      join(k, before);
      before = k;
    }
}

/// The state of a scan in the tree of anchored blocks, for any operator. Without `before`, nothing
/// is joined on the left of the first block.
template <class A>
class anchored_carry {
 public:
  anchored_carry() = default;
  explicit anchored_carry(A const* before) {
    if (before) result_[anchored_digits].emplace(*before);
  }

  [[nodiscard]] std::size_t position() const { return position_; }
  /// The result of all elements so far; null if there are none and no value before them.
  [[nodiscard]] A const* result() const {
    std::size_t const m = position_ % anchored_size;
    auto const& last = result_[m == 0 ? anchored_digits : trailing_zeros(m)];
    return last ? &*last : nullptr;
  }

  /// Appends an element and returns the result of all elements so far. If `op` or a copy throws,
  /// the carry is as it was; moves must not throw.
  template <class Op>
  A const& push(A element, Op const& op) {
    std::optional<A> total(std::move(element));
    std::size_t const m = position_ % anchored_size;
    int digit = 0;
    append_anchored(
        m, [&](int k) { total.emplace(A(op(std::as_const(*total_[k]), std::as_const(*total)))); },
        [&](int k, int before) {
          std::optional<A> const& left = result_[before];
          std::optional<A> next;
          if (left)
            next.emplace(A(op(*left, std::as_const(*total))));
          else
            next.emplace(*total);
          result_[k].emplace(*std::move(next));
          if (k < anchored_digits) total_[k].emplace(*std::move(total));
          digit = k;
        });
    ++position_;
    return *result_[digit];
  }

 private:
  std::size_t position_ = 0;
  std::optional<A> total_[anchored_digits];       // of the block of a digit
  std::optional<A> result_[anchored_digits + 1];  // at its end; the last is the state
};

}  // namespace upsweep::detail
