/// Barriers, shuffles, votes, matches and reductions of an emulated kernel, under CUDA's names.
#pragma once

#include <upsweep/simt/emulated/hooks.hpp>

inline constexpr int warpSize = 32;

namespace upsweep::simt::emulated {

/// A shuffle of any trivially copyable value. A GPU needs one instruction per 32-bit word; here the
/// call counts once.
template <warp_kind kind, class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE T shuffle_any(unsigned mask, T value, unsigned argument,
                                                int width, position at) {
  static_assert(is_element<T>,
                "a shuffle copies bytes: pass a trivially copyable value, not an element of memory "
                "(T x = s[i]; first)");
  T result = value;
  warp_operation({kind, false, mask, layout_of<T>, &value, &result, argument,
                  static_cast<unsigned>(width), nullptr},
                 at);
  return result;
}

/// `__shfl_sync` and its three variants for any trivially copyable value.
template <class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE T shuffle(unsigned mask, T value, int source, int width = 32,
                                            position at = position::current()) {
  return shuffle_any<warp_kind::shuffle>(mask, value, static_cast<unsigned>(source), width, at);
}
template <class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE T shuffle_up(unsigned mask, T value, unsigned distance,
                                               int width = 32, position at = position::current()) {
  return shuffle_any<warp_kind::shuffle_up>(mask, value, distance, width, at);
}
template <class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE T shuffle_down(unsigned mask, T value, unsigned distance,
                                                 int width = 32,
                                                 position at = position::current()) {
  return shuffle_any<warp_kind::shuffle_down>(mask, value, distance, width, at);
}
template <class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE T shuffle_xor(unsigned mask, T value, int lanes, int width = 32,
                                                position at = position::current()) {
  return shuffle_any<warp_kind::shuffle_xor>(mask, value, static_cast<unsigned>(lanes), width, at);
}

/// Votes, matches and the hardware reductions: one value in, one 32-bit result out.
template <warp_kind kind, class Result, class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE Result vote(unsigned mask, T value, position at,
                                              int* predicate = nullptr) {
  static_assert(is_element<T>, "pass a value, not an element of memory (T x = s[i]; first)");
  Result result{};
  warp_operation({kind, std::is_signed_v<T>, mask, layout_of<T>, &value, &result, 0, 32, predicate},
                 at);
  return result;
}

}  // namespace upsweep::simt::emulated

// CUDA declares these in the global namespace.
UPSWEEP_SIMT_INLINE void __syncthreads(std::source_location at = std::source_location::current()) {
  upsweep::simt::emulated::barrier(at);
}
UPSWEEP_SIMT_INLINE int __syncthreads_count(
    int predicate, std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::barrier(upsweep::simt::emulated::barrier_kind::count, predicate,
                                          at);
}
UPSWEEP_SIMT_INLINE int __syncthreads_and(
    int predicate, std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::barrier(upsweep::simt::emulated::barrier_kind::all, predicate,
                                          at);
}
UPSWEEP_SIMT_INLINE int __syncthreads_or(
    int predicate, std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::barrier(upsweep::simt::emulated::barrier_kind::any, predicate,
                                          at);
}
UPSWEEP_SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffU,
                                    std::source_location at = std::source_location::current()) {
  upsweep::simt::emulated::warp_operation(
      {upsweep::simt::emulated::warp_kind::sync, false, mask, 0, nullptr, nullptr, 0, 32, nullptr},
      at);
}

template <class T>
UPSWEEP_SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32,
                                  std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::shuffle(mask, value, source, width, at);
}
template <class T>
UPSWEEP_SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32,
                                     std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::shuffle_up(mask, value, distance, width, at);
}
template <class T>
UPSWEEP_SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32,
                                       std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::shuffle_down(mask, value, distance, width, at);
}
template <class T>
UPSWEEP_SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                                      std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::shuffle_xor(mask, value, lanes, width, at);
}

UPSWEEP_SIMT_INLINE unsigned __ballot_sync(
    unsigned mask, int predicate, std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::ballot, unsigned>(
      mask, predicate, at);
}
UPSWEEP_SIMT_INLINE int __all_sync(unsigned mask, int predicate,
                                   std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::all, int>(mask,
                                                                                     predicate, at);
}
UPSWEEP_SIMT_INLINE int __any_sync(unsigned mask, int predicate,
                                   std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::any, int>(mask,
                                                                                     predicate, at);
}
template <class T>
UPSWEEP_SIMT_INLINE unsigned __match_any_sync(
    unsigned mask, T value, std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::match_any, unsigned>(
      mask, value, at);
}
template <class T>
UPSWEEP_SIMT_INLINE unsigned __match_all_sync(
    unsigned mask, T value, int* predicate,
    std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::match_all, unsigned>(
      mask, value, at, predicate);
}

#define UPSWEEP_SIMT_REDUCE(name)                                                                 \
  UPSWEEP_SIMT_INLINE unsigned __reduce_##name##_sync(                                            \
      unsigned mask, unsigned value, std::source_location at = std::source_location::current()) { \
    return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::reduce_##name,       \
                                         unsigned>(mask, value, at);                              \
  }                                                                                               \
  UPSWEEP_SIMT_INLINE int __reduce_##name##_sync(                                                 \
      unsigned mask, int value, std::source_location at = std::source_location::current()) {      \
    return upsweep::simt::emulated::vote<upsweep::simt::emulated::warp_kind::reduce_##name, int>( \
        mask, value, at);                                                                         \
  }
UPSWEEP_SIMT_REDUCE(add)
UPSWEEP_SIMT_REDUCE(min)
UPSWEEP_SIMT_REDUCE(max)
UPSWEEP_SIMT_REDUCE(and)
UPSWEEP_SIMT_REDUCE(or)
UPSWEEP_SIMT_REDUCE(xor)
#undef UPSWEEP_SIMT_REDUCE

/// Not available: emulated lanes run ahead of each other, so there is no set of active lanes. Pass
/// an explicit mask.
template <class T = void>
unsigned __activemask() {
  static_assert(!std::is_same_v<T, void>,
                "__activemask has no meaning for lanes that run ahead: pass an explicit mask");
  return 0;
}
