/// Totals of blocks in contiguous memory for the logical operators and gcd, which stop where the
/// rest changes nothing, and for the checked operators.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::host {

using detail::logical;

/// What it tells of the numbers in x[0, bytes), of 1, 2, 4 or 8 bytes each; `bytes` is a multiple
/// of 8. Stops where the rest changes nothing.
[[nodiscard]] UPSWEEP_API bool logical_total(logical what, void const* x, std::size_t bytes,
                                             std::size_t bytes_of_number, bool are_floats);

template <class Op, class T>
  requires((std::is_arithmetic_v<T> || detail::is_narrow_float<T>) && sizeof(T) <= 8 &&
           dynamic::is_in<Op, dynamic::logical_operators>)
struct block_kernel<Op, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 16;
  using element = fixed_width_t<T>;

  static bool total(Op const&, element const* x, std::size_t n, std::size_t) {
    constexpr logical what = std::is_same_v<Op, logical_and>  ? logical::all
                             : std::is_same_v<Op, logical_or> ? logical::any
                                                              : logical::parity;
    return logical_total(what, x, n * sizeof(T), sizeof(T), detail::is_float<T>);
  }
};

template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<gcd, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 14;
  using element = fixed_width_t<T>;

  static std::uint64_t total(gcd const& op, element const* x, std::size_t n, std::size_t) {
    std::uint64_t divisor = 0;
    for (std::size_t i = 0; i < n && !op.is_final(divisor);) {
      divisor = op(divisor, op.lift(x[i]));
      ++i;
      i += detail::leading_multiples(divisor, x + i, n - i);
    }
    return divisor;
  }
};

/// The total of a block whose prefixes do not fit 64 bits.
template <class A, class Op, class T>
A checked_in_order(Op const& op, T const* x, std::size_t n, std::size_t index) {
  A a(int128{x[0]}, index);
  for (std::size_t i = 1; i < n; ++i) op.absorb(a, x[i], index + i);
  return a;
}

/// Checked sums: the prefixes of a block by the kernels of sums, minima and maxima, in as few bits
/// as hold them.
template <class R, class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<checked_plus<R>, T> {
  static constexpr bool exists = true, uses_index = true;
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;
  using A = accumulator_t<checked_plus<R>, T>;

  static A total(checked_plus<R> const& op, element const* x, std::size_t n, std::size_t index) {
    std::size_t const last = index + n - 1;
    if constexpr (sizeof(T) <= 2 && std::is_signed_v<T>) {
      return total_in<std::int32_t>(x, n, last);
    } else if constexpr (std::is_signed_v<T>) {
      element const lowest = of<min>(x, n), highest = of<max>(x, n);
      if (holds_sums<std::int32_t>(lowest, highest)) return total_in<std::int32_t>(x, n, last);
      if (holds_sums<std::int64_t>(lowest, highest)) return total_in<std::int64_t>(x, n, last);
    } else if (sizeof(T) < 8 || holds_sums<element>(0, of<bit_or>(x, n))) {
      return A(int128{of<plus>(x, n)}, last);  // the highest prefix
    }
    return checked_in_order<A>(op, x, n, index);
  }

 private:
  template <class Op, class X>
  static auto of(X const* x, std::size_t n) {
    return block_kernel<Op, X>::total({}, x, n, 0);
  }
  /// Whether S holds all sums of a block of numbers that are not below or above these.
  template <class S>
  static constexpr bool holds_sums(element lowest, element highest) {
    return lowest >= detail::order::least<S>() >> largest_log2 &&
           highest <= detail::order::greatest<S>() >> largest_log2;
  }
  template <class S>
  static A total_in(element const* x, std::size_t n, std::size_t last) {
    S prefixes[std::size_t{1} << largest_log2];
    convert(prefixes, x, n);
    compiled_scans<plus, S>().inclusive(prefixes, prefixes, n, plan{}, nullptr, nullptr);
    A a(int128{prefixes[n - 1]}, last);
    S const lowest = of<min>(prefixes, n), highest = of<max>(prefixes, n);
    a.lowest = lowest < 0 ? lowest : 0;
    a.highest = highest > 0 ? highest : 0;
    return a;
  }
};

/// Checked products in 64 bits as long as all prefixes fit: of two halves, whose products need not
/// wait for each other.
template <class R, class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<checked_multiplies<R>, T> {
  static constexpr bool exists = true, uses_index = true;
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;
  using A = accumulator_t<checked_multiplies<R>, T>;

  static A total(checked_multiplies<R> const& op, element const* x, std::size_t n,
                 std::size_t index) {
    std::size_t const half = n / 2;
    prefixes earlier, later;
    for (std::size_t i = 0; i < half; ++i)
      if (!(earlier.multiply(x[i]) && later.multiply(x[half + i])))
        return checked_in_order<A>(op, x, n, index);
    return op(earlier.range(index + half - 1), later.range(index + n - 1));
  }

 private:
  struct prefixes {
    using number = detail::widened_t<T>;
    number total = 1, lowest = 1, highest = 1;

    bool multiply(element x) {
      if (__builtin_mul_overflow(total, number{x}, &total)) return false;
      lowest = total < lowest ? total : lowest;
      highest = total > highest ? total : highest;
      return true;
    }
    [[nodiscard]] A range(std::size_t last) const {
      A a(int128{total}, last);
      a.lowest = lowest;
      a.highest = highest;
      return a;
    }
  };
};

}  // namespace upsweep::host
UPSWEEP_IEEE_END
