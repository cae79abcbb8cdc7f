/// The combine tree that defines every result, as index arithmetic, and the carry that walks it from left to right.
///
///   block(0, j) = x[j]        block(k, j) = block(k-1, 2j) op block(k-1, 2j+1)        an aligned block of 2^k elements
///   prefix(m)   = left fold, largest block first, of the aligned blocks that [0, m) splits into (the binary digits of m)
///
/// docs/contracts.md states what follows from it; reference.hpp is the same in code, as plainly as possible.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <bit>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace upsweep {

/// floor(log2(n)), n >= 1.
[[nodiscard]] constexpr int floor_log2(std::size_t n) {
  return static_cast<int>(std::bit_width(n)) - 1;
}

/// The smaller of two sizes; <algorithm> would cost every including file 0.2 s.
[[nodiscard]] constexpr std::size_t at_most(std::size_t n, std::size_t limit) {
  return n < limit ? n : limit;
}

/// log2 of the largest aligned block that starts at `position` and ends at or before `end`. Requires position < end.
[[nodiscard]] constexpr int aligned_block(std::size_t position, std::size_t end) {
  int const fits = floor_log2(end - position);
  int const aligned = std::countr_zero(position);  // 64 at position 0
  return aligned < fits ? aligned : fits;
}

/// The aligned blocks of at most 2^largest elements that cover [begin, end), in order: rising ones up to the first full tile, full
/// tiles, falling ones. Every backend that cuts its input into tiles cuts it here.
class block_sequence {
 public:
  struct block {
    std::size_t position;
    int k;  ///< of 2^k elements
  };

  block_sequence(std::size_t begin, std::size_t end, int largest) : largest_(largest) {
    std::size_t const tile = std::size_t{1} << largest;
    while (begin < end && (begin & (tile - 1)) != 0) {
      head_[heads_] = {begin, aligned_block(begin, end)};
      begin += std::size_t{1} << head_[heads_++].k;
    }
    middle_ = begin;
    middles_ = (end - begin) >> largest;
    for (begin += middles_ << largest; begin < end; begin += std::size_t{1} << tail_[tails_++].k)
      tail_[tails_] = {begin, aligned_block(begin, end)};
  }

  [[nodiscard]] std::size_t size() const { return heads_ + middles_ + tails_; }
  [[nodiscard]] block operator[](std::size_t i) const {
    if (i < heads_) return head_[i];
    i -= heads_;
    return i < middles_ ? block{middle_ + (i << largest_), largest_} : tail_[i - middles_];
  }

 private:
  int largest_;
  std::size_t heads_ = 0, middles_ = 0, tails_ = 0, middle_ = 0;
  block head_[128];  // up to 64 rising blocks, and as many falling ones if [begin, end) holds no full tile
  block tail_[64];
};

/// Room for one A whose lifetime somebody else manages.
template <class A>
class uninitialized {
 public:
  template <class... From>
  void construct(From&&... from) {
    ::new (static_cast<void*>(bytes_)) A(std::forward<From>(from)...);
  }
  void destroy() { value().~A(); }
  [[nodiscard]] A& value() { return *std::launder(reinterpret_cast<A*>(bytes_)); }
  [[nodiscard]] A const& value() const { return *std::launder(reinterpret_cast<A const*>(bytes_)); }

 private:
  alignas(A) std::byte bytes_[sizeof(A)];
};

/// Room for `size` of them.
template <class A>
class uninitialized_array {
 public:
  explicit uninitialized_array(std::size_t size) : room_(new uninitialized<A>[size]) {}
  ~uninitialized_array() { delete[] room_; }
  uninitialized_array(uninitialized_array const&) = delete;
  uninitialized_array& operator=(uninitialized_array const&) = delete;
  [[nodiscard]] uninitialized<A>& operator[](std::size_t i) { return room_[i]; }
  [[nodiscard]] uninitialized<A> const& operator[](std::size_t i) const { return room_[i]; }

 private:
  uninitialized<A>* room_;
};

/// Replaces a value of a type that can be moved but, with const members say, not assigned.
template <class A>
void renew(A& old, std::type_identity_t<A>&& value) {
  old.~A();
  ::new (static_cast<void*>(&old)) A(std::move(value));
}

/// The blocks to the left of a position: one total for each binary digit of that position. It is what a chunk of data needs to know
/// of everything before it, so it is handed from tile to tile, from chunk to chunk of a stream and from rank to rank.
///
/// Digit k is alive when bit k of the position is set, and its `before` when a higher bit is set too; so an empty carry costs
/// nothing.
template <class A>
class carry {
 public:
  carry() = default;
  carry(carry const& other) { copy(other); }
  carry& operator=(carry const& other) {
    if (this != &other) {
      clear();
      copy(other);
    }
    return *this;
  }
  ~carry() { clear(); }

  [[nodiscard]] std::size_t position() const { return position_; }

  /// prefix(position()), or nullptr at position 0.
  [[nodiscard]] A const* prefix() const { return position_ == 0 ? nullptr : &prefix_.value(); }

  /// The total of the block of digit k; bit k of position() must be set.
  [[nodiscard]] A const& total(int k) const { return digit_[k].total.value(); }

  /// Appends the aligned block of 2^k elements that starts at position(), which must be a multiple of 2^k. Applies `op` twice a
  /// block on average: once for the new prefix, and once for each digit that carries. If `op` throws, the carry is empty
  /// afterwards.
  template <class Op>
  void push(int k, A total, Op const& op) try {
    std::size_t const end = position_ + (std::size_t{1} << k);
    while ((position_ >> k) & 1u) {
      digit& d = digit_[k];
      A sum = op(std::as_const(d.total.value()), std::as_const(total));
      renew(total, std::move(sum));
      prefix_.destroy();  // this digit's `before`, or nothing, is now what stands left of the merged block
      d.total.destroy();
      position_ &= ~(std::size_t{1} << k);
      if (position_ != 0) {
        prefix_.construct(std::move(d.before.value()));
        d.before.destroy();
      }
      ++k;
    }
    digit& d = digit_[k];
    if (position_ == 0) {
      prefix_.construct(std::as_const(total));
    } else {
      A next = op(std::as_const(prefix_.value()), std::as_const(total));
      d.before.construct(std::move(prefix_.value()));
      prefix_.destroy();
      prefix_.construct(std::move(next));
    }
    d.total.construct(std::move(total));
    position_ = end;
  } catch (...) {
    clear();
    throw;
  }

  /// Appends everything that `later`, whose own positions count from 0, holds. position() must be a multiple of a power of two that
  /// is greater than later.position().
  template <class Op>
  void append(carry const& later, Op const& op) {
    for (int k = floor_log2(later.position_); k >= 0; --k)
      if ((later.position_ >> k) & 1u) push(k, later.total(k), op);
  }

 private:
  struct digit {
    uninitialized<A> total;   // of this digit's block
    uninitialized<A> before;  // the fold of all larger digits
  };

  void copy(carry const& other) {
    for (std::size_t digits = other.position_; digits != 0;) {
      int const k = floor_log2(digits);
      digits &= ~(std::size_t{1} << k);
      digit_[k].total.construct(other.digit_[k].total.value());
      if (position_ != 0) digit_[k].before.construct(other.digit_[k].before.value());
      position_ |= std::size_t{1} << k;
    }
    if (position_ != 0) prefix_.construct(other.prefix_.value());
  }
  void clear() {
    if (position_ != 0) prefix_.destroy();
    while (position_ != 0) {
      int const k = std::countr_zero(position_);
      position_ &= position_ - 1;
      digit_[k].total.destroy();
      if (position_ != 0) digit_[k].before.destroy();
    }
  }

  std::size_t position_ = 0;
  uninitialized<A> prefix_;
  digit digit_[64];
};

}  // namespace upsweep
