/// Maps of linear recurrences, and the memory of one call of them in the tree of anchored blocks.
#pragma once

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/anchored/on_gpu.hpp>
#include <upsweep/cuda/device/quotient.hpp>
#include <upsweep/simt/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

template <class T>
struct complex_number {
  alignas(2 * sizeof(T)) T re;
  T im;
};

/// A product and a sum whose operations are each rounded.
template <class T>
__forceinline__ __device__ T times(T x, T y) {
  return upsweep::detail::product(x, y);
}
template <class T>
__forceinline__ __device__ T added(T x, T y) {
  return upsweep::detail::sum(x, y);
}
template <class T>
__forceinline__ __device__ complex_number<T> times(complex_number<T> x, complex_number<T> y) {
  return {added(times(x.re, y.re), -times(x.im, y.im)),
          added(times(x.re, y.im), times(x.im, y.re))};
}
template <class T>
__forceinline__ __device__ complex_number<T> added(complex_number<T> x, complex_number<T> y) {
  return {added(x.re, y.re), added(x.im, y.im)};
}
template <class N>
__forceinline__ __device__ N conjugate(N x) {
  return x;
}
template <class T>
__forceinline__ __device__ complex_number<T> conjugate(complex_number<T> x) {
  return {x.re, -x.im};
}

/// Numbers of two adjacent lanes, which a thread combines side by side: it needs half the loads,
/// stores and addresses.
template <class T>
struct lane_pair {
  alignas(2 * sizeof(T)) T first;
  T second;
};
template <class T>
__forceinline__ __device__ lane_pair<T> times(lane_pair<T> x, lane_pair<T> y) {
  return {times(x.first, y.first), times(x.second, y.second)};
}
template <class T>
__forceinline__ __device__ lane_pair<T> added(lane_pair<T> x, lane_pair<T> y) {
  return {added(x.first, y.first), added(x.second, y.second)};
}

/// x -> a x + b.
template <class N>
struct recurrence_map {
  N a, b;

  __forceinline__ __device__ N operator()(N x) const { return added(times(a, x), b); }
  /// First `earlier`, then this map.
  __forceinline__ __device__ recurrence_map after(recurrence_map const& earlier) const {
    return {times(a, earlier.a), (*this)(earlier.b)};
  }
};

/// Elements [sequence, token, lane] in memory; strides in elements.
template <class E>
struct token_memory {
  E* first;
  std::ptrdiff_t sequence, token, lane;
};

/// The states of sequences: `value` [sequence, lane], `totals` [sequence, 8, 2, lane] and
/// `position` [sequence].
template <class N>
struct anchored_states {
  N* value;
  N* totals;
  std::int64_t* position;
};

/// Of a call that makes gradients: that of a recurrence with the coefficients a and the results
/// `of`, in the other direction. Its g[t] = b[t] + conj(a[t - 1]) g[t - 1] is stored as h, and the
/// gradient g[t] conj(of[t + 1]) of a[t], where tokens are counted as this call goes.
template <class E, class N>
struct anchored_gradient {
  E const* factor;           ///< a before the first token, [sequence, lane]
  E const* of;               ///< where h is laid out
  E* of_a;                   ///< likewise
  anchored_states<N> start;  ///< that of the recurrence, whose result follows the last token
};

/// The recurrences of one call. With `cut`, sequence s consists of the tokens [cut[s], cut[s + 1])
/// of the first sequence in memory. States before and after are different memory.
template <class E, class N>
struct anchored_call {
  token_memory<E const> a, b;
  token_memory<E> h;
  std::size_t sequences, tokens, lanes;
  std::int64_t const* cut;
  anchored_states<N> before, after;
  bool backward;
  anchored_gradient<E, N> gradient;  ///< of calls that make gradients
  unsigned tiles;                    ///< of the lines
  std::size_t totals_at;             ///< words of the workspace before totals (states.hpp); 0: none

  [[nodiscard]] UPSWEEP_BOTH std::size_t lines() const { return sequences * lanes; }
};

/// The number as an element, and back.
template <class E, class N>
struct element_of_number {
  static __forceinline__ __device__ E element(N x) { return static_cast<E>(x); }
  static __forceinline__ __device__ N number(E x) { return static_cast<N>(x); }
};
template <class E, class N>
struct element_of_number<lane_pair<E>, lane_pair<N>> {
  using one = element_of_number<E, N>;
  static __forceinline__ __device__ lane_pair<E> element(lane_pair<N> x) {
#ifdef __NVCC__
    if constexpr (std::is_same_v<E, bfloat16>) {  // in one instruction, with the same bits
      unsigned both;
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(x.second), "f"(x.first));
      return __builtin_bit_cast(lane_pair<E>, both);
    }
#endif
    return {one::element(x.first), one::element(x.second)};
  }
  static __forceinline__ __device__ lane_pair<N> number(lane_pair<E> x) {
    return {one::number(x.first), one::number(x.second)};
  }
};
#ifdef __NVCC__
/// By the instruction. Its NaN is that of arithmetic on a GPU, so it has the bits of the type's own
/// conversion.
template <>
struct element_of_number<bfloat16, float> {
  static __forceinline__ __device__ bfloat16 element(float x) {
    bfloat16 y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
  static __forceinline__ __device__ float number(bfloat16 x) { return x; }
};
#endif
template <class E, class N>
__forceinline__ __device__ E to_element(N x) {
  return element_of_number<E, N>::element(x);
}
template <class N, class E>
__forceinline__ __device__ N to_number(E x) {
  return element_of_number<E, N>::number(x);
}

/// The tokens of one line, or of adjacent lines, that a block of 256 has.
struct anchored_place {
  std::size_t sequence, lane;  ///< the lane of the first line
  std::int64_t begin;          ///< the token of slot 0, which may be before the sequence
  unsigned from, end;          ///< the slots of the call's tokens
  bool exists, is_last;        ///< whether a state depends on it; whether the state after it does
  bool is_first;
};

/// Block `block` of the line of a lane, before which the sequence has `position` tokens.
template <class E, class N>
__device__ anchored_place place_of(anchored_call<E, N> const& call, std::size_t sequence,
                                   std::size_t lane, unsigned block, unsigned position) {
  anchored_place x{};
  x.sequence = sequence;
  x.lane = lane;
  x.begin = call.cut ? call.cut[x.sequence] : 0;
  std::int64_t const size =
      call.cut ? call.cut[x.sequence + 1] - x.begin : static_cast<std::int64_t>(call.tokens);
  position %= 256;  // wrong ones are undefined, but lead to no access outside the arrays
  std::int64_t const left = size + position - std::int64_t{block} * 256;
  x.exists = block == 0 || left > 0;
  if (!x.exists) return x;
  x.is_first = block == 0;
  x.from = x.is_first ? position : 0;
  x.end = left < 256 ? static_cast<unsigned>(left) : 256;
  x.is_last = left <= 256;
  auto const first = std::int64_t{block} * 256 - position;
  x.begin += call.backward ? size - 1 - first : first;
  return x;
}
/// The same of a line.
template <class E, class N>
__device__ anchored_place place_of(anchored_call<E, N> const& call, std::size_t line,
                                   unsigned block, unsigned position) {
  std::size_t const sequence = quotient(line, call.lanes);
  return place_of(call, sequence, line - sequence * call.lanes, block, position);
}
/// The position of the sequence of a line.
template <class E, class N>
__device__ unsigned position_of(anchored_call<E, N> const& call, std::size_t line) {
  return static_cast<unsigned>(call.before.position[quotient(line, call.lanes)]);
}

/// Slot 0 in memory.
template <class E, class N, class X>
__device__ X* first_slot(anchored_call<E, N> const& call, token_memory<X> const& x,
                         anchored_place const& at) {
  auto const sequence = static_cast<std::ptrdiff_t>(call.cut ? 0 : at.sequence);
  return x.first + (sequence * x.sequence + at.begin * x.token +
                    static_cast<std::ptrdiff_t>(at.lane) * x.lane);
}

// The memory of a call (on_gpu.hpp) as its kernels take it.

template <class E>
token_memory<E> tokens_of(anchored_elements const& x) {
  return {static_cast<E*>(x.first), x.sequence, x.token, x.lane};
}
template <class N>
anchored_states<N> states_of(anchored_memory const& x) {
  return {static_cast<N*>(x.value), static_cast<N*>(x.totals), x.position};
}

}  // namespace upsweep::device
