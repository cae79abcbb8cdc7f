/// The combine tree that defines every result, as index arithmetic, and the carry that walks it from left to right.
///
///   block(0, j) = x[j]        block(k, j) = block(k-1, 2j) op block(k-1, 2j+1)        an aligned block of 2^k elements
///   prefix(m)   = left fold, largest block first, of the aligned blocks that [0, m) splits into (the binary digits of m)
///
/// docs/contracts.md states what follows from it; reference.hpp is the same in code, as plainly as possible.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace upsweep {

/// log2 of the largest aligned block that starts at `position` and ends at or before `end`. Requires position < end.
[[nodiscard]] constexpr int aligned_block(std::size_t position, std::size_t end) {
  int const fits = std::bit_width(end - position) - 1;
  if (position == 0) return fits;
  int const aligned = std::countr_zero(position);
  return aligned < fits ? aligned : fits;
}

/// The blocks to the left of a position: one total for each binary digit of that position. It is what a chunk of data needs to know
/// of everything before it, so it is handed from tile to tile, from chunk to chunk of a stream and from rank to rank.
///
/// `push(k, total)` appends the aligned block of 2^k elements that starts at `position()`, which must be a multiple of 2^k; it
/// applies the operator at most once for each carried digit and once for the new prefix, twice a block on average.
template <class A>
class carry {
 public:
  [[nodiscard]] std::size_t position() const { return position_; }

  /// prefix(position()), or nullptr at position 0.
  [[nodiscard]] A const* prefix() const { return prefix_ ? std::addressof(*prefix_) : nullptr; }

  template <class Op>
  void push(int k, A total, Op const& op) {
    position_ += std::size_t{1} << k;
    while (digit_[k].total) {
      total = op(std::as_const(*digit_[k].total), std::as_const(total));
      assign(prefix_, std::move(digit_[k].before));
      digit_[k].total.reset();
      digit_[k].before.reset();
      ++k;
    }
    digit& d = digit_[k];
    assign(d.before, std::move(prefix_));
    if (d.before)
      prefix_.emplace(op(std::as_const(*d.before), std::as_const(total)));
    else
      prefix_.emplace(total);
    d.total.emplace(std::move(total));
  }

 private:
  struct digit {
    std::optional<A> total;   // of this digit's block
    std::optional<A> before;  // the fold of all larger digits
  };

  static void assign(std::optional<A>& to, std::optional<A>&& from) {  // A may be movable but not assignable
    to.reset();
    if (from) to.emplace(std::move(*from));
    from.reset();
  }

  std::size_t position_ = 0;
  std::optional<A> prefix_;
  digit digit_[64];
};

}  // namespace upsweep
