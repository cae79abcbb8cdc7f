/// Radix sorts of numbers: by one block, or by CUB with temporary storage in the stream's order.
#pragma once

#include <upsweep/cuda/sort/block.cuh>
#include <upsweep/cuda/sort/scratch.cuh>

#include <cstddef>
#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

namespace upsweep::device {

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
                code = sort_words<descending>(rest, bytes, k, count, on.stream);
              else if constexpr (!has_values && descending)
                code = sort::SortKeysDescending(rest, bytes, k, count, 0, end, on.stream);
              else if constexpr (!has_values)
                code = sort::SortKeys(rest, bytes, k, count, 0, end, on.stream);
              else if constexpr (descending)
                code = sort::SortPairsDescending(rest, bytes, k, v, count, 0, end, on.stream);
              else
                code = sort::SortPairs(rest, bytes, k, v, count, 0, end, on.stream);
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
                                                 count, 0, static_cast<int>(bits), on.stream);
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
                    rest, bytes, keys, sorted, positions, order, count, 0, end, on.stream);
              else
                return cub::DeviceRadixSort::SortPairs(rest, bytes, keys, sorted, positions, order,
                                                       count, 0, end, on.stream);
            });
  });
}

}  // namespace upsweep::device
