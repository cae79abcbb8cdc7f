/// The vector kernels of the compiled core: one thread, contiguous memory, built-in types and operators. No SIMD header is visible here.
#pragma once

#include <upsweep/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstddef>

namespace upsweep::simd {

/// True when `reduce<Op, T>` below is instantiated in the library.
template <class Op, class T>
inline constexpr bool has_reduce = false;

/// True when `scan<kind, Op, T>` below is instantiated in the library, for both kinds.
template <class Op, class T>
inline constexpr bool has_scan = false;

/// prefix(n) of the combine tree over x[0, n), n >= 1, where x[0] stands at a multiple of a power of two >= n. With mode::fast, any
/// grouping (the operators here commute).
template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, mode m);

/// Where a tile's results go: `cached` stores, or `streamed` past the caches (for outputs that are larger than them and not the input).
enum class stores { cached, streamed };

/// Scans the tile x[0, n), n >= 1, into out; out == x is allowed. x[0] stands at a multiple of a power of two >= n, and `prefix` points to the
/// prefix of everything before it, or is null at the start of the input. With D(i) the left fold, largest block first, of the aligned blocks
/// of the tile's first i elements, and P = *prefix,
///   inclusive: out[i] = initial op (P op D(i + 1)),   exclusive: out[i] = initial op (P op D(i)),
/// each fold being ((P op block) op block) ..., `initial op` only when `initial` is not null. When `prefix` is null, an exclusive scan
/// leaves out[0] untouched. (When n is the full power of two, the last inclusive result depends on larger blocks: the caller replaces it.)
template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, accumulator_t<Op, T> const* prefix, accumulator_t<Op, T> const* initial, stores s);

}  // namespace upsweep::simd
