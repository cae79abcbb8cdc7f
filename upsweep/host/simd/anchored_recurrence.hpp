/// Linear recurrences h[t] = a[t] h[t-1] + b[t] of many sequences side by side, in the tree of
/// anchored blocks (docs/spec/blocks.md).
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// The types of a, b and h. Numbers of 16 bits are combined in float.
enum class lane_type : std::uint8_t { f16, bf16, f32, f64, c64, c128 };

/// The bytes of an element, and of a number in which elements are combined.
[[nodiscard]] constexpr std::size_t bytes_of(lane_type type) {
  constexpr std::size_t bytes[] = {2, 2, 4, 8, 8, 16};
  return bytes[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::size_t number_bytes_of(lane_type type) {
  return bytes_of(type) == 2 ? 4 : bytes_of(type);
}

/// A matrix in memory: token t of lane l is at first + t * token + l * lane, in bytes.
struct lane_matrix {
  std::byte* first;
  std::ptrdiff_t token, lane;

  [[nodiscard]] std::byte* at(std::size_t t, std::size_t l) const {
    return first + static_cast<std::ptrdiff_t>(t) * token + static_cast<std::ptrdiff_t>(l) * lane;
  }
};

/// The state of `lanes` sequences at a token: of type float for numbers of 16 bits, otherwise that
/// of the elements. Lanes are contiguous.
struct lane_state {
  std::byte* value;      ///< h before the current block
  std::byte* totals;     ///< 8 digits of a and b, each a row of lanes; those of `position`
  std::ptrdiff_t row;    ///< bytes from a row to the next
  std::size_t position;  ///< tokens in the current block, below 256
};

/// So many lanes at most a call.
inline constexpr std::size_t most_lanes = 64;

/// Appends `tokens` tokens of `lanes` sequences, and stores h. The state becomes the one after
/// them. h may be a or b, which have the same layout then.
UPSWEEP_API void anchored_recurrence(lane_type type, std::size_t tokens, std::size_t lanes,
                                     lane_matrix const& a, lane_matrix const& b,
                                     lane_matrix const& h, lane_state& state);

/// What the gradients of a recurrence are made of besides, of as many tokens.
struct lane_gradients {
  std::byte const* factor;  ///< a before the first token, contiguous lanes; null: as in memory
  lane_matrix of, of_a;
  /// The state before the recurrence; without a value, the result after the last token is the next
  /// in memory.
  lane_state start;
};

/// The gradients of a recurrence with the coefficients a and the results `of`, which goes in the
/// other direction: h[t] = b[t] + conj(a[t-1]) h[t-1] and of_a[t] = h[t] conj(of[t+1]), where
/// tokens are counted as this call goes. The result of `start` follows the last.
UPSWEEP_API void anchored_gradients(lane_type type, std::size_t tokens, std::size_t lanes,
                                    lane_matrix const& a, lane_matrix const& b,
                                    lane_matrix const& h, lane_gradients const& gradients,
                                    lane_state& state);

/// The maps of blocks of 256 tokens, a block in each lane: h after them is `of_h` h + `of_b`, rows
/// of numbers. With `gradients`, those of a recurrence in the other direction, without its first
/// and last block.
UPSWEEP_API void anchored_totals(lane_type type, std::size_t lanes, lane_matrix const& a,
                                 lane_matrix const& b, bool gradients, std::byte* of_h,
                                 std::byte* of_b);
/// From such maps of blocks one after another, of `lanes` lanes each, and the value before them:
/// the values before each block, where `of_h` was, and the one after the last.
UPSWEEP_API void anchored_values(lane_type type, std::size_t blocks, std::size_t lanes,
                                 std::byte* of_h, std::byte const* of_b, std::byte* value);

/// Logarithms of sums of exponentials in the combine tree:
/// out[l] = the reduction of lane l by log_sum_exp, finished, with its bits: of `rows` elements,
/// token r of the lane, at least one. At most most_lanes lanes.
UPSWEEP_API void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, float* out);
UPSWEEP_API void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, double* out);

}  // namespace upsweep::host::simd
