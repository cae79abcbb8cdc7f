/// Linear recurrences with constant coefficients: digital filters, exponential moving averages,
/// polynomials.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The accumulator of `recurrence` over `length` consecutive elements: the last `order` results,
/// y[0] the newest, if the results before these elements are 0.
template <std::size_t order, class T>
struct recurrence_state {
  T y[order] = {};
  std::uint64_t length = 0;
  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() const { return std::tie(y, length); }
  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() { return std::tie(y, length); }
  friend bool operator==(recurrence_state const&, recurrence_state const&) = default;
};

/// The recurrence y[i] = x[i] + a[0] y[i-1] + a[1] y[i-2] + ... + a[order-1] y[i-order]. The y of
/// negative index are 0 or `.initial = op.after({y[-1], y[-2], ...})`. An inclusive scan of x gives
/// y. A reduction gives the last result: with order 1, a polynomial at a[0], whose coefficients x
/// begin with that of the highest power (`.reverse = true`: with the constant).
///
///   upsweep::recurrence const smooth({1.6, -0.64});
///   upsweep::inclusive_scan(x, y, smooth);
///
/// Consecutive elements act on earlier results by a power of the companion matrix that depends on
/// their number only. The powers for lengths 2^j are computed once, so an element costs order^2
/// multiplications and no memory for coefficients (PLR of Maleki and Burtscher, ASPLOS 2018, uses
/// such tables). Elements convert to T, -0 to +0. Not commutative; exact for integers, which wrap;
/// products and sums are rounded one by one. Throws precondition_error if such a power overflows:
/// the results of this filter exceed all numbers within that length.
template <std::size_t order, class T>
class recurrence {
 public:
  static_assert(order >= 1 && order <= 8, "upsweep: the order of a recurrence must be from 1 to 8");
  static constexpr bool commutative = false;
  static constexpr bool exact = detail::is_integer<T>;
  static constexpr bool ignores_flags = true;
  using state = recurrence_state<order, T>;
  template <class>
  using accumulator = state;

  explicit constexpr recurrence(T const (&a)[order]) {
    for (std::size_t column = 0; column < order; ++column) power_[0][0][column] = a[column];
    for (std::size_t row = 1; row < order; ++row) power_[0][row][row - 1] = T(1);
    for (std::size_t j = 1; j < levels; ++j)
      for (std::size_t row = 0; row < order; ++row)
        for (std::size_t column = 0; column < order; ++column)
          for (std::size_t k = 0; k < order; ++k)
            add_product(power_[j][row][column], power_[j - 1][row][k], power_[j - 1][k][column]);
    while (finite_ < levels && is_finite(finite_)) ++finite_;
  }

  /// The initial value for a scan after the results y[-1], y[-2], ...
  [[nodiscard]] static UPSWEEP_BOTH constexpr state after(T const (&y)[order]) {
    state history{.y = {}, .length = 1};
    for (std::size_t k = 0; k < order; ++k) history.y[k] = y[k];
    return history;
  }

  [[nodiscard]] UPSWEEP_BOTH constexpr state identity() const { return {}; }
  template <class X>
  [[nodiscard]] UPSWEEP_BOTH constexpr state lift(X const& x) const {
    state one{.y = {}, .length = 1};
    one.y[0] = static_cast<T>(plus{}(T{}, static_cast<T>(x)));  // no -0
    return one;
  }
  [[nodiscard]] constexpr state operator()(state const& earlier, state const& later) const {
    if (earlier.length == 0) return later;
    if (later.length == 0) return earlier;
    // In the combine tree the later operand is a complete block: its length is a power of two.
    std::uint64_t left = later.length;
    state sum = multiplied(static_cast<std::size_t>(std::countr_zero(left)), earlier);
    while ((left &= left - 1) != 0) [[unlikely]]
      sum = multiplied(static_cast<std::size_t>(std::countr_zero(left)), sum);
    for (std::size_t k = 0; k < order; ++k) sum.y[k] = plus{}(sum.y[k], later.y[k]);
    sum.length = earlier.length + later.length;
    return sum;
  }
  /// An initial value is the state before the first element; an identity is none.
  [[nodiscard]] UPSWEEP_BOTH constexpr bool continues(state const& initial) const {
    return initial.length != 0;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr T finish(state const& s) const { return s.y[0]; }

  /// The powers for lengths 2^j, for kernels: number (j * order + row) * order + column.
  [[nodiscard]] UPSWEEP_BOTH constexpr T const* powers() const { return power_[0][0]; }
  /// How many of them are finite, from the first on.
  [[nodiscard]] UPSWEEP_BOTH constexpr std::size_t finite_powers() const { return finite_; }

 private:
  static constexpr std::size_t levels = 64;

  [[nodiscard]] constexpr bool is_finite(std::size_t level) const {
    if constexpr (!detail::is_integer<T>)
      for (auto const& row : power_[level])
        for (T const& factor : row)
          if (!detail::is_finite_value(factor)) return false;
    return true;
  }
  static UPSWEEP_BOTH constexpr void add_product(T& sum, T const& a, T const& b) {
    constexpr detail::plain_multiplies times{};
    sum = static_cast<T>(plus{}(sum, static_cast<T>(times(a, b))));
  }
  [[nodiscard]] constexpr state multiplied(std::size_t level, state const& s) const {
    if (level >= finite_) [[unlikely]]
      detail::fail(
          "recurrence: the results overflow within this many elements; use the coefficients of a "
          "stable filter, or scan shorter pieces");
    state product{};
    for (std::size_t row = 0; row < order; ++row)
      for (std::size_t k = 0; k < order; ++k)
        add_product(product.y[row], power_[level][row][k], s.y[k]);
    return product;
  }

  T power_[levels][order][order] = {};
  std::size_t finite_ = 0;  // the number of levels whose power is finite
};

template <std::size_t order, class T>
recurrence(T const (&)[order]) -> recurrence<order, T>;

/// The operator whose reduction is the value at `x` of a polynomial. The elements are its
/// coefficients, that of the highest power first.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto polynomial(T const& x) {
  T const a[1] = {x};
  return recurrence<1, T>(a);
}

}  // namespace upsweep
UPSWEEP_IEEE_END
