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

/// B or C of a selective scan, [sequence, group, state, token] in device memory; strides in
/// elements.
struct selective_states {
  void const* first;
  std::ptrdiff_t sequence, group, state, token;
};

/// Mamba's selective scan of channels with 16 states each. Elements are of one real type; numbers
/// of channels and states have the type in which they are combined. All memory that may
/// be null is the device's, too.
struct selective_scans {
  host::simd::lane_type type;
  anchored_elements u, delta, z;  ///< z may be null; a lane is a channel
  selective_states b, c;
  void const *rate, *skip, *bias;  ///< A [channel, state]; D and delta's, which may be null
  bool softplus;
  std::size_t sequences, tokens, channels, groups;
  std::int64_t const* cut;        ///< as of recurrences
  anchored_memory before, after;  ///< both null: from zeros on
  anchored_elements y;
  void* last;    ///< [sequence, channel, state], or null
  void* starts;  ///< results before each 32 tokens and after the last, [number, sequence, lane], or
                 ///< null
};
/// The channels of a group are a multiple of 8 if there are several groups.
void selective_scan_on(gpu const& on, selective_scans const& call);

/// The gradients of a call with `starts`, whose tokens are a multiple of 256, and whose channels of
/// a group are one of 16. Those of elements have their layout [sequence, channel, token]; the
/// others are sums over blocks of 256 tokens or over 16 channels.
struct selective_gradients {
  anchored_elements of_y;
  void *of_u, *of_delta, *of_z;
  void* of_rate;            ///< [sequence, block, channel, state]
  void *of_skip, *of_bias;  ///< [sequence, block, channel], or null
  void *of_b, *of_c;        ///< [tile of channels, sequence, state, token]
};
void selective_gradients_on(gpu const& on, selective_scans const& of,
                            selective_gradients const& call);

}  // namespace upsweep::device
