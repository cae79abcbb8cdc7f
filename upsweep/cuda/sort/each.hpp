/// A function for each index: what sorts do before and after CUB.
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

inline constexpr unsigned each_threads = 256;

/// Calls f(i) for the indices below size(), or if `from_size` for those from there up to `most`.
/// Each thread has its own f, and calls f.finish() in the end if there is such a function.
template <class F>
__global__ void __launch_bounds__(each_threads)
    for_each_index(bounded_size size, bool from_size, F f) {
  constexpr unsigned at_once = 4;
  wait_for_earlier_work();
  std::size_t const end = from_size ? size.most : size.size(), begin = from_size ? size.size() : 0,
                    step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < end;
       i += at_once * step)
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k)
      if (i + k * step < end) f(i + k * step);
  if constexpr (requires { f.finish(); }) f.finish();
}

/// to[i] = from[i]
template <class From, class To>
struct copy_element {
  From from;
  To to;
  __device__ void operator()(std::size_t i) const {
    to[i] = static_cast<std::remove_cvref_t<decltype(to[i])>>(from[i]);
  }
};

/// to[i] = i
template <class Position>
struct store_position {
  Position* to;
  __device__ void operator()(std::size_t i) const { to[i] = static_cast<Position>(i); }
};

/// to[i] = from[order[i]]
template <class V, class Position>
struct gather_element {
  V const* from;
  Position const* order;
  V* to;
  __device__ void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};

/// Saves keys after the end of an input, and replaces them by the one that stays after all
/// others.
template <class Key>
struct set_aside {
  Key* keys;
  Key* saved;  ///< null: they are not saved
  Key last;
  __device__ void operator()(std::size_t i) const {
    if (saved != nullptr) saved[i] = keys[i];
    keys[i] = last;
  }
};

}  // namespace upsweep::device
