/// The parameters of every selection on a GPU.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>

#include <cstddef>

namespace upsweep::device {

struct selection_call {
  std::size_t n;
  word const* length;  ///< null, or in device memory: there are only so many elements, if less
  word* counts;        ///< where the number of elements of each part goes
  bool in_place;       ///< an output begins where the input does

  __device__ std::size_t size() const {
    if (length == nullptr) return n;
    std::size_t const m = length[0];
    return m < n ? m : n;
  }
};

}  // namespace upsweep::device
