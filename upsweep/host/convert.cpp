/// The conversion of arrays of 16-bit floats.
#include <upsweep/host/convert.hpp>

#if defined(UPSWEEP_HAS_FLOAT16) && defined(__x86_64__)
#include <immintrin.h>
#endif

namespace upsweep::host {

#ifdef UPSWEEP_HAS_FLOAT16
namespace {

/// Converts the elements from number i on.
[[gnu::always_inline]] inline void convert_rest(float* to, float16 const* from, std::size_t i,
                                                std::size_t n) {
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
void convert_anywhere(float* to, float16 const* from, std::size_t n) {
  convert_rest(to, from, 0, n);
}
#ifdef __x86_64__
UPSWEEP_FLATTEN_AVX2 void convert_avx2(float* to, float16 const* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const* const eight = reinterpret_cast<__m128i const*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
  convert_rest(to, from, i, n);
}
#endif

}  // namespace

void convert(float* to, float16 const* from, std::size_t n) {
#ifdef __x86_64__
  if (widest_registers() != registers::any) return convert_avx2(to, from, n);
#endif
  convert_anywhere(to, from, n);
}
#endif

}  // namespace upsweep::host
