/// Copies between memory and tiles, the same for all types of elements of a size.
#include <upsweep/host/simd/lane_tiles.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace upsweep::host::simd {

tokens_of_lanes::tokens_of_lanes(lane_matrix const& x, std::size_t lanes, std::size_t tokens,
                                 std::size_t bytes)
    : x_(x), lanes_(lanes), tokens_(tokens), bytes_(bytes) {
  constexpr std::size_t fewest_lanes = 8;
  auto const size = static_cast<std::ptrdiff_t>(bytes);
  bool const are_contiguous = x.token == size || x.token == -size;
  has_tiles_ = lanes >= fewest_lanes && are_contiguous && x.lane % 256 == 0;
  constexpr std::size_t worth_prefetching = 16;
  prefetched_ = x.lane == size && lanes >= worth_prefetching ? lanes * bytes : 0;
  stride_ = has_tiles_ ? size : x.lane;
}

namespace {

/// Vectors of 16 bytes, whose elements are moved, whatever their type.
template <class T>
using vector_of __attribute__((vector_size(16))) = T;

/// The transpose of n vectors of n elements: a perfect shuffle, log2(n) times.
template <class T, std::size_t n = 16 / sizeof(T)>
void transpose(vector_of<T> (&x)[n]) {
  for (std::size_t size = 1; size < n; size *= 2) {
    vector_of<T> y[n];
    for (std::size_t i = 0; i < n / 2; ++i) {
      vector_of<T> const l = x[i], r = x[i + n / 2];
      if constexpr (n == 8) {
        y[2 * i] = __builtin_shufflevector(l, r, 0, 8, 1, 9, 2, 10, 3, 11);
        y[2 * i + 1] = __builtin_shufflevector(l, r, 4, 12, 5, 13, 6, 14, 7, 15);
      } else if constexpr (n == 4) {
        y[2 * i] = __builtin_shufflevector(l, r, 0, 4, 1, 5);
        y[2 * i + 1] = __builtin_shufflevector(l, r, 2, 6, 3, 7);
      } else if constexpr (n == 2) {
        y[2 * i] = __builtin_shufflevector(l, r, 0, 2);
        y[2 * i + 1] = __builtin_shufflevector(l, r, 1, 3);
      }
    }
    std::memcpy(x, y, sizeof x);
  }
}

/// An element that is as long as a vector.
struct long_element {
  std::uint64_t parts[2];
};

}  // namespace

/// Copies the elements of the tile from memory, or to it.
template <bool loads, class T>
void tokens_of_lanes::copy() {
  constexpr std::size_t n = 16 / sizeof(T);
  std::size_t const blocks = n > 1 && (end_ - begin_) % n == 0 ? lanes_ / n * n : 0;
  for (std::size_t l = 0; l < lanes_; ++l) __builtin_prefetch(x_.at(end_, l));
  auto const row_of = [&](std::size_t t, std::size_t l) {
    return rows_ + ((t - begin_) * most_lanes + l) * sizeof(T);
  };
  auto const move = [](std::byte* in_memory, std::byte* in_tile, std::size_t bytes) {
    loads ? std::memcpy(in_tile, in_memory, bytes) : std::memcpy(in_memory, in_tile, bytes);
  };
  if constexpr (n > 1) {
    bool const backward = x_.token < 0;
    for (std::size_t l = 0; l < blocks; l += n)
      for (std::size_t t = begin_; t < end_; t += n) {
        std::size_t const last = t + n - 1;
        auto const vector_at = [&](bool of_memory, std::size_t k) {
          if (of_memory) return x_.at(backward ? last : t, l + k);
          return row_of(backward ? last - k : t + k, l);
        };
        vector_of<T> x[n];
        for (std::size_t k = 0; k < n; ++k) std::memcpy(&x[k], vector_at(loads, k), 16);
        transpose<T>(x);
        for (std::size_t k = 0; k < n; ++k) std::memcpy(vector_at(!loads, k), &x[k], 16);
      }
  }
  for (std::size_t l = blocks; l < lanes_; ++l)
    for (std::size_t t = begin_; t < end_; ++t) move(x_.at(t, l), row_of(t, l), sizeof(T));
}

template <bool loads>
void tokens_of_lanes::copy_tile() {
  switch (bytes_) {
    case 2:
      return copy<loads, std::uint16_t>();
    case 4:
      return copy<loads, std::uint32_t>();
    case 8:
      return copy<loads, std::uint64_t>();
    default:
      return copy<loads, long_element>();
  }
}

void tokens_of_lanes::load(std::size_t t) {
  begin_ = t;
  end_ = std::min(tokens_, t + line / bytes_);
  copy_tile<true>();
}
void tokens_of_lanes::flush() {
  if (has_tiles_) copy_tile<false>();
}
void tokens_of_lanes::begin_to_store(std::size_t t) {
  flush();
  begin_ = t;
  end_ = std::min(tokens_, t + line / bytes_);
}

}  // namespace upsweep::host::simd
