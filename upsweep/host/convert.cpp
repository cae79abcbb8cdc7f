/// The conversion of arrays of 16-bit floats.
#include <upsweep/host/convert.hpp>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace upsweep::host {

namespace {

#ifdef __x86_64__
/// Converts eight at a time; returns how many.
UPSWEEP_AVX2 std::size_t convert_eights(float* to, float16 const* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const* const eight = reinterpret_cast<__m128i const*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
  return i;
}
#else
std::size_t convert_eights(float*, float16 const*, std::size_t) {
  return 0;
}
#endif

}  // namespace

void convert(float* to, float16 const* from, std::size_t n) {
  std::size_t i = widest_registers() == registers::any ? 0 : convert_eights(to, from, n);
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace upsweep::host
