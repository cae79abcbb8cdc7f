/// The conversion of arrays of 16-bit floats.
#include <upsweep/host/convert.hpp>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace upsweep::host {

#ifdef __x86_64__
namespace {

UPSWEEP_AVX2 void convert_by_f16c(float* to, float16 const* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const* const eight = reinterpret_cast<__m128i const*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace
#endif

void convert(float* to, float16 const* from, std::size_t n) {
#ifdef __x86_64__
  if (widest_registers() != registers::any) return convert_by_f16c(to, from, n);
#endif
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace upsweep::host
