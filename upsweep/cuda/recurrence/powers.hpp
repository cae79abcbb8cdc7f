/// Linear recurrences in kernels: the accumulator is the last results only, without a length, since
/// a kernel knows at every position how many elements the right operand covers. It has that power
/// of the companion matrix as constants.
/// order^2 multiplications an application · no memory traffic for coefficients
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/simt/kernel.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// The last `order` results of consecutive elements, if those before it are 0. No array: the
/// compiler would keep it in memory wherever a kernel selects one of two values.
template <std::size_t order, class T>
struct recurrence_values {
  static constexpr std::size_t numbers = order;
  T newest;
  recurrence_values<order - 1, T> older;
};
template <class T>
struct recurrence_values<1, T> {
  T newest;
};
template <std::size_t k, std::size_t order, class T>
__host__ __device__ constexpr T const& number(recurrence_values<order, T> const& a) {
  if constexpr (k == 0)
    return a.newest;
  else
    return number<k - 1>(a.older);
}

/// first ? a : b
template <std::size_t order, class T, std::size_t... k>
__device__ recurrence_values<order, T> select_numbers(bool first,
                                                      recurrence_values<order, T> const& a,
                                                      recurrence_values<order, T> const& b,
                                                      std::index_sequence<k...>) {
  return {(first ? number<k>(a) : number<k>(b))...};
}

/// The operator for a right operand of 2^level elements, one entry of a table of powers.
template <std::size_t order, class T>
class recurrence_step {
 public:
  static constexpr bool commutative = false;
  using A = recurrence_values<order, T>;

  __device__ recurrence_step(T const* powers, unsigned level) : powers_(powers), level_(level) {}
  __device__ recurrence_step raised(unsigned levels) const { return {powers_, level_ + levels}; }

  __device__ A operator()(A const& earlier, A const& later) const {
    if constexpr (order <= 4)
      return sum_of(advanced(earlier, all{}), later, all{});
    else
      return combined_by_call(*this, earlier, later);
  }
  /// The same for two blocks of 2^level elements. What is before a block is 0, and so are all
  /// but its first 2^level numbers.
  __device__ A of_blocks(A const& earlier, A const& later) const {
    if constexpr (order > 1)
      if (level_ == 0) return of_short<1>(earlier, later, all{});
    if constexpr (order > 2)
      if (level_ == 1) return of_short<2>(earlier, later, all{});
    return (*this)(earlier, later);
  }

 private:
  using all = std::make_index_sequence<order>;
  __device__ static T product(T const& a, T const& b) {
    return static_cast<T>(detail::plain_multiplies{}(a, b));
  }
  __device__ static T sum(T const& a, T const& b) { return static_cast<T>(plus{}(a, b)); }

  /// For high orders: a kernel has hundreds of applications, and inline they take nvcc minutes and
  /// spill registers.
  __device__ __noinline__ static A combined_by_call(recurrence_step op, A earlier, A later) {
    return sum_of(op.advanced(earlier, all{}), later, all{});
  }
  /// A row of the power times `a`. The CPU begins with +0, which changes nothing, as no total
  /// to which this is added has a result -0.
  template <std::size_t... k>
  __device__ static T product_of_row(T const* row, A const& a, std::index_sequence<0, k...>) {
    T total = product(row[0], a.newest);
    ((total = sum(total, product(row[k], number<k>(a)))), ...);
    return total;
  }
  /// The product of the power and `a`.
  template <std::size_t... row>
  __device__ A advanced(A const& a, std::index_sequence<row...>) const {
    return {product_of_row(power() + row * order, a, all{})...};
  }
  /// Number `row` of a block after another if only the first `count` numbers of both are not 0.
  template <std::size_t count, std::size_t row>
  __device__ T short_row(A const& earlier, A const& later) const {
    if constexpr (count == 1 && row == 1) return earlier.newest;  // the row is 1, 0, ...
    T const advanced =
        product_of_row(power() + row * order, earlier, std::make_index_sequence<count>{});
    if constexpr (row < count)
      return sum(advanced, number<row>(later));
    else
      return sum(T{}, advanced);
  }
  template <std::size_t count, std::size_t... row>
  __device__ A of_short(A const& earlier, A const& later, std::index_sequence<row...>) const {
    return {short_row<count, row>(earlier, later)...};
  }
  __device__ T const* power() const { return powers_ + level_ * (order * order); }
  template <std::size_t... k>
  __device__ static A sum_of(A const& a, A const& b, std::index_sequence<k...>) {
    return {sum(number<k>(a), number<k>(b))...};
  }

  T const* powers_;
  unsigned level_;
};

/// Zeros, as no block has a result -0. They are multiplied by a power, so that must be finite.
template <std::size_t order, class T>
inline constexpr bool has_neutral<recurrence_step<order, T>, recurrence_values<order, T>> = true;

/// As combine_swapped() of warp.hpp, but numbers are selected instead of addresses, which would
/// keep them in memory.
template <std::size_t order, class T>
__device__ recurrence_values<order, T> combine_swapped(recurrence_values<order, T> const& a,
                                                       recurrence_values<order, T> const& b,
                                                       bool swapped,
                                                       recurrence_step<order, T> const& op) {
  return op(select_numbers(swapped, b, a, std::make_index_sequence<order>{}),
            select_numbers(swapped, a, b, std::make_index_sequence<order>{}));
}

/// The operator of a source, a kernel's argument: the powers for every length that kernels combine,
/// also for positions past the end, on which no result depends.
template <std::size_t order, class T>
class recurrence_powers {
 public:
  template <class>
  using accumulator = recurrence_values<order, T>;

  explicit recurrence_powers(recurrence<order, T> const& op) {
    std::size_t const finite = detail::at_most(op.finite_powers(), levels) * order * order;
    for (std::size_t i = 0; i < finite; ++i) powers_[i] = op.powers()[i];
  }

  template <class X>
  __device__ recurrence_values<order, T> lift(X const& x) const {
    recurrence_values<order, T> one{};
    one.newest = static_cast<T>(plus{}(T{}, static_cast<T>(x)));  // no -0
    return one;
  }
  __device__ recurrence_step<order, T> raised(unsigned level) const { return {powers_, level}; }

 private:
  static constexpr std::size_t levels = 48;  ///< a look-back has 30 above tiles of at most 2^16

  T powers_[levels * order * order] = {};  ///< 0 if not finite, which no result needs
};

/// The operator of a sink.
struct newest_result {
  template <class A>
  __device__ auto finish(A const& a) const {
    return a.newest;
  }
};

/// Stores a reduction's values, or their newest as a number. `before` is the prefix before the
/// first element, if there is one.
template <class R, class A>
struct recurrence_result {
  R* out;
  A before;
  bool has_before;

  template <class Op>
  __device__ void store(A const& total, Op const&) const {
    if constexpr (std::is_same_v<R, A>)
      out[0] = total;
    else
      out[0] = static_cast<R>(total.newest);
  }
};

}  // namespace upsweep::device
