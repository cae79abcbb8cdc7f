/// Stores that bypass the caches.
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace upsweep::host {

#ifdef __SSE2__
streaming_stores::~streaming_stores() {
  if (used_) _mm_sfence();
}

/// In aligned pieces of 16 bytes.
void streaming_stores::copy_bytes(void const* from, void* to, std::size_t bytes) {
  constexpr std::size_t piece = sizeof(__m128i);
  auto const* in = static_cast<std::byte const*>(from);
  auto* out = static_cast<std::byte*>(to);
  std::size_t const past_piece = reinterpret_cast<std::uintptr_t>(to) % piece;
  std::size_t i = past_piece == 0 ? 0 : detail::at_most(bytes, piece - past_piece);
  std::memcpy(out, in, i);
  for (; i + piece <= bytes; i += piece)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_loadu_si128(reinterpret_cast<__m128i const*>(in + i)));
  std::memcpy(out + i, in + i, bytes - i);
}
#else
streaming_stores::~streaming_stores() {
  (void)used_;  // ordinary stores need no fence
}

void streaming_stores::copy_bytes(void const* from, void* to, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

}  // namespace upsweep::host
