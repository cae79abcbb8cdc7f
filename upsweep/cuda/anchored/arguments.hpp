/// The memory of a call (on_gpu.hpp) as its kernels take it.
#pragma once

#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/anchored/on_gpu.hpp>

namespace upsweep::device {

template <class E>
token_memory<E> tokens_of(anchored_elements const& x) {
  return {static_cast<E*>(x.first), x.sequence, x.token, x.lane};
}
template <class N>
anchored_states<N> states_of(anchored_memory const& x) {
  return {static_cast<N*>(x.value), static_cast<N*>(x.totals), x.position};
}

}  // namespace upsweep::device
