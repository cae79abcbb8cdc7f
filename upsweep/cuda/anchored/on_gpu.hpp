/// Linear recurrences in the tree of anchored blocks on a GPU, compiled in the library.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

/// Elements [sequence, token, lane] in device memory; strides in elements.
struct anchored_elements {
  void* first;
  std::ptrdiff_t sequence, token, lane;
};
/// `value` [sequence, lane], `totals` [sequence, 8, 2, lane] and `position` [sequence], without
/// gaps. Values are those in which elements are combined.
struct anchored_memory {
  void* value;
  void* totals;
  std::int64_t* position;
};

/// What the gradients of a recurrence are made of besides: rows of lanes for each sequence without
/// gaps, elements that are laid out as h, and the state before the recurrence.
struct anchored_gradients {
  void const* factor;
  void const* of;
  void* of_a;
  anchored_memory start;
};

/// h[t] = a[t] h[t-1] + b[t] of each sequence, from its state before on. With `cut`, in device
/// memory, sequence s consists of the tokens [cut[s], cut[s + 1]) of the first in memory, and
/// `tokens` is the largest number of them; otherwise each has `tokens`. The memory of h and of the
/// states after is not that of anything read.
struct anchored_recurrences {
  host::simd::lane_type type;
  anchored_elements a, b, h;
  std::size_t sequences, tokens, lanes;
  std::int64_t const* cut;
  anchored_memory before, after;
  bool backward;
  /// With it, the gradients of the recurrence that has the coefficients a and the results `of`, and
  /// goes in the other direction: h[t] = b[t] + conj(a[t-1]) h[t-1], and h[t] conj(of[t+1]) in
  /// `of_a`, where tokens are counted as this call goes. `factor` is a before the first token, and
  /// the result of `start` follows the last.
  anchored_gradients const* gradients = nullptr;
};
void anchored_recurrence_on(gpu const& on, anchored_recurrences const& call);

}  // namespace upsweep::device
