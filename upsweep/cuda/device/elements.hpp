/// The input and the output of a kernel: any iterator, or contiguous memory with accesses of 16
/// bytes.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/simt/kernel.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace upsweep::device {

template <class It, class T>
inline constexpr bool is_memory = std::is_same_v<It, T*> || std::is_same_v<It, T const*>;

/// Whether one access can move whole elements of type T.
template <class T>
inline constexpr bool has_vectors = std::has_single_bit(sizeof(T)) && sizeof(T) <= 16;

/// The number of elements of type T that one access moves: at most `items`, in at most 16 bytes.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr unsigned vector_items(unsigned items) {
  constexpr auto fit = static_cast<unsigned>(has_vectors<T> ? 16 / sizeof(T) : 1);
  return items < fit ? items : fit;
}

/// The number of elements that a lane takes from one row of a tile: 16 bytes of them.
template <class T>
inline constexpr unsigned items_of = vector_items<T>(16);

/// True for 16-bit floats; cuda/half.cuh adds CUDA's own types.
template <class T>
inline constexpr bool is_bfloat16 = std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_half = false;

/// The type that one access moves. Narrow elements are packed in words; otherwise the compiler
/// unpacks them on the way to a register.
template <class T, unsigned items>
using vector_of =
    std::conditional_t<(sizeof(T) < 4 && items * sizeof(T) % 4 == 0),
                       simt::packed<unsigned, items * sizeof(T) / 4>, simt::packed<T, items>>;

#ifdef __NVCC__
/// Packs two 32-bit integers modulo 2^16, or four modulo 2^8, in a word.
template <class T>
__device__ unsigned packed_word(unsigned const* x) {
  if constexpr (sizeof(T) == 2)
    return __byte_perm(x[0], x[1], 0x5410);
  else
    return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
}
/// Packs two floats as 16-bit floats, rounded to nearest, ties to even.
template <class T>
__device__ unsigned packed_floats(float first, float second) {
  unsigned x;
  if constexpr (is_bfloat16<T>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(second), "f"(first));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(second), "f"(first));
  return x;
}
#endif

/// The values of `a` converted to U and packed for one access.
template <class U, unsigned items, class F>
__device__ vector_of<U, items> packed_elements(F const (&a)[items]) {
  vector_of<U, items> x;
#ifdef __NVCC__
  if constexpr ((is_bfloat16<U> || is_half<U>) && std::is_same_v<F, float> && items % 2 == 0) {
#pragma unroll
    for (unsigned i = 0; i < items; i += 2) x.value[i / 2] = packed_floats<U>(a[i], a[i + 1]);
  } else if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool> && sizeof(U) <= 2 &&
                       std::is_integral_v<F> && sizeof(F) == 4 && items * sizeof(U) % 4 == 0) {
    constexpr unsigned in_word = 4 / sizeof(U);
#pragma unroll
    for (unsigned i = 0; i < items; i += in_word) {
      unsigned sums[in_word];
      std::memcpy(sums, a + i, sizeof sums);
      x.value[i / in_word] = packed_word<U>(sums);
    }
  } else
#endif
  {
    U u[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) u[i] = static_cast<U>(a[i]);
    std::memcpy(&x, u, sizeof x);
  }
  return x;
}

/// Stores values in shared memory, in as few accesses as can move them.
template <class A, int count>
__device__ void store_values(simt::boxed<A>* to, A const (&x)[count]) {
  constexpr int step = static_cast<int>(vector_items<A>(unsigned{count}));
  if constexpr (step > 1 && std::is_same_v<simt::boxed<A>, A>) {
#pragma unroll
    for (int k = 0; k < count; k += step) {
      vector_of<A, unsigned{step}> piece;
      std::memcpy(static_cast<void*>(&piece), x + k, sizeof piece);
      *simt::pointer_cast<vector_of<A, unsigned{step}>>(to + k) = piece;
    }
  } else {
#pragma unroll
    for (int k = 0; k < count; ++k) to[k] = x[k];
  }
}
template <class A, int count>
__device__ void load_values(simt::boxed<A> const* from, A (&x)[count]) {
  constexpr int step = static_cast<int>(vector_items<A>(unsigned{count}));
  if constexpr (step > 1 && std::is_same_v<simt::boxed<A>, A>) {
#pragma unroll
    for (int k = 0; k < count; k += step) {
      auto const piece = *simt::pointer_cast<vector_of<A, unsigned{step}> const>(from + k);
      std::memcpy(static_cast<void*>(x + k), &piece, sizeof piece);
    }
  } else {
#pragma unroll
    for (int k = 0; k < count; ++k) x[k] = from[k];
  }
}

/// The elements that a lane has loaded and not yet used. From memory it holds the elements
/// themselves, which for narrow types takes a quarter of the registers; otherwise accumulators.
template <class T, unsigned items>
struct held {
  T value[items];
};

/// f(x...), for functions that exist on the device only too.
template <class F, class... X>
__device__ decltype(auto) apply_function(F const& f, X const&... x) {
  if constexpr (std::is_member_pointer_v<F>)
    return detail::invoke_function(f, x...);
  else
    return f(x...);
}

/// Two inputs as one: element i is f(x[i], y[i]).
template <class X, class Y, class F>
struct zipped_pointers {
  X x;
  Y y;
  F f;
  __device__ auto operator[](std::size_t i) const { return apply_function(f, x[i], y[i]); }
};

/// The elements of one call in the direction of the scan: element i is lift(f(first[i])), counted
/// from the end when reversed. `vectors` promises that `first` is aligned to 16 bytes; `base` is
/// the number of earlier elements of a stream.
template <class T, class It, class F, class Op, bool reverse>
struct element_source {
  using element = T;
  using operation = Op;
  static constexpr bool as_they_are = std::is_same_v<F, detail::as_is>;
  using accumulator = accumulator_t<Op, std::conditional_t<std::is_same_v<F, detail::as_is>, T,
                                                           detail::transformed_t<T const*, F>>>;
  static constexpr bool reversed = reverse, plain = is_memory<It, T> && !reverse;
  template <unsigned items>
  using lane_items = held<std::conditional_t<plain, T, accumulator>, items>;

  It first;
  std::size_t size;
  F f;
  Op op;
  bool vectors;
  std::size_t base = 0;

  /// Whether `count` elements from i on can be read by load_whole().
  __device__ bool has_whole(std::size_t i, std::size_t count) const {
    return plain && has_vectors<T> && vectors && i + count <= size;
  }
  /// The elements [i, i + items), all of which exist, by whole vectors.
  template <unsigned items, class Held>
  __device__ void load_whole(std::size_t i, Held& x) const {
    if constexpr (plain && has_vectors<T>) {
      constexpr unsigned step = vector_items<T>(items);
      using vector = vector_of<T, step>;
      vector const* const from = simt::pointer_cast<vector const>(first + i);
#pragma unroll
      for (unsigned v = 0; v < items / step; ++v) {
        vector const piece = from[v];
        std::memcpy(static_cast<void*>(x.value + v * step), &piece, sizeof piece);
      }
    }
  }
  /// The elements [i, i + items). Those past the end are copies of the last element: the operator
  /// may be applied to them, but no result depends on them.
  template <unsigned items>
  __device__ void load(std::size_t i, lane_items<items>& x) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      std::size_t const at = i + j;
      x.value[j] = get(at < size ? at : size - 1);
    }
  }
  /// Element i, which exists.
  template <class Held>
  __device__ void load_one(std::size_t i, Held& x) const {
    x.value[0] = get(i);
  }
  /// Item j of those that were loaded from position i on.
  template <unsigned items>
  __device__ accumulator item(lane_items<items> const& x, unsigned j, std::size_t i) const {
    if constexpr (plain)
      return detail::lift(op, apply(x.value[j]), base + i + j);
    else
      return x.value[j];
  }

  /// f(x), and f of element i in memory, for operators that need neither lift nor order.
  __device__ auto value(T const& x) const { return apply(x); }
  __device__ auto value_at(std::size_t i) const {
    T const x = first[i];
    return apply(x);
  }

 private:
  __device__ auto get(std::size_t i) const {
    std::size_t const index = reverse ? size - 1 - i : i;
    T const x = first[index];
    if constexpr (plain)
      return x;
    else
      return detail::lift(op, apply(x), base + index);
  }
  __device__ decltype(auto) apply(T const& x) const {
    if constexpr (std::is_same_v<F, detail::as_is>)
      return (x);
    else
      return apply_function(f, x);
  }
};

/// The output of one scan: result i goes to first[i], counted from the end when reversed.
template <class U, class It, class Op, bool reverse>
struct element_sink {
  using element = U;
  static constexpr bool stores = true, plain = is_memory<It, U> && !reverse && has_vectors<U>;

  It first;
  std::size_t size;
  Op op;
  bool vectors;
  bool evict_first = false;  ///< whole vectors are stored with the evict-first policy

  template <class A>
  __device__ void operator()(std::size_t i, A const& a) const {
    std::size_t const index = reverse ? size - 1 - i : i;
    first[index] = static_cast<U>(detail::finish(op, a));
  }
  /// Stores the results [i, i + items) that are in range.
  template <unsigned items, class A>
  __device__ void store(std::size_t i, A const* a) const {
    if constexpr (plain)
      if (vectors && i + items <= size) return store_all<items>(i, a);
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (i + j < size) (*this)(i + j, a[j]);
  }
  /// Stores the results [i, i + items), all of which must be in range, and `vectors` true.
  template <unsigned items, class A>
  __device__ void store_all(std::size_t i, A const* a) const {
    if constexpr (plain) {
      constexpr unsigned step = vector_items<U>(items);
#pragma unroll
      for (unsigned v = 0; v < items; v += step) store_vector(i + v, converted<step>(a + v));
    } else {
#pragma unroll
      for (unsigned j = 0; j < items; ++j) (*this)(i + j, a[j]);
    }
  }
  template <unsigned items, class A>
  __device__ vector_of<U, items> converted(A const* a) const {
    std::remove_cvref_t<decltype(detail::finish(op, a[0]))> finished[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) finished[j] = detail::finish(op, a[j]);
    return packed_elements<U, items>(finished);
  }
  template <class Vector>
  __device__ void store_vector(std::size_t i, Vector const& x) const {
#ifdef __NVCC__
    if constexpr (sizeof(Vector) == 16) {
      if (evict_first)
        return __stcs(reinterpret_cast<uint4*>(first + i), __builtin_bit_cast(uint4, x));
    }
#endif
    simt::pointer_cast<Vector>(first + i)[0] = x;
  }
};

}  // namespace upsweep::device
