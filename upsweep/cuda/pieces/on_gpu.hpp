/// What the executor calls for pieces of an array; the library has none compiled.
#pragma once

#include <upsweep/cuda/stream/on_gpu.hpp>

#include <cstddef>

namespace upsweep::device {

/// Calls put(k, total) for each of the maximal aligned blocks of the n elements from position
/// `begin` on, in their order. Waits for them.
template <class Source, class Op, class Put>
void block_totals_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     std::size_t begin, Put const& put);

/// Scans the n elements after a carry in the host's memory.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_behind_carry_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                          Op const& op, A const* initial, A const* first, carry<A> const& left);

}  // namespace upsweep::device
