/// The vector kernels of the compiled core: one thread, contiguous memory, built-in types and
/// operators. No SIMD header is visible here.
#pragma once

#include <upsweep/executor.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::simd {

template <class T, class... Types>
inline constexpr bool is_any_of = (std::is_same_v<T, Types> || ...);

/// The integers that the kernels know: of 8 to 64 bits, by whatever name the platform has for them.
template <class T>
inline constexpr bool is_kernel_integer =
    is_any_of<T, signed char, unsigned char, char, short, unsigned short, int, unsigned, long,
              unsigned long, long long, unsigned long long>;

/// True when `scan<kind, Op, T>` below is instantiated in the library, for both kinds.
template <class Op, class T>
inline constexpr bool has_scan = false;
template <class T>
inline constexpr bool has_scan<plus, T> =
    is_kernel_integer<T> || is_any_of<T, float, double> || is_narrow_float<T>;
template <class T>
inline constexpr bool has_scan<multiplies, T> = has_scan<plus, T>;
template <class T>
inline constexpr bool has_scan<min, T> = is_kernel_integer<T> || is_any_of<T, float, double>;
template <class T>
inline constexpr bool has_scan<max, T> = has_scan<min, T>;
template <class T>
inline constexpr bool has_scan<min_number, T> = has_scan<min, T>;
template <class T>
inline constexpr bool has_scan<max_number, T> = has_scan<min, T>;
template <class T>
inline constexpr bool has_scan<bit_and, T> = is_kernel_integer<T>;
template <class T>
inline constexpr bool has_scan<bit_or, T> = is_kernel_integer<T>;
template <class T>
inline constexpr bool has_scan<bit_xor, T> = is_kernel_integer<T>;
template <class T>
inline constexpr bool has_scan<affine, affine_map<T>> = is_any_of<T, float, double>;

/// True when `reduce<Op, T>` below is instantiated in the library: for the types of the scans, and
/// sums of bool.
template <class Op, class T>
inline constexpr bool has_reduce =
    has_scan<Op, T> || (std::is_same_v<Op, plus> && std::is_same_v<T, bool>);

/// prefix(n) of the combine tree over x[0, n), n >= 1, where x[0] stands at a multiple of a power
/// of two >= n. With mode::fast, any grouping of the operators that commute.
template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, mode m);

/// Where a tile's results go: `cached` stores, or `streamed` past the caches (for outputs that are
/// larger than them and not the input).
enum class stores { cached, streamed };

/// Scans the tile x[0, n), n >= 1, into out; out == x is allowed. x[0] stands at a multiple of a
/// power of two >= n, and `prefix` points to the prefix of everything before it, or is null at the
/// start of the input. With D(i) the left fold, largest block first, of the aligned blocks of the
/// tile's first i elements, and P = *prefix,
///   inclusive: out[i] = initial op (P op D(i + 1)),   exclusive: out[i] = initial op (P op D(i)),
/// each fold being ((P op block) op block) ..., `initial op` only when `initial` is not null. When
/// `prefix` is null, an exclusive scan leaves out[0] untouched. (When n is the full power of two,
/// the last inclusive result depends on larger blocks: the caller replaces it.) While it works it
/// prefetches as many elements from `ahead` on, if that is not null. If `total` is not null, n must
/// be a power of two, scan_gives_total<Op, T> true, and *total becomes the total of the tile, at no
/// cost.
template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, accumulator_t<Op, T> const* prefix,
          accumulator_t<Op, T> const* initial, stores s, T const* ahead = nullptr,
          accumulator_t<Op, T>* total = nullptr);

/// False for sums and products of narrow integers: the scan wraps in the element's type, and a
/// total is wider.
template <class Op, class T>
inline constexpr bool scan_gives_total =
    !std::is_integral_v<T> || sizeof(T) == sizeof(accumulator_t<Op, T>);

}  // namespace upsweep::simd
