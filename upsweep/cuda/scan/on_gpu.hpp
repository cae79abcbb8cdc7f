/// What the executor calls for scans, and what of it the library has compiled.
#pragma once

#include <upsweep/cuda/reduce/on_gpu.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace upsweep::device {

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
             A const* initial, A const* first);

/// Whether it has the scan, which it has only into elements of the same type.
template <class Source, class Sink>
inline constexpr bool compiled_scan =
    compiled_reduce<Source> && std::contiguous_iterator<typename Sink::iterator> &&
    std::is_same_v<typename Source::element, typename Sink::element>;

}  // namespace upsweep::device
