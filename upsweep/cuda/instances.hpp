/// The precompiled kernels of the library, so that a file needs no nvcc for the built-in types and
/// operators.
#pragma once

#include <upsweep/call.hpp>
#include <upsweep/dynamic/compiled.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

namespace upsweep {

struct ascending;
struct descending;

namespace device {

template <class Source>
inline constexpr bool is_memory_source =
    std::contiguous_iterator<typename Source::iterator> && !Source::transforms;

/// Whether the library has a precompiled reduction of these elements, in both directions.
template <class Source>
inline constexpr bool compiled_reduce =
    is_memory_source<Source> &&
    dynamic::is_compiled<dynamic::target::gpu, typename Source::operation,
                         typename Source::element>;
/// Whether it has the scan, which it has only into elements of the same type.
template <class Source, class Sink>
inline constexpr bool compiled_scan =
    compiled_reduce<Source> && std::contiguous_iterator<typename Sink::iterator> &&
    std::is_same_v<typename Source::element, typename Sink::element>;

/// Complete in files that include upsweep/cuda/sort.cuh.
template <class T>
struct sort_kernels;

template <class T, class... U>
inline constexpr bool is_one_of = (... || std::is_same_v<T, U>);

/// Whether the library has precompiled sorts of keys of type T by `Less`.
template <class T, class Less>
inline constexpr bool compiled_sort =
    is_one_of<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double> &&
    is_one_of<Less, ascending, descending>;
/// An integer of the same size in place of values of 4 and 8 bytes, with which keys are sorted by
/// precompiled sorts.
template <class V>
using compiled_value =
    std::conditional_t<sizeof(V) == 4 && alignof(V) == 4, std::uint32_t,
                       std::conditional_t<sizeof(V) == 8 && alignof(V) == 8, std::uint64_t, V>>;

}  // namespace device

}  // namespace upsweep
