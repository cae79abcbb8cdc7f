/// Products of 2x2 matrices: second-order recurrences, continued fractions, Fibonacci numbers.
#pragma once

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>

#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The matrix with rows (a, b) and (c, d).
template <class T>
struct matrix2x2 {
  T a, b, c, d;
  friend bool operator==(matrix2x2 const&, matrix2x2 const&) = default;
};

/// The matrix product in input order: m[0] * m[1] * m[2] ..., so the earlier matrix is the left
/// factor. (To apply the earliest matrix first to a column vector, which is the product from right
/// to left, scan with `.reverse` or transpose.) The identity is the unit matrix. The accumulator is
/// matrix2x2 of int64 or uint64 for narrow integers, of float for 16-bit floats. Not commutative;
/// exact for integers, which wrap. Each entry is the rounded sum of two rounded products.
struct matrix2x2_product {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::matrices,
      .identity = "the unit matrix",
      .accumulator = "four entries",
      .ordered = false,
      .meaning =
          "Product of 2x2 matrices in row order, whose rows (a, b) and (c, d) are four columns "
          "a,b,c,d.",
      .example = "1,1,1,0 1,1,1,0",
      .result = "2,1,1,1"};
  static constexpr bool commutative = false;
  template <class A>
  static constexpr bool exact = detail::is_integer<decltype(A::a)>;
  template <class Matrix>
  using accumulator = matrix2x2<detail::widened_t<std::remove_cvref_t<decltype(Matrix::a)>>>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    using T = decltype(A::a);
    return {T(1), T{}, T{}, T(1)};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<matrix2x2<T>> lift(matrix2x2<T> const& x) const {
    using W = detail::widened_t<T>;
    return {static_cast<W>(x.a), static_cast<W>(x.b), static_cast<W>(x.c), static_cast<W>(x.d)};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr matrix2x2<T> operator()(
      matrix2x2<T> const& l, matrix2x2<T> const& r) const {
    constexpr detail::plain_multiplies times{};
    constexpr plus add{};
    return {add(times(l.a, r.a), times(l.b, r.c)), add(times(l.a, r.b), times(l.b, r.d)),  //
            add(times(l.c, r.a), times(l.d, r.c)), add(times(l.c, r.b), times(l.d, r.d))};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
