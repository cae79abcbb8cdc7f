/// A recurrence as an operator for a parallel scan. README.md says what is wrong and what to do;
/// the kernel itself is right.
#pragma once

#include <upsweep/textbook/scan/block/kogge_stone.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

/// An element is one step, x -> a·x + b. Its a and b are the only members of T; they wrap modulo
/// 2^32.
struct recurrence {
  /// The identity: the step that changes nothing.
  template <class T>
  __device__ T identity() const {
    return {1, 0};
  }
  /// As in the loop: `earlier.b` is the value so far, and the later step multiplies it by a and
  /// adds b.
  template <class T>
  __device__ T operator()(T earlier, T later) const {
    return {later.a, later.a * earlier.b + later.b};
  }
};

template <int threads>
using recurrence_plan = textbook::kogge_stone_plan<threads>;

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
