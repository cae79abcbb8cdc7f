/// Which kernels a file finds: those that the library has compiled, and with nvcc all.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/names/compiled.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

namespace upsweep {

/// True in files that nvcc compiles and that include upsweep/cuda.cuh: there kernels exist for any
/// operator and iterator, elsewhere only the precompiled ones (cuda/instances.cuh).
template <class Source>
inline constexpr bool can_launch =
#ifdef __CUDACC__
    true;
#else
    false;
#endif

struct gpu;

namespace device {

/// Requires kernels for a call: compiled in the library, or by nvcc.
template <bool in_the_library, class Call>
UPSWEEP_BOTH constexpr void check_kernels() {
  static_assert(in_the_library || can_launch<Call>,
                "upsweep: the library has no compiled CUDA kernel for this call; compile the file "
                "with nvcc and include upsweep/cuda.cuh");
}

template <class Source>
inline constexpr bool is_memory_source =
    std::contiguous_iterator<typename Source::iterator> && !Source::transforms;

template <class T, class... U>
inline constexpr bool is_one_of = (... || std::is_same_v<T, U>);

/// The word as which a T is moved, and compared if it is an integer; void if there is none. So one
/// kernel serves all types of a size.
template <class T>
using moved_word = std::conditional_t<std::is_trivially_copyable_v<T> && alignof(T) == sizeof(T),
                                      detail::bits_of_size<sizeof(T)>, void>;
template <class T>
inline constexpr bool has_word = !std::is_void_v<moved_word<T>>;
using counts_and_positions = dynamic::types<std::uint32_t, std::uint64_t>;

}  // namespace device

}  // namespace upsweep
