/// The kernels that the library brings compiled, so that a file needs no nvcc for the built-in
/// types and operators.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep {
struct cuda;
}

namespace upsweep::device {

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

/// The pairs of element and operator. Sums of every number; products and extrema of the four that
/// are not narrow; recurrences.
template <class T, class Op>
inline constexpr bool is_compiled_pair =
    (std::is_same_v<Op, plus> &&
     is_one_of<T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
               std::uint32_t, std::int64_t, std::uint64_t, bfloat16, float, double>) ||
    (is_one_of<Op, multiplies, min, max> &&
     is_one_of<T, std::int32_t, std::int64_t, float, double>) ||
    (std::is_same_v<Op, affine> && is_one_of<T, affine_map<float>, affine_map<double>>);

template <class Source>
inline constexpr bool is_memory_source =
    std::contiguous_iterator<typename Source::iterator> && !Source::transforms;

/// Whether the library has the reduction of these elements, from either end.
template <class Source>
inline constexpr bool compiled_reduce =
    is_memory_source<Source> &&
    is_compiled_pair<typename Source::element, typename Source::operation>;
/// Whether it has the scan: into elements of the same type.
template <class Source, class Sink>
inline constexpr bool compiled_scan =
    compiled_reduce<Source> && std::contiguous_iterator<typename Sink::iterator> &&
    std::is_same_v<typename Source::element, typename Sink::element>;

template <class Op, class T>
accumulator_t<Op, T> reduce_compiled(cuda const& on, T const* in, std::size_t n, bool reversed);
/// The same, left in *out, which the device reaches; n may be 0, and `initial` null.
template <class Op, class T, class A>
void reduce_into_compiled(cuda const& on, T const* in, std::size_t n, bool reversed, A* out,
                          A const* initial);
template <scan_kind kind, class Op, class T, class A>
void scan_compiled(cuda const& on, T const* in, T* out, std::size_t n, bool reversed,
                   A const* initial, A const* first);

}  // namespace upsweep::device
