/// Totals of blocks in contiguous memory for the logical operators and gcd, which stop where the
/// rest changes nothing.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host {

/// What logical_total() tells of numbers: that none is 0, that one is not, that an odd number are
/// not.
enum class logical { all, any, parity };

/// Of the numbers in x[0, bytes), of 1, 2, 4 or 8 bytes each; `bytes` is a multiple of 8. Stops
/// where the rest changes nothing.
[[nodiscard]] UPSWEEP_API bool logical_total(logical what, void const* x, std::size_t bytes,
                                             std::size_t bytes_of_number, bool are_floats);

template <class Op, class T>
  requires((std::is_arithmetic_v<T> || detail::is_narrow_float<T>) && sizeof(T) <= 8 &&
           dynamic::is_in<Op, dynamic::types<logical_and, logical_or, logical_xor>>)
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

/// Divisors of elements of up to 32 bits fit such numbers, whose divisions are faster.
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<gcd, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 14;
  using element = fixed_width_t<T>;
  using word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

  static accumulator_t<gcd, T> total(gcd const& op, element const* x, std::size_t n, std::size_t) {
    word divisor = 0;
    for (std::size_t i = 0; i < n && !op.is_final(divisor); ++i) {
      auto const value = static_cast<word>(op.lift(x[i]));
      // A division whose result is predicted need not be waited for.
      if (divisor == 0 || value % divisor != 0) divisor = op(divisor, value);
    }
    return divisor;
  }
};

}  // namespace upsweep::host
