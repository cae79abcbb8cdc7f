/// Merge sorts by any order, by CUB with temporary storage in the stream's order.
#pragma once

#include <upsweep/cuda/sort/scratch.cuh>

#include <cstddef>
#include <cub/device/device_merge_sort.cuh>
#include <type_traits>

namespace upsweep::device {

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
        return cub::DeviceMergeSort::StableSortKeys(rest, bytes, keys, count, order, on.stream);
      else
        return cub::DeviceMergeSort::StableSortPairs(rest, bytes, keys, values, count, order,
                                                     on.stream);
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

}  // namespace upsweep::device
