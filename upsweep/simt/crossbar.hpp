/// A lane crossbar with valid bits: each lane names the lane it reads from. It exists on the
/// emulator only.
#pragma once

#include <upsweep/simt/kernel.hpp>

#if defined(__CUDACC__) && !defined(UPSWEEP_EMULATED)
#error "simt/crossbar.hpp: no GPU has this crossbar; kernels that use it run on the emulator only"
#endif

namespace upsweep::simt {

/// A value received over the crossbar. `value` is meaningful only if `valid`.
template <class T>
struct crossed {
  T value;
  bool valid;
};

/// One pass of the whole warp: returns `value` and `valid` of lane `source`. A source outside the
/// warp, or a lane that has exited, yields an invalid value.
template <class T>
[[nodiscard]] UPSWEEP_EMULATED_WORD crossed<T> crossbar(T value, bool valid, unsigned source) {
  crossed<T> const sent{value, valid};
  crossed<T> arrived{T{}, false};
  upsweep_emulated_warp_call const call{upsweep_emulated_crossbar,
                                        0,
                                        0xffffffffU,
                                        sizeof(crossed<T>),
                                        &sent,
                                        &arrived,
                                        source,
                                        32,
                                        nullptr,
                                        nullptr};
  upsweep_emulated_warp_operation(&call);
  return arrived;
}

}  // namespace upsweep::simt
