/// Linear recurrences of sequences in memory, in the tree of anchored blocks (docs/spec/blocks.md),
/// compiled in the library.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// Elements [sequence, token, lane].
struct sequence_elements {
  std::byte* first;
  std::size_t count, tokens, lanes;
  std::ptrdiff_t sequence, token, lane;  ///< strides in bytes

  /// The tokens of a sequence from `begin` on, or, from its last one on, backward.
  [[nodiscard]] simd::lane_matrix from(std::size_t s, std::size_t begin, std::size_t l,
                                       bool backward) const {
    auto const at = [](std::size_t i, std::ptrdiff_t stride) {
      return static_cast<std::ptrdiff_t>(i) * stride;
    };
    return {first + at(s, sequence) + at(begin, token) + at(l, lane), backward ? -token : token,
            lane};
  }
};

/// The states of sequences: a row of lanes of values for each, 16 rows of totals and a position,
/// from 0 to 255.
struct sequence_states {
  std::size_t count;
  std::byte *values, *totals;
  std::int64_t* positions;
};

/// What gradients are made of besides (simd::lane_gradients): `factor` is a row of lanes for each
/// sequence.
struct sequence_gradients {
  std::byte const* factor;
  sequence_elements of, of_a;
  sequence_states start;
};

/// h of a[t] h[t-1] + b[t] for each sequence, which begins in its state; the states become those
/// after it. With `cut`, sequence s consists of the tokens [cut[s], cut[s + 1]) of the first in
/// memory. With `gradients`, those of a recurrence in the other direction. The memory of h may be
/// that of a or b, but not with gradients.
struct anchored_sequences {
  simd::lane_type type;
  sequence_elements a, b, h;
  sequence_states states;
  bool backward;
  std::int64_t const* cut = nullptr;
  sequence_gradients const* gradients = nullptr;
};
UPSWEEP_API void run(cpu const& on, anchored_sequences const& call);

}  // namespace upsweep::host
