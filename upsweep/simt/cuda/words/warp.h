/// Shuffles, votes, matches and reductions of the lanes of a warp.
#pragma once

#include "keywords.h"

#include <type_traits>

namespace upsweep::emulated {

template <int kind, class T>
UPSWEEP_EMULATED_WORD T shuffle(unsigned mask, T value, unsigned argument, int width) {
  T result = value;
  upsweep_emulated_warp_call const call{kind,     0,
                                        mask,     sizeof(T),
                                        &value,   &result,
                                        argument, static_cast<unsigned>(width),
                                        nullptr,  &pointer_to<T>};
  upsweep_emulated_warp_operation(&call);
  return result;
}

/// One value in, one 32-bit result out.
template <int kind, class Result, class T>
UPSWEEP_EMULATED_WORD Result vote(unsigned mask, T value, int* predicate = nullptr) {
  Result result = 0;
  upsweep_emulated_warp_call const call{
      kind, std::is_signed_v<T>, mask, sizeof(T), &value, &result, 0, 32, predicate, nullptr};
  upsweep_emulated_warp_operation(&call);
  return result;
}

}  // namespace upsweep::emulated

UPSWEEP_EMULATED_WORD void __syncwarp(unsigned mask = 0xffffffffU) {
  upsweep_emulated_warp_call const call{
      upsweep_emulated_sync, 0, mask, 0, nullptr, nullptr, 0, 32, nullptr, nullptr};
  upsweep_emulated_warp_operation(&call);
}

template <class T>
UPSWEEP_EMULATED_WORD T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return upsweep::emulated::shuffle<upsweep_emulated_shuffle>(mask, value,
                                                              static_cast<unsigned>(source), width);
}
template <class T>
UPSWEEP_EMULATED_WORD T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  return upsweep::emulated::shuffle<upsweep_emulated_shuffle_up>(mask, value, distance, width);
}
template <class T>
UPSWEEP_EMULATED_WORD T __shfl_down_sync(unsigned mask, T value, unsigned distance,
                                         int width = 32) {
  return upsweep::emulated::shuffle<upsweep_emulated_shuffle_down>(mask, value, distance, width);
}
template <class T>
UPSWEEP_EMULATED_WORD T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return upsweep::emulated::shuffle<upsweep_emulated_shuffle_xor>(
      mask, value, static_cast<unsigned>(lanes), width);
}

UPSWEEP_EMULATED_WORD unsigned __ballot_sync(unsigned mask, int predicate) {
  return upsweep::emulated::vote<upsweep_emulated_ballot, unsigned>(mask, predicate);
}
UPSWEEP_EMULATED_WORD int __all_sync(unsigned mask, int predicate) {
  return upsweep::emulated::vote<upsweep_emulated_all, int>(mask, predicate);
}
UPSWEEP_EMULATED_WORD int __any_sync(unsigned mask, int predicate) {
  return upsweep::emulated::vote<upsweep_emulated_any, int>(mask, predicate);
}
template <class T>
UPSWEEP_EMULATED_WORD unsigned __match_any_sync(unsigned mask, T value) {
  return upsweep::emulated::vote<upsweep_emulated_match_any, unsigned>(mask, value);
}
template <class T>
UPSWEEP_EMULATED_WORD unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  return upsweep::emulated::vote<upsweep_emulated_match_all, unsigned>(mask, value, predicate);
}

#define UPSWEEP_EMULATED_REDUCE(name)                                                      \
  UPSWEEP_EMULATED_WORD unsigned __reduce_##name##_sync(unsigned mask, unsigned value) {   \
    UPSWEEP_EMULATED_NEEDS(80, "__reduce_" #name "_sync()");                               \
    return upsweep::emulated::vote<upsweep_emulated_reduce_##name, unsigned>(mask, value); \
  }                                                                                        \
  UPSWEEP_EMULATED_WORD int __reduce_##name##_sync(unsigned mask, int value) {             \
    UPSWEEP_EMULATED_NEEDS(80, "__reduce_" #name "_sync()");                               \
    return upsweep::emulated::vote<upsweep_emulated_reduce_##name, int>(mask, value);      \
  }
UPSWEEP_EMULATED_REDUCE(add)
UPSWEEP_EMULATED_REDUCE(min)
UPSWEEP_EMULATED_REDUCE(max)
UPSWEEP_EMULATED_REDUCE(and)
UPSWEEP_EMULATED_REDUCE(or)
UPSWEEP_EMULATED_REDUCE(xor)
#undef UPSWEEP_EMULATED_REDUCE

/// The lanes that execute this call together: of those that have not returned, the ones that reach
/// it while all others wait elsewhere. A GPU may answer with fewer.
UPSWEEP_EMULATED_WORD unsigned __activemask() {
  return upsweep_emulated_active_lanes();
}
