/// The combine tree that defines every result, as index arithmetic, and the carry that walks it
/// from left to right.
///
/// The total of an aligned block of 2^k elements:
///   block(0, j) = x[j]
///   block(k, j) = block(k-1, 2j) op block(k-1, 2j+1)
///
/// The prefix of the first m elements combines, from left to right, the aligned blocks that [0, m)
/// splits into, the largest first. There is one block for each set bit of m:
///   prefix(13) = (block(3, 0) op block(2, 2)) op block(0, 12)
///
/// docs/contracts.md states what follows from it; reference.hpp is the plainest code for it.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// floor(log2(n)), n >= 1: the position of the highest bit that is set.
UPSWEEP_SIDES_UNCHECKED
[[nodiscard]] UPSWEEP_BOTH constexpr int floor_log2(std::size_t n) {
#if UPSWEEP_ON_DEVICE
  if (!__builtin_is_constant_evaluated()) return 63 - __clzll(static_cast<long long>(n));
#endif
  return static_cast<int>(std::bit_width(n)) - 1;
}

/// The number of zeros after the last bit that is set; 64 for 0.
UPSWEEP_SIDES_UNCHECKED
[[nodiscard]] UPSWEEP_BOTH constexpr int trailing_zeros(std::uint64_t x) {
#if UPSWEEP_ON_DEVICE
  if (!__builtin_is_constant_evaluated())
    return x == 0 ? 64 : __ffsll(static_cast<long long>(x)) - 1;
#endif
  return std::countr_zero(x);
}

}  // namespace upsweep::detail

namespace upsweep {

namespace detail {

/// The smaller of two sizes; <algorithm> would cost every including file 0.2 s.
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t at_most(std::size_t n, std::size_t limit) {
  return n < limit ? n : limit;
}
/// Where part `part` of [0, n) begins, which is cut into `parts` of equal size.
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t part_begin(std::size_t n, std::size_t parts,
                                                            std::size_t part) {
  return n / parts * part + at_most(part, n % parts);
}

/// The binary digits of a number of elements: blocks have 2^k elements, k < size_digits.
inline constexpr int size_digits = std::numeric_limits<std::size_t>::digits;
/// log2 of the largest block of a range that is not cut into tiles.
inline constexpr int largest_block_log2 = size_digits - 2;

/// log2 of the largest aligned block that starts at `position` and ends at or before `end`.
/// Requires position < end.
[[nodiscard]] UPSWEEP_BOTH constexpr int aligned_block(std::size_t position, std::size_t end) {
  int const fits = floor_log2(end - position);
  int const aligned = trailing_zeros(position);  // size_digits at position 0
  return aligned < fits ? aligned : fits;
}

/// The aligned blocks of at most 2^largest elements that cover [begin, end), in order: growing
/// blocks up to the first full tile, then full tiles, then shrinking blocks. Every backend tiles
/// its input with this sequence.
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
  // Up to size_digits growing blocks, and as many shrinking ones if there is no full tile.
  block head_[2 * size_digits];
  block tail_[size_digits];
};

/// Uninitialized storage for one A; the owner constructs and destroys the value.
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

/// Uninitialized storage for `size` values.
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

/// A stack of up to `capacity` values on the heap. Each is destroyed exactly once, whatever throws.
template <class A>
class value_stack {
 public:
  explicit value_stack(std::size_t capacity) : room_(capacity) {}
  ~value_stack() { clear(); }
  value_stack(value_stack const&) = delete;
  value_stack& operator=(value_stack const&) = delete;

  [[nodiscard]] A const& operator[](std::size_t i) const { return room_[i].value(); }
  [[nodiscard]] A const& top() const { return room_[size_ - 1].value(); }
  void push(A&& value) {
    room_[size_].construct(std::move(value));
    ++size_;
  }
  void pop() { room_[--size_].destroy(); }
  /// Replaces value i, also for types that cannot be assigned. If that throws, value i and those
  /// above it are destroyed.
  void replace(std::size_t i, A&& value) {
    room_[i].destroy();
    try {
      room_[i].construct(std::move(value));
    } catch (...) {
      while (size_ > i + 1) pop();
      --size_;
      throw;
    }
  }
  void clear() {
    while (size_ > 0) pop();
  }

 private:
  uninitialized_array<A> room_;
  std::size_t size_ = 0;
};

/// Replaces a value of a type that cannot be assigned (it has const members, say) but can be moved
/// without throwing.
template <class A>
  requires std::is_nothrow_move_constructible_v<A>
void renew(A& old, std::type_identity_t<A>&& value) {
  old.~A();
  ::new (static_cast<void*>(&old)) A(std::move(value));
}

/// Storage for one A inside a carry: in place if A is small, otherwise allocated at its first use
/// and kept, so that a carry of large accumulators takes 2 KiB of stack instead of 129
/// accumulators.
template <class A, bool in_place = sizeof(A) <= 64>
class slot : public uninitialized<A> {};
template <class A>
class slot<A, false> {
 public:
  slot() = default;
  ~slot() { delete room_; }
  slot(slot const&) = delete;
  slot& operator=(slot const&) = delete;

  template <class... From>
  void construct(From&&... from) {
    if (!room_) room_ = new uninitialized<A>;
    room_->construct(std::forward<From>(from)...);
  }
  void destroy() { room_->destroy(); }
  [[nodiscard]] A& value() { return room_->value(); }
  [[nodiscard]] A const& value() const { return room_->value(); }

 private:
  uninitialized<A>* room_ = nullptr;
};

}  // namespace detail

/// The state of a scan at a position: the reduction of one aligned block for each set bit of the
/// position. A carry is all that the next chunk needs; it is passed from tile to tile, from chunk
/// to chunk of a stream, and from rank to rank.
///
/// Digit k has a total if bit k of the position is set, and a `before`, the prefix that ends where
/// its block begins, if elements precede the block. An empty carry therefore costs nothing. Copies,
/// moves and allocations of A may throw, so bit masks record which slots hold a value, apart from
/// the position.
template <class A>
class carry {
 public:
  carry() = default;
  /// Continues after `before`, the prefix before the first element; null: there is none.
  explicit carry(A const* before) {
    if (before) construct(prefix_, has_prefix_, 0, *before);
  }
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

  /// prefix(position()), or nullptr if no elements precede it.
  [[nodiscard]] A const* prefix() const { return has_prefix_ ? &prefix_.value() : nullptr; }

  /// The reduction of the block of digit k; bit k of position() must be set.
  [[nodiscard]] A const& total(int k) const { return total_[k].value(); }

  /// Appends the aligned block of 2^k elements that starts at position(), which must be a multiple
  /// of 2^k. Applies `op` twice per block on average: once for the new prefix, and once for each
  /// digit that overflows into the next. If anything throws, the carry is empty afterwards.
  template <class Op>
  void push(int k, A total, Op const& op) try {
    std::size_t const end = position_ + (std::size_t{1} << k);
    std::optional<A> block(std::in_place, std::move(total));
    for (; (totals_ >> k) & 1u; ++k) {
      block.emplace(op(std::as_const(total_[k].value()), std::as_const(*block)));
      destroy(total_[k], totals_, k);
      // The prefix before the merged block is this digit's `before`, or empty.
      destroy(prefix_, has_prefix_, 0);
      if ((befores_ >> k) & 1u) {
        construct(prefix_, has_prefix_, 0, std::move(before_[k].value()));
        destroy(before_[k], befores_, k);
      }
    }
    if (has_prefix_) {
      A next = op(std::as_const(prefix_.value()), std::as_const(*block));
      construct(before_[k], befores_, k, std::move(prefix_.value()));
      destroy(prefix_, has_prefix_, 0);
      construct(prefix_, has_prefix_, 0, std::move(next));
    } else {
      construct(prefix_, has_prefix_, 0, std::as_const(*block));
    }
    construct(total_[k], totals_, k, *std::move(block));
    position_ = end;
  } catch (...) {
    clear();
    throw;
  }

  /// Appends all elements of `later`, whose positions count from 0. position() must be a multiple
  /// of a power of two that is greater than later.position().
  template <class Op>
  void append(carry const& later, Op const& op) {
    for (int k = detail::floor_log2(later.position_); k >= 0; --k)
      if ((later.position_ >> k) & 1u) push(k, later.total(k), op);
  }

 private:
  template <class From>
  static void construct(detail::slot<A>& s, std::size_t& constructed, int bit, From&& from) {
    s.construct(std::forward<From>(from));
    constructed |= std::size_t{1} << bit;
  }
  static void destroy(detail::slot<A>& s, std::size_t& constructed, int bit) {
    constructed &= ~(std::size_t{1} << bit);
    s.destroy();
  }

  void copy(carry const& other) try {
    for (std::size_t digits = other.totals_; digits != 0; digits &= digits - 1) {
      int const k = std::countr_zero(digits);
      construct(total_[k], totals_, k, other.total_[k].value());
      if ((other.befores_ >> k) & 1u) construct(before_[k], befores_, k, other.before_[k].value());
    }
    if (other.has_prefix_) construct(prefix_, has_prefix_, 0, other.prefix_.value());
    position_ = other.position_;
  } catch (...) {
    clear();
    throw;
  }
  void clear() {
    if (has_prefix_) destroy(prefix_, has_prefix_, 0);
    while (totals_ != 0)
      destroy(total_[std::countr_zero(totals_)], totals_, std::countr_zero(totals_));
    while (befores_ != 0)
      destroy(before_[std::countr_zero(befores_)], befores_, std::countr_zero(befores_));
    position_ = 0;
  }

  std::size_t position_ = 0;
  // Bit k: the slot of digit k holds a value.
  std::size_t totals_ = 0, befores_ = 0, has_prefix_ = 0;
  detail::slot<A> prefix_;
  detail::slot<A> total_[detail::size_digits];   // of the digit's block
  detail::slot<A> before_[detail::size_digits];  // the prefix before that block
};

}  // namespace upsweep
