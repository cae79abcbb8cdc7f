/// The precompiled kernels of the library, so that a file needs no nvcc for the built-in types and
/// operators.
#pragma once

#include <upsweep/call.hpp>
#include <upsweep/dynamic/compiled.hpp>

#include <iterator>
#include <type_traits>

namespace upsweep::device {

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

}  // namespace upsweep::device
