/// The lanes of tokens one after another, in memory or in tiles of it.
#pragma once

#include <upsweep/core/compiler.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>

namespace upsweep::host::simd {

/// Lanes that are contiguous in memory each, a multiple of 256 bytes apart, evict each other from
/// the caches: of those a cache line of each is read or written at a time.
class tokens_of_lanes {
 public:
  /// `bytes` are those of an element.
  tokens_of_lanes(lane_matrix const& x, std::size_t lanes, std::size_t tokens, std::size_t bytes);

  /// Bytes from a lane to the next.
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  /// Those of token t, which is not before the one of the last call.
  UPSWEEP_INLINED std::byte const* read(std::size_t t) {
    if (!has_tiles_) return in_memory(t);
    if (t >= end_) load(t);
    return row(t);
  }
  /// Where those of the next token, t, are to be stored. What is stored is in memory after flush().
  UPSWEEP_INLINED std::byte* write(std::size_t t) {
    if (!has_tiles_) return in_memory(t);
    if (t >= end_) begin_to_store(t);
    return row(t);
  }
  void flush();

 private:
  void load(std::size_t t);
  void begin_to_store(std::size_t t);
  std::byte* row(std::size_t t) { return rows_ + (t - begin_) * most_lanes * bytes_; }
  /// Processors do not prefetch parts of rows, which have gaps of any size between them.
  [[nodiscard]] UPSWEEP_INLINED std::byte* in_memory(std::size_t t) const {
    if (prefetched_ > 0) {
      std::byte const* const row = x_.at(t + 8, 0);
      for (std::size_t at = 0; at < prefetched_; at += line) __builtin_prefetch(row + at);
    }
    return x_.at(t, 0);
  }
  template <bool loads>
  void copy_tile();
  template <bool loads, class T>
  void copy();

  static constexpr std::size_t line = 64;  // bytes

  lane_matrix x_;
  std::size_t lanes_, tokens_, bytes_;
  bool has_tiles_;
  std::size_t prefetched_;  ///< bytes of a token
  std::ptrdiff_t stride_;
  std::size_t begin_ = 0, end_ = 0;  ///< tokens of the tile
  alignas(line) std::byte rows_[line * most_lanes];
};

}  // namespace upsweep::host::simd
