/// The executor of the suite of sorts, like verbs_copied_to_gpu.
#pragma once

#include "call_copies.cuh"
#include "copied_to_gpu.hpp"

#include <support/orders.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>

namespace upsweep::test {

/// Sorts on the GPU of arrays in device memory. Defined and instantiated in copied_sorts.cu.
template <class T, class Less>
struct gpu_sorts {
  static void sort(T* x, std::size_t n, Less const& less);
  static void sort_by_key(T* keys, double* values, std::size_t n, Less const& less);
  static void argsort(T const* x, std::size_t n, std::uint32_t* order, Less const& less);
  static constexpr std::tuple functions{&sort, &sort_by_key, &argsort};
};
template <class T, class Less>
struct gpu_top {
  static void run(T const* x, std::size_t n, T* out, std::size_t count, Less const& less);
  static constexpr std::tuple functions{&run};
};

namespace lists {
template <class T>
using sorts_of = dynamic::types<gpu_sorts<T, ascending>, gpu_sorts<T, descending>>;
using sorts =
    dynamic::join<sorts_of<float>, sorts_of<bfloat16>, sorts_of<std::int8_t>,
                  sorts_of<std::int64_t>,
                  dynamic::types<gpu_sorts<float, total_order>, gpu_sorts<labeled, order_of_keys>,
                                 gpu_top<float, descending>, gpu_top<labeled, order_of_keys>>>;
}  // namespace lists

struct sorts_copied_to_gpu : copied_to_gpu {
  /// The suite has its largest sizes for several threads.
  static int width(std::size_t) { return 4; }

  template <class T, class Less>
  void sort(T* x, std::size_t n, Less const& less) const {
    if constexpr (dynamic::is_in<gpu_sorts<T, Less>, lists::sorts>) {
      call_copies to;
      gpu_sorts<T, Less>::sort(to.output(x, n), n, less);
      to.finish();
    } else {
      no_kernel();
    }
  }
  template <class K, class V, class Less>
  void sort_by_key(K* keys, V* values, std::size_t n, Less const& less) const {
    if constexpr (dynamic::is_in<gpu_sorts<K, Less>, lists::sorts> && std::is_same_v<V, double>) {
      call_copies to;
      K* const there = to.output(keys, n);
      gpu_sorts<K, Less>::sort_by_key(there, to.output(values, n), n, less);
      to.finish();
    } else {
      no_kernel();
    }
  }
  template <class It, class Out, class Less>
  void argsort(It const& first, std::size_t n, Out const& order, Less const& less) const {
    using T = std::iter_value_t<It>;
    if constexpr (dynamic::is_in<gpu_sorts<T, Less>, lists::sorts> &&
                  std::is_same_v<std::iter_value_t<Out>, std::uint32_t>) {
      call_copies to;
      T const* const x = to.input(first, n);
      gpu_sorts<T, Less>::argsort(x, n, to.output(order, n), less);
      to.finish();
    } else {
      no_kernel();
    }
  }
  template <class It, class Out, class Less>
  void top(It const& first, std::size_t n, Out const& out, std::size_t count,
           Less const& less) const {
    using T = std::iter_value_t<It>;
    if constexpr (dynamic::is_in<gpu_top<T, Less>, lists::sorts> &&
                  std::is_same_v<std::iter_value_t<Out>, T>) {
      call_copies to;
      T const* const x = to.input(first, n);
      gpu_top<T, Less>::run(x, n, to.output(out, count), count, less);
      to.finish();
    } else {
      no_kernel();
    }
  }
  template <class It>
  detail::rank_neighbors<std::iter_value_t<It>> rank_neighbors(It const&, std::size_t,
                                                               std::size_t) const {
    no_kernel();
  }
};

/// A backend of the suite.
struct on_gpu_sorts {
  static sorts_copied_to_gpu make() { return {}; }
  static std::string name() { return "cuda"; }
};

}  // namespace upsweep::test
