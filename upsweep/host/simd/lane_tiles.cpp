/// Copies between memory and tiles, the same for all types of elements of a size.
#include <upsweep/host/simd/lane_tiles.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

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

/// copy(place in memory, place in the tile, bytes) for each element of the tile; the bytes are a
/// constant.
template <class Copy>
void tokens_of_lanes::each_element(Copy const& copy) {
  auto const of_size = [&]<std::size_t bytes>(std::integral_constant<std::size_t, bytes> size) {
    for (std::size_t l = 0; l < lanes_; ++l) {
      std::byte *at = x_.at(begin_, l), *in_tile = rows_ + l * bytes;
      __builtin_prefetch(x_.at(end_, l));
      for (std::size_t t = begin_; t < end_; ++t) {
        copy(at, in_tile, size);
        at += x_.token;
        in_tile += most_lanes * bytes;
      }
    }
  };
  switch (bytes_) {
    case 2:
      return of_size(std::integral_constant<std::size_t, 2>());
    case 4:
      return of_size(std::integral_constant<std::size_t, 4>());
    case 8:
      return of_size(std::integral_constant<std::size_t, 8>());
    default:
      return of_size(std::integral_constant<std::size_t, 16>());
  }
}

void tokens_of_lanes::load(std::size_t t) {
  begin_ = t;
  end_ = std::min(tokens_, t + line / bytes_);
  each_element(
      [](std::byte const* from, std::byte* to, auto size) { std::memcpy(to, from, size); });
}
void tokens_of_lanes::flush() {
  if (!has_tiles_) return;
  each_element(
      [](std::byte* to, std::byte const* from, auto size) { std::memcpy(to, from, size); });
}
void tokens_of_lanes::begin_to_store(std::size_t t) {
  flush();
  begin_ = t;
  end_ = std::min(tokens_, t + line / bytes_);
}

}  // namespace upsweep::host::simd
