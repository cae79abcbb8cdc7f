/// The limits: vectorised loops that the compiler clones for each vector width.
#include <bench/contestants/limits.hpp>
#include <bench/harness/competitor.hpp>

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// g++ compiles a function once per target and selects one at load time. ThreadSanitizer is not
// initialised by then, so it gets the default width, as do other compilers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define UPSWEEP_EVERY_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UPSWEEP_EVERY_WIDTH
#endif

namespace upsweep::bench {
namespace {

typedef unsigned long long word __attribute__((may_alias));  // NOLINT: `using` drops the attribute

constexpr std::size_t grain =
    4096;  // shares begin at pages, so no two members write one cache line

}  // namespace

// Loops over words rather than vectors: for vectors that are wider than the machine's, g++ keeps
// the sums in memory, seven times slower in a cache.
UPSWEEP_EVERY_WIDTH unsigned long long read_loop(void const* in, std::size_t bytes) {
  auto const* const x = static_cast<word const*>(in);
  std::size_t const words = bytes / sizeof(word);
  unsigned long long a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 256 <= words; i += 256)
    for (std::size_t j = 0; j < 64; ++j) {
      a += x[i + j];
      b += x[i + 64 + j];
      c += x[i + 128 + j];
      d += x[i + 192 + j];
    }
  for (; i < words; ++i) a += x[i];
  return a + b + c + d;
}

void cached_copy(void const* in, void* out, std::size_t bytes) {
  std::memcpy(out, in, bytes);
}

void streaming_copy(void const* in, void* out, std::size_t bytes) {
#if defined(__SSE2__)
  auto const* x = static_cast<__m128i const*>(in);
  auto* y = static_cast<__m128i*>(out);
  std::size_t const count = bytes / sizeof(__m128i);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {  // a whole cache line at once, for the write-combining buffers
    __m128i const a = _mm_loadu_si128(x + i), b = _mm_loadu_si128(x + i + 1);
    __m128i const c = _mm_loadu_si128(x + i + 2), d = _mm_loadu_si128(x + i + 3);
    _mm_stream_si128(y + i, a);
    _mm_stream_si128(y + i + 1, b);
    _mm_stream_si128(y + i + 2, c);
    _mm_stream_si128(y + i + 3, d);
  }
  for (; i < count; ++i) _mm_stream_si128(y + i, _mm_loadu_si128(x + i));
  _mm_sfence();  // the non-temporal stores are now ordered before later stores
#else
  std::memcpy(out, in, bytes);
#endif
}

UPSWEEP_EVERY_WIDTH void update_loop(void* data, std::size_t bytes) {
  auto* x = static_cast<word*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(word); ++i) ++x[i];
}

void read_loop(team& t, void const* in, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    unsigned long long const sum = read_loop(static_cast<char const*>(in) + begin, end - begin);
    touch(&sum);
  });
}

void cached_copy(team& t, void const* in, void* out, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    cached_copy(static_cast<char const*>(in) + begin, static_cast<char*>(out) + begin, end - begin);
  });
}

void streaming_copy(team& t, void const* in, void* out, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    streaming_copy(static_cast<char const*>(in) + begin, static_cast<char*>(out) + begin,
                   end - begin);
  });
}

void update_loop(team& t, void* data, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    update_loop(static_cast<char*>(data) + begin, end - begin);
  });
}

}  // namespace upsweep::bench
