/// The parallel verbs of the compiled core: contiguous memory, built-in types and operators. What a
/// user's translation unit sees of them is declarations, so it compiles fast, needs no SIMD header,
/// and its own compiler flags cannot change a bit.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cpu/simd/kernels.hpp>
#include <upsweep/executor.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::compiled {

/// prefix(n) of x[0, n), n >= 1, on up to `threads` threads (0: all available).
template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, int threads, mode m);

/// Pushes x[0, n) to `left`.
template <class Op, class T>
void reduce_chunk(T const* x, std::size_t n, int threads, carry<accumulator_t<Op, T>>& left);

/// The scan of x[0, n), n >= 1, into out; `initial` may be null; *first is the exclusive result at
/// position 0.
template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial,
          accumulator_t<Op, T> const* first);

/// The same for a chunk that starts at left.position(); pushes it to `left`.
template <scan_kind kind, class Op, class T>
void scan_chunk(T const* x, T* out, std::size_t n, int threads, accumulator_t<Op, T> const* initial,
                accumulator_t<Op, T> const* first, carry<accumulator_t<Op, T>>& left);

/// True when `Source` (and `Sink`) is something that the functions above take.
template <class Source>
inline constexpr bool reduces = [] {
  if constexpr (Source::plain)
    return simd::has_reduce<typename Source::operation, typename Source::element>;
  else
    return false;
}();
template <class Source, class Sink>
inline constexpr bool scans = [] {
  if constexpr (Source::plain && Sink::plain)
    return std::is_same_v<typename Source::element, typename Sink::element> &&
           simd::has_scan<typename Source::operation, typename Source::element>;
  else
    return false;
}();

}  // namespace upsweep::compiled
