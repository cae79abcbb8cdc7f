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
#include <iterator>
#include <memory>
#include <type_traits>

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

/// The elements and the results of a call as they are, or behind pointers, as they are compiled.
template <bool compiled, class Source, class Op>
[[nodiscard]] auto source_of(Source const& in, std::size_t n, Op const& op) {
  if constexpr (compiled)
    return source<typename Source::element const*, as_is, Op, Source::reversed>(
        std::to_address(in.first()), n, in.function(), op, in.base());
  else
    return in;
}
template <bool compiled, class Sink, class Op>
[[nodiscard]] auto sink_of(Sink const& out, std::size_t n, Op const& op) {
  if constexpr (compiled)
    return sink<typename Sink::element*, Op, Sink::reversed>(std::to_address(out.first()), n, op);
  else
    return out;
}

}  // namespace upsweep::device
