/// Loops for AVX2 and AVX-512: conversions of arrays of 16-bit floats, and checks of offsets.
#include <upsweep/host/convert.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/segments.hpp>

#include <cstddef>
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace upsweep::host {

namespace {

template <class T>
bool ascend(T const* offsets, std::size_t begin, std::size_t end) {
  return in_widest_registers(
      [=]() UPSWEEP_INLINED { return detail::offsets_ascend(offsets, begin, end); });
}

#ifdef __x86_64__
UPSWEEP_AVX2 void convert_by_f16c(float* to, float16 const* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const* const eight = reinterpret_cast<__m128i const*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
#endif

}  // namespace

void convert(float* to, float16 const* from, std::size_t n) {
#ifdef __x86_64__
  if (widest_registers() != registers::any) return convert_by_f16c(to, from, n);
#endif
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

bool offsets_ascend(std::uint64_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}
bool offsets_ascend(std::uint32_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}
bool offsets_ascend(std::int32_t const* offsets, std::size_t begin, std::size_t end) {
  return ascend(offsets, begin, end);
}

}  // namespace upsweep::host
