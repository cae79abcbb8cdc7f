/// What the executor calls for chunks of a stream; the library has none compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left);
template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     device_carry<A>& left);
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                   A const* initial, A const* first, device_carry<A>& left);

}  // namespace upsweep::device
