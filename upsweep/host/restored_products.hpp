/// Products of floating-point numbers by the vector kernels, which multiply as IEEE 754 has it:
/// where a result is not finite, the elements tell what `multiplies` makes of it.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::host {

/// Whether `Op` over T has other results than its kernels.
template <class Op, class T>
inline constexpr bool restores_products =
    std::is_same_v<Op, multiplies> && detail::has_marks<accumulator_t<multiplies, T>>;

template <class T>
[[nodiscard]] constexpr bool is_regular(T x) {
  return detail::is_finite_value(x) && x != 0;
}

/// What the elements of a product are, without their magnitudes.
template <class T>
struct factors {
  using bits = detail::bits_of_size<sizeof(T)>;
  static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));

  bool are_finite = true;
  bits signs = 0;  ///< the highest bit is that of their product

  void add(T x) {
    bits const of_x = std::bit_cast<bits>(x);
    are_finite = are_finite && static_cast<bits>(of_x & ~sign) < of_infinity();
    signs ^= of_x;
  }
  void add(T const* x, std::size_t n) {
    constexpr std::size_t block = 64;  // compilers vectorize a loop of constant length
    bits const rest = static_cast<bits>(sign - of_infinity());
    for (; n >= block; n -= block, x += block) {
      bits beyond = 0;
      for (std::size_t i = 0; i < block; ++i) {
        bits const of_x = std::bit_cast<bits>(x[i]);
        beyond |= static_cast<bits>((of_x & ~sign) + rest);  // carries into the sign
        signs ^= of_x;
      }
      are_finite = are_finite && (beyond & sign) == 0;
    }
    for (std::size_t i = 0; i < n; ++i) add(x[i]);
  }
  template <class A>
  [[nodiscard]] A zero() const {
    return (signs & sign) != 0 ? -A{} : A{};
  }

 private:
  static bits of_infinity() {
    return std::bit_cast<bits>(static_cast<T>(detail::infinity<accumulator_t<multiplies, T>>));
  }
};

template <class T, class A>
[[nodiscard, gnu::noinline]] A restored_total(T const* x, std::size_t n, A product) {
  factors<T> of;
  of.add(x, n);
  if (!of.are_finite) return detail::marks<A>::marked(product);
  return product == product ? product : of.template zero<A>();
}
/// The total of n elements by multiplies, from that by its kernel. Inside of a block the tree makes
/// no difference: as soon as one element is infinite, any zero makes all NaN.
template <class T, class A>
[[nodiscard]] A total_of_product(T const* x, std::size_t n, A product) {
  return product - product == 0 ? product : restored_total(x, n, product);
}

/// Corrects the results of the kernel's scan of a tile whose elements are still at x. `before` and
/// `initial` may be null. If `as_accumulators`, infinities are marked. Nothing is looked at if the
/// last result is neither zero nor infinite nor NaN: then no prefix is NaN.
template <scan_kind kind, class T, class A>
void restore_scan(T const* x, T* out, std::size_t n, A const* before, A const* initial,
                  bool as_accumulators) {
  constexpr bool inclusive = kind == scan_kind::inclusive;
  std::size_t const first = inclusive || before ? 0 : 1;  // the kernel leaves out[0] alone
  if (first == n || is_regular(static_cast<A>(out[n - 1]))) return;
  bool are_finite = true, negative = false;
  auto const add = [&](A a) {
    are_finite = are_finite && a == a;  // an overflow is no infinite element
    negative = negative !=
               ((std::bit_cast<typename detail::marks<A>::bits>(a) & detail::marks<A>::sign) != 0);
  };
  if (before) add(*before);
  if (initial) add(*initial);
  if (!inclusive && first == 1) add(detail::marks<A>::marked(static_cast<A>(x[0])));
  for (std::size_t i = first; i < n; ++i) {
    if (inclusive) add(detail::marks<A>::marked(static_cast<A>(x[i])));
    A const result = static_cast<A>(out[i]);
    if (detail::is_nan_value(result) && are_finite)
      out[i] = static_cast<T>(negative ? -A{} : A{});
    else if (as_accumulators && !are_finite)
      out[i] = static_cast<T>(detail::marks<A>::marked(result));
    if (!inclusive) add(detail::marks<A>::marked(static_cast<A>(x[i])));
  }
}

}  // namespace upsweep::host
UPSWEEP_IEEE_END
