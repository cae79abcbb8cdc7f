/// Functions of the C library, for programs in a browser: random numbers as glibc defines them,
/// which programs print, and files, of which there are none.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

constexpr int last = 31, apart = 3;  // x[i] = x[i - 31] + x[i - 3]
std::uint32_t numbers[last];
int next = -1;

std::uint32_t step() {
  std::uint32_t const x = numbers[next] += numbers[(next + last - apart) % last];
  next = (next + 1) % last;
  return x;
}

}  // namespace

extern "C" void srand(unsigned seed) {
  auto x = static_cast<std::int32_t>(seed == 0 ? 1 : seed);
  for (std::uint32_t& number : numbers) {
    number = static_cast<std::uint32_t>(x);
    x = static_cast<std::int32_t>(std::int64_t{x} * 16807 % 2147483647);
    if (x < 0) x += 2147483647;
  }
  next = apart;
  for (int i = 0; i < 10 * last; ++i) step();
}

extern "C" int rand() {
  if (next < 0) srand(1);
  return static_cast<int>(step() >> 1);
}

/// A file to read does not exist. One to write is forgotten, so that a program that does not test
/// the result, as many do, still ends with its findings.
extern "C" std::FILE* fopen(char const* /*name*/, char const* mode) {
  static char* written;
  static std::size_t size;
  if (*mode == 'w' || *mode == 'a') return open_memstream(&written, &size);
  errno = ENOENT;
  return nullptr;
}
