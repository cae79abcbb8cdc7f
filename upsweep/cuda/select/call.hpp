/// The parameters of every selection on a GPU.
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>

namespace upsweep::device {

struct selection_call : bounded_size {
  word* counts;   ///< where the number of elements of each part goes
  bool in_place;  ///< an output begins where the input does
};

}  // namespace upsweep::device
