/// What the executor calls for sorts, and what of it the library has compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace upsweep {

namespace detail {
template <class T>
struct rank_neighbors;
}

struct ascending;
struct descending;

namespace device {

/// Complete in files that include upsweep/cuda/sort.cuh.
template <class T>
struct sort_kernels;

/// Whether the library has precompiled sorts of keys of type T by `Less`.
template <class T, class Less>
inline constexpr bool compiled_sort =
    is_one_of<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double> &&
    is_one_of<Less, ascending, descending>;
/// An integer of the same size instead of values of 4 and 8 bytes, with which keys are sorted by
/// precompiled sorts.
template <class V>
using compiled_value =
    std::conditional_t<sizeof(V) == 4 && alignof(V) == 4, std::uint32_t,
                       std::conditional_t<sizeof(V) == 8 && alignof(V) == 8, std::uint64_t, V>>;

template <class T, class Less>
void sort_on(gpu const& on, T* x, std::size_t n, Less const& less);
template <class K, class V, class Less>
void sort_by_key_on(gpu const& on, K* keys, V* values, std::size_t n, Less const& less);
template <class It, class Out, class Less>
void argsort_on(gpu const& on, It const& first, std::size_t n, Out const& to, Less const& less);
template <class It, class Out, class Less>
void top_on(gpu const& on, It const& first, std::size_t n, Out const& to, std::size_t count,
            Less const& less);
template <class It>
detail::rank_neighbors<std::iter_value_t<It>> rank_neighbors_on(gpu const& on, It const& first,
                                                                std::size_t n, std::size_t rank);

/// Requires kernels for sorts of keys of type T: in the library if `is_compiled`.
template <class T, bool is_compiled = false>
UPSWEEP_BOTH constexpr void check_sort_kernels() {
  constexpr bool has_kernels = requires { sizeof(sort_kernels<T>); };
  static_assert(is_compiled || has_kernels,
                "upsweep: this sort or weighted histogram on the GPU needs upsweep/cuda/sort.cuh, "
                "in a file that nvcc compiles; without it, sort, sort_by_key and argsort take only "
                "contiguous numbers of 4 or 8 bytes, the orders ascending and descending, values "
                "of 4 or 8 bytes, and positions of 4 or 8 bytes");
}

}  // namespace device

}  // namespace upsweep
