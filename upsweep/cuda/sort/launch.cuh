/// sort, sort_by_key and argsort: numbers by radix sorts, everything else by merge sorts.
#pragma once

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <upsweep/cuda/sort/block.cuh>
#include <upsweep/cuda/sort/scratch.cuh>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

// Radix sorts of numbers: by one block, or by CUB with temporary storage in the stream's order.

#if CUB_VERSION / 100 == 3000
/// CUB's passes over keys of 4 bytes take tiles of 20 elements a thread, over those of type `float`
/// of 19, which are up to 14 % faster on an H100 for all keys but falling integers. So this takes
/// the passes that CUB has for `float`. The call is one of CUB 3.0.
template <bool descending, class Key, class Count>
cudaError_t sort_words(void* rest, std::size_t& bytes, cub::DoubleBuffer<Key>& keys, Count count,
                       cudaStream_t stream) {
  constexpr auto order = descending ? cub::SortOrder::Descending : cub::SortOrder::Ascending;
  using none = cub::NullType;
  using offset = cub::detail::choose_offset_t<Count>;
  using tuning = cub::detail::radix::policy_hub<float, none, offset>;
  using sort =
      cub::DispatchRadixSort<order, Key, none, offset, cub::detail::identity_decomposer_t, tuning>;
  cub::DoubleBuffer<none> no_values;
  return sort::Dispatch(rest, bytes, keys, no_values, count, 0, 32, true, stream);
}
template <bool descending, class Key>
inline constexpr bool sorts_as_words = sizeof(Key) == 4 && !(descending && std::is_integral_v<Key>);
#else
template <bool descending, class Key>
inline constexpr bool sorts_as_words = false;
#endif

/// Sorts in place. CUB's passes alternate between the arrays and temporary storage; after an
/// odd number of them, as for bytes, the result is copied.
template <bool descending, class Key, class Value>
void radix_sort(gpu const& on, Key* keys, Value* values, std::size_t n) {
  constexpr bool has_values = !std::is_same_v<Value, cub::NullType>;
  scratch_parts parts;
  auto const key_part = parts.add<Key>(n);
  auto const value_part = parts.add<Value>(has_values ? n : 0);
  with_count_type(n, [&](auto count) {
    cub::DoubleBuffer<Key> k(keys, nullptr);
    cub::DoubleBuffer<Value> v(values, nullptr);
    auto const set_buffers = [&](scratch_memory const& memory) {
      k.d_buffers[1] = memory.at<Key>(key_part);
      if constexpr (has_values) v.d_buffers[1] = memory.at<Value>(value_part);
    };
    run_cub(on, cuda_algorithm::cub_radix_sort, {n, 8 * sizeof(Key)}, parts, set_buffers,
            [&](void* rest, std::size_t& bytes) {
              [[maybe_unused]] constexpr int end = 8 * static_cast<int>(sizeof(Key));
              using sort = cub::DeviceRadixSort;
              cudaError_t code = cudaSuccess;
              if constexpr (!has_values && sorts_as_words<descending, Key>)
                code = sort_words<descending>(rest, bytes, k, count, stream_of(on));
              else if constexpr (!has_values && descending)
                code = sort::SortKeysDescending(rest, bytes, k, count, 0, end, stream_of(on));
              else if constexpr (!has_values)
                code = sort::SortKeys(rest, bytes, k, count, 0, end, stream_of(on));
              else if constexpr (descending)
                code = sort::SortPairsDescending(rest, bytes, k, v, count, 0, end, stream_of(on));
              else
                code = sort::SortPairs(rest, bytes, k, v, count, 0, end, stream_of(on));
              if (rest != nullptr && code == cudaSuccess) {
                copy_elements(on, keys, k.Current(), n);
                if constexpr (has_values) copy_elements(on, values, v.Current(), n);
              }
              return code;
            });
  });
}

/// Stores pairs elsewhere, sorted by their keys, which are integers below 2^bits.
template <class Key, class Value>
void radix_sort_pairs_to(gpu const& on, Key const* keys, Key* sorted_keys, Value const* values,
                         Value* sorted, std::size_t n, unsigned bits) {
  with_count_type(n, [&](auto count) {
    run_cub(
        on, cuda_algorithm::cub_radix_sort, {n, bits}, {}, [](scratch_memory const&) {},
        [&](void* rest, std::size_t& bytes) {
          return cub::DeviceRadixSort::SortPairs(rest, bytes, keys, sorted_keys, values, sorted,
                                                 count, 0, static_cast<int>(bits), stream_of(on));
        });
  });
}

/// Stores the positions of the sorted elements in `order`; the keys stay as they are.
template <bool descending, class Key, class Position>
void radix_argsort(gpu const& on, Key const* keys, Position* order, std::size_t n) {
  scratch_parts parts;
  auto const key_part = parts.add<Key>(n);
  auto const position_part = parts.add<Position>(n);
  with_count_type(n, [&](auto count) {
    Key* sorted = nullptr;
    Position* positions = nullptr;
    auto const store_positions = [&](scratch_memory const& memory) {
      sorted = memory.at<Key>(key_part);
      positions = memory.at<Position>(position_part);
      launch_for_each(on, {n, nullptr}, false, store_position<Position>{positions});
    };
    run_cub(on, cuda_algorithm::cub_radix_sort, {n, 8 * sizeof(Key)}, parts, store_positions,
            [&](void* rest, std::size_t& bytes) {
              [[maybe_unused]] constexpr int end = 8 * static_cast<int>(sizeof(Key));
              if constexpr (descending)
                return cub::DeviceRadixSort::SortPairsDescending(
                    rest, bytes, keys, sorted, positions, order, count, 0, end, stream_of(on));
              else
                return cub::DeviceRadixSort::SortPairs(rest, bytes, keys, sorted, positions, order,
                                                       count, 0, end, stream_of(on));
            });
  });
}

// Merge sorts by any order, by CUB with temporary storage in the stream's order.

/// The order as CUB calls it.
template <class Less>
struct merge_order {
  Less less;
  template <class T>
  __host__ __device__ bool operator()(T const& a, T const& b) const {
    return static_cast<bool>(detail::invoke_function(less, a, b));
  }
};

inline void expect_length_of_host(gpu const& on) {
  detail::expects(
      on.length_from == nullptr,
      "sort: .length_from needs numbers and one of the orders ascending and descending");
}

/// Sorts keys in place, and values along with them.
template <class Key, class Value, class Less>
void merge_sort(gpu const& on, Key* keys, Value* values, std::size_t n, Less const& less) {
  expect_length_of_host(on);
  merge_order<Less> const order{less};
  with_count_type(n, [&](auto count) {
    auto const sort = [&](void* rest, std::size_t& bytes) {
      if constexpr (std::is_same_v<Value, cub::NullType>)
        return cub::DeviceMergeSort::StableSortKeys(rest, bytes, keys, count, order, stream_of(on));
      else
        return cub::DeviceMergeSort::StableSortPairs(rest, bytes, keys, values, count, order,
                                                     stream_of(on));
    };
    run_cub(
        on, cuda_algorithm::cub_merge_sort, {n, 8 * sizeof(Key)}, {}, [](scratch_memory const&) {},
        sort);
  });
}

/// Stores the positions of the sorted elements in `order`.
template <class T, class Position, class Less>
void merge_argsort(gpu const& on, T const* x, Position* order, std::size_t n, Less const& less) {
  scratch_parts parts;
  auto const copied = parts.add<T>(n);
  scratch_memory const memory(on, parts);
  copy_elements(on, memory.at<T>(copied), x, n);
  launch_for_each(on, {n, nullptr}, false, store_position<Position>{order});
  merge_sort(on, memory.at<T>(copied), order, n, less);
}

template <class T>
struct sort_kernels {};

template <class T>
UPSWEEP_BOTH constexpr void check_sorted() {
  static_assert(
      std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && sizeof(T) <= 128,
      "upsweep::gpu: elements that are sorted must be trivially copyable, default-constructible "
      "and at most 128 bytes");
}
template <class Less>
inline constexpr bool is_descending = std::is_same_v<Less, descending>;

/// Calls f(Position) with the narrower type that holds the positions of n elements.
template <class F>
void with_position_type(std::size_t n, F const& f) {
  if (n >> 32 == 0)
    f(std::uint32_t{});
  else
    f(std::uint64_t{});
}

/// Sorts numbers in place, and values along with them. With a length in device memory, what is
/// after it is kept, and sorted as keys that come last.
template <class Less, class T, class Value>
void sort_numbers(gpu const& on, T* x, Value* values, std::size_t n) {
  using key = radix_key<T>;
  constexpr bool falls = is_descending<Less>;
  auto* const keys = reinterpret_cast<key*>(x);
  bounded_size const size = size_of_call(on, n);
  if (n <= most_in_block<key, Value>)
    return launch_sort_block<falls>(on,
                                    block_sort_call<key, Value>{size, keys, keys, values, values});
  stream_memory saved;
  if (size.given != nullptr) {
    saved = take_memory(on, n * sizeof(key));
    launch_for_each(on, size, true,
                    set_aside<key>{keys, static_cast<key*>(saved.data()), last_key<falls, key>()});
  }
  radix_sort<falls>(on, keys, values, n);
  if (size.given != nullptr)
    launch_for_each(on, size, true,
                    copy_element<key const*, key*>{static_cast<key*>(saved.data()), keys});
}

/// The positions of sorted numbers. With a length in device memory, positions after it are stored
/// after it.
template <class Less, class T, class Position>
void argsort_numbers(gpu const& on, T const* x, Position* order, std::size_t n) {
  using key = radix_key<T>;
  constexpr bool falls = is_descending<Less>;
  auto const* keys = reinterpret_cast<key const*>(x);
  bounded_size const size = size_of_call(on, n);
  if (n <= most_in_block<key, Position>)
    return launch_sort_block<falls>(
        on, block_sort_call<key, Position>{size, keys, nullptr, nullptr, order});
  stream_memory copied;
  if (size.given != nullptr) {
    copied = take_memory(on, n * sizeof(key));
    auto* const to = static_cast<key*>(copied.data());
    copy_elements(on, to, keys, n);
    launch_for_each(on, size, true, set_aside<key>{to, nullptr, last_key<falls, key>()});
    keys = to;
  }
  radix_argsort<falls>(on, keys, order, n);
}

template <class T, class Less>
void sort_on(gpu const& on, T* x, std::size_t n, Less const& less) {
  check_sorted<T>();
  cub::NullType* const no_values = nullptr;
  if constexpr (detail::sorts_by_bits<T, Less>)
    sort_numbers<Less>(on, x, no_values, n);
  else
    merge_sort(on, x, no_values, n, less);
}

/// Stores the first `count` of n numbers, which are no more than one block sorts.
template <class T, class Less>
void sort_first_on(gpu const& on, T const* x, T* to, std::size_t n, std::size_t count,
                   Less const&) {
  using key = radix_key<T>;
  launch_sort_block<is_descending<Less>>(
      on, block_sort_call<key, cub::NullType>{{n, nullptr},
                                              reinterpret_cast<key const*>(x),
                                              reinterpret_cast<key*>(to),
                                              nullptr,
                                              nullptr,
                                              static_cast<unsigned>(count)});
}

/// Values of more than 16 bytes move once, in the order of the sorted positions.
template <class Less, class K, class V>
void sort_with_large_values(gpu const& on, K* keys, V* values, std::size_t n) {
  with_position_type(n, [&]<class Position>(Position) {
    scratch_parts parts;
    auto const positions = parts.add<Position>(n), moved = parts.add<V>(n);
    scratch_memory const memory(on, parts);
    auto* const order = memory.at<Position>(positions);
    launch_for_each(on, {n, nullptr}, false, store_position<Position>{order});
    sort_numbers<Less>(on, keys, order, n);
    launch_for_each(on, {n, nullptr}, false,
                    gather_element<V, Position>{values, order, memory.at<V>(moved)});
    copy_elements(on, values, memory.at<V>(moved), n);
  });
}
template <class K, class V, class Less>
void sort_by_key_on(gpu const& on, K* keys, V* values, std::size_t n, Less const& less) {
  check_sorted<K>();
  check_sorted<V>();
  if constexpr (!detail::sorts_by_bits<K, Less>)
    merge_sort(on, keys, values, n, less);
  else if constexpr (sizeof(V) <= 16)
    sort_numbers<Less>(on, keys, values, n);
  else
    sort_with_large_values<Less>(on, keys, values, n);
}

/// Positions of 32 bits are sorted faster, so they are sorted as such where that is possible, and
/// then stored as what `to` holds.
template <class It, class Out, class Less>
void argsort_on(gpu const& on, It const& first, std::size_t n, Out const& to, Less const& less) {
  using T = std::remove_cvref_t<decltype(first[0])>;
  check_sorted<T>();
  constexpr bool is_word =
      std::is_same_v<Out, std::uint32_t*> || std::is_same_v<Out, std::uint64_t*>;
  scratch_parts parts;
  if constexpr (!std::is_pointer_v<It>) {
    auto const copied = parts.add<T>(n);
    scratch_memory const memory(on, parts);
    T* const x = memory.at<T>(copied);
    launch_for_each(on, {n, nullptr}, false, copy_element<It, T*>{first, x});
    argsort_on(on, static_cast<T const*>(x), n, to, less);
  } else if constexpr (!is_word) {
    with_position_type(n, [&]<class Position>(Position) {
      auto const positions = parts.add<Position>(n);
      scratch_memory const memory(on, parts);
      auto* const order = memory.at<Position>(positions);
      argsort_on(on, first, n, order, less);
      launch_for_each(on, {n, nullptr}, false, copy_element<Position*, Out>{order, to});
    });
  } else if constexpr (!detail::sorts_by_bits<T, Less>) {
    merge_argsort(on, first, to, n, less);
  } else if constexpr (std::is_same_v<Out, std::uint64_t*>) {
    if (n >> 32 != 0 || n <= most_in_block<radix_key<T>, std::uint64_t>)
      return argsort_numbers<Less>(on, first, to, n);
    auto const positions = parts.add<std::uint32_t>(n);
    scratch_memory const memory(on, parts);
    auto* const order = memory.at<std::uint32_t>(positions);
    argsort_numbers<Less>(on, first, order, n);
    launch_for_each(on, {n, nullptr}, false, copy_element<std::uint32_t*, Out>{order, to});
  } else {
    argsort_numbers<Less>(on, first, to, n);
  }
}

}  // namespace upsweep::device

// The precompiled sorts of the library. In files that nvcc compiles they are extern templates, so
// that these files do not compile their kernels again.
#define UPSWEEP_CUDA_SORTS_BY(declare, T, Less)                                                   \
  declare template void sort_on(gpu const&, T*, std::size_t, Less const&);                        \
  declare template void sort_by_key_on(gpu const&, T*, std::uint32_t*, std::size_t, Less const&); \
  declare template void sort_by_key_on(gpu const&, T*, std::uint64_t*, std::size_t, Less const&); \
  declare template void argsort_on(gpu const&, T const* const&, std::size_t,                      \
                                   std::uint32_t* const&, Less const&);                           \
  declare template void argsort_on(gpu const&, T const* const&, std::size_t,                      \
                                   std::uint64_t* const&, Less const&);                           \
  declare template void sort_first_on(gpu const&, T const*, T*, std::size_t, std::size_t,         \
                                      Less const&);
/// The sorts of numbers of type T. `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_SORTS(declare, T)         \
  UPSWEEP_CUDA_SORTS_BY(declare, T, ascending) \
  UPSWEEP_CUDA_SORTS_BY(declare, T, descending)
#define UPSWEEP_CUDA_SORT_BY_BINS(declare, Key, V)                                      \
  declare template void radix_sort_pairs_to(gpu const&, Key const*, Key*, V const*, V*, \
                                            std::size_t, unsigned);
/// The sorts of weights of 4 and 8 bytes by their bins.
#define UPSWEEP_CUDA_SORTS_BY_BINS(declare)                        \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint16_t, std::uint32_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint16_t, std::uint64_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint32_t, std::uint32_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint32_t, std::uint64_t)

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(extern, std::int32_t)
UPSWEEP_CUDA_SORTS(extern, std::uint32_t)
UPSWEEP_CUDA_SORTS(extern, std::int64_t)
UPSWEEP_CUDA_SORTS(extern, std::uint64_t)
UPSWEEP_CUDA_SORTS(extern, float)
UPSWEEP_CUDA_SORTS(extern, double)
UPSWEEP_CUDA_SORTS_BY_BINS(extern)

}  // namespace upsweep::device
