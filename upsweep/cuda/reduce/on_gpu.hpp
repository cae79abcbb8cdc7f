/// What the executor calls for reductions, and what of it the library has compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Source, class Op>
typename Source::accumulator reduce_on(gpu const& on, Source const& in, std::size_t n,
                                       Op const& op);
template <class Source, class Op, class A>
A reduce_behind_on(gpu const& on, Source const& in, std::size_t n, Op const& op, A const* before);
template <class Source, class Op, class R, class A>
void reduce_into_on(gpu const& on, Source const& in, std::size_t n, Op const& op, R* out,
                    A const* initial);
template <class Source, class Op, class A>
void expect_accepted_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                        A const& total, A const* before);

/// Whether the library has a precompiled reduction of these elements, in both directions.
template <class Source>
inline constexpr bool compiled_reduce =
    is_memory_source<Source> &&
    dynamic::is_compiled<dynamic::target::gpu, typename Source::operation,
                         typename Source::element>;

}  // namespace upsweep::device
