/// Sorts what one block can hold, in one launch without temporary storage, by CUB's sorts of a
/// block. docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/sort/keys.hpp>

#include <cstddef>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/util_type.cuh>
#include <type_traits>

CUB_NAMESPACE_BEGIN

/// CUB's radix sorts take a type for which this is specialized as a number of its own, and sort it
/// by the integers that TwiddleIn returns.
template <class U>
struct NumericTraits<upsweep::device::float_key<U>> {
  using key = upsweep::device::float_key<U>;
  using UnsignedBits = U;
  static constexpr U LOWEST_KEY = key::first, MAX_KEY = key::last;
  static constexpr bool is_primitive = false;

  static __host__ __device__ __forceinline__ U TwiddleIn(U bits) { return key::ordered(bits); }
  static __host__ __device__ __forceinline__ U TwiddleOut(U bits) {
    return key::from_ordered(bits);
  }
};

CUB_NAMESPACE_END

namespace upsweep::device {

/// A block of `threads` threads that have `items` elements each, sorted by digits of `bits` bits.
template <unsigned threads_, unsigned items_, unsigned bits_>
struct block_sort_shape {
  static constexpr unsigned threads = threads_, items = items_, bits = bits_,
                            size = threads * items;
};
using small_sort = block_sort_shape<128, 4, 4>;
/// CUB's own choice for 4-byte keys in one block, with a few elements less.
template <std::size_t bytes>
using large_sort = block_sort_shape<256, (bytes <= 8 ? 16 : 8), 6>;

/// The same, sorted by merges. These take a step for each doubling of the length instead of each
/// digit, so for keys of 4 and 8 bytes they are faster up to 2048 elements.
template <unsigned threads_, unsigned items_>
struct block_merge_shape {
  static constexpr unsigned threads = threads_, items = items_, size = threads * items;
};

/// What a block sorts: keys, and values or their positions along with them. What has no output is
/// null.
template <class Key, class Value>
struct block_sort_call : bounded_size {
  Key const* keys;
  Key* keys_out;
  Value const* values;  ///< null: positions
  Value* values_out;
  unsigned kept = ~0U;  ///< the most elements that are stored
  static constexpr bool has_values = !std::is_same_v<Value, cub::NullType>;

  /// The value of element i of n.
  __device__ Value value(unsigned i, unsigned n) const {
    if constexpr (!has_values)
      return {};
    else
      return values == nullptr ? static_cast<Value>(i) : i < n ? values[i] : Value{};
  }
  /// Stores element i of n.
  __device__ void store(unsigned i, unsigned n, Key const& key, Value const& value) const {
    if (i >= n || i >= kept) return;
    if (keys_out != nullptr) keys_out[i] = key;
    if constexpr (has_values) values_out[i] = value;
  }
};

/// The sort by digits.
template <class Shape, bool descending, class Key, class Value>
__global__ void __launch_bounds__(Shape::threads) radix_block(block_sort_call<Key, Value> call) {
  constexpr bool has_values = block_sort_call<Key, Value>::has_values;
  using sorter =
      cub::BlockRadixSort<Key, int{Shape::threads}, int{Shape::items}, Value, int{Shape::bits}>;
  __shared__ typename sorter::TempStorage scratch;
  wait_for_earlier_work();
  auto const n = static_cast<unsigned>(call.size()), first = threadIdx.x * Shape::items;
  Key keys[Shape::items];
  Value values[Shape::items];
#pragma unroll
  for (unsigned j = 0; j < Shape::items; ++j) {
    unsigned const i = first + j;
    // The sort is stable, so these stay after equal keys.
    keys[j] = i < n ? call.keys[i] : last_key<descending, Key>();
    values[j] = call.value(i, n);
  }
  if constexpr (!has_values && descending)
    sorter(scratch).SortDescendingBlockedToStriped(keys);
  else if constexpr (!has_values)
    sorter(scratch).SortBlockedToStriped(keys);
  else if constexpr (descending)
    sorter(scratch).SortDescendingBlockedToStriped(keys, values);
  else
    sorter(scratch).SortBlockedToStriped(keys, values);
#pragma unroll
  for (unsigned j = 0; j < Shape::items; ++j)
    call.store(threadIdx.x + j * Shape::threads, n, keys[j], values[j]);
}

/// The sort by merges of the integers in which keys are ordered.
template <class Shape, bool descending, class Key, class Value>
__global__ void __launch_bounds__(Shape::threads) merge_block(block_sort_call<Key, Value> call) {
  constexpr bool has_values = block_sort_call<Key, Value>::has_values;
  using bits = detail::bits_of_size<sizeof(Key)>;
  using sorter = cub::BlockMergeSort<bits, int{Shape::threads}, int{Shape::items}, Value>;
  __shared__ typename sorter::TempStorage scratch;
  wait_for_earlier_work();
  auto const n = static_cast<unsigned>(call.size()), first = threadIdx.x * Shape::items;
  bits keys[Shape::items];
  Value values[Shape::items];
#pragma unroll
  for (unsigned j = 0; j < Shape::items; ++j) {
    unsigned const i = first + j;
    // The sort is stable, so these stay after equal keys.
    keys[j] = i < n ? to_ordered<descending>(call.keys[i]) : static_cast<bits>(-1);
    values[j] = call.value(i, n);
  }
  auto const less = [](bits a, bits b) { return a < b; };
  if constexpr (has_values)
    sorter(scratch).StableSort(keys, values, less);
  else
    sorter(scratch).StableSort(keys, less);
#pragma unroll
  for (unsigned j = 0; j < Shape::items; ++j)
    call.store(first + j, n, from_ordered<descending, Key>(keys[j]), values[j]);
}

template <class Key, class Value>
inline constexpr std::size_t key_or_value_bytes = sizeof(Key) > sizeof(Value) ? sizeof(Key)
                                                                              : sizeof(Value);

/// The most elements that one block sorts.
template <class Key, class Value>
inline constexpr std::size_t most_in_block = large_sort<key_or_value_bytes<Key, Value>>::size;

template <auto kernel, class Shape, class Key, class Value>
void launch_one_block(gpu const& on, block_sort_call<Key, Value> const& call) {
  cuda_plan const plan{.algorithm = cuda_algorithm::sort_block,
                       .tile = Shape::size,
                       .blocks = 1,
                       .threads = Shape::threads,
                       .launches = 1,
                       .traffic_bytes = 2 * call.most * sizeof(Key)};
  launch<kernel>(plan, on, device_of(on), call);
}

/// Launches the sort of at most most_in_block elements.
template <bool descending, class Key, class Value>
void launch_sort_block(gpu const& on, block_sort_call<Key, Value> const& call) {
  if constexpr (sizeof(Key) >= 4) {
    auto const merge = [&]<class Shape>(Shape) {
      launch_one_block<merge_block<Shape, descending, Key, Value>, Shape>(on, call);
    };
    if (call.most <= 512) return merge(block_merge_shape<256, 2>{});
    if (call.most <= 1024) return merge(block_merge_shape<512, 2>{});
    if (call.most <= 2048) return merge(block_merge_shape<1024, 2>{});
  } else if (call.most <= small_sort::size) {
    return launch_one_block<radix_block<small_sort, descending, Key, Value>, small_sort>(on, call);
  }
  using large = large_sort<key_or_value_bytes<Key, Value>>;
  if constexpr (large::size > 2048 || sizeof(Key) < 4)
    launch_one_block<radix_block<large, descending, Key, Value>, large>(on, call);
}

}  // namespace upsweep::device
