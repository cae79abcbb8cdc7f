/// What the executor calls for windows; the library has none compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Source, class Sink, class Op, class A>
void windows_on(gpu const& on, Source const& in, Sink const& out, std::size_t count,
                std::size_t width, Op const& op, A const* initial);

}  // namespace upsweep::device
